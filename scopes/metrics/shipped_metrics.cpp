#include "scopes/metrics/shipped_metrics.h"

namespace eventspace::metrics {

const std::string_view shipped_metrics = R"(
// Bytes that processes send to partners between two probes, in each step.
Send_volume_for_interaction_vt(Process[] procs, Process[] partners, VirtualTime vt): Unit("B") {
  PROBE begin_send(Process, VirtualTime);
  PROBE end_send(Process, VirtualTime);
  Process p;
  Value[] volume;
  volume[p] = Send_volume(p, partners, [START, NOW]) AT end_send(p, vt)
            - Send_volume(p, partners, [START, NOW]) AT begin_send(p, vt);
  RETURN SUM(volume[p] WHERE p IN procs);
}

// The same, over all steps of an interval.
Send_volume_for_interaction(Process[] procs, Process[] partners, TimeInterval time): Unit("B") {
  Value[] volume;
  VirtualTime vt;
  volume[vt] = Send_volume_for_interaction_vt(procs, partners, vt);
  RETURN SUM(volume[vt] WHERE volume[vt].time IN time);
}

// How much longer the longest wait at barriers is than the shortest, as a share of a step of rank 0.
Load_imbalance_at_barrier(Process[] procs, VirtualTime vt): Unit("%") {
  PROBE loop_start(Process, VirtualTime);
  PROBE loop_stop(Process, VirtualTime);
  Process p;
  Process p0 = UNIQUE(p WHERE p.rank == 0);
  Value loop_time = Time(NOW) AT loop_stop(p0, vt) - Time(NOW) AT loop_start(p0, vt);
  Value[] barrier_time;
  barrier_time[p] = Barrier_delay(p, [START, NOW]) AT loop_stop(p, vt)
                  - Barrier_delay(p, [START, NOW]) AT loop_start(p, vt);
  Value bmax = MAX(barrier_time[p] WHERE p IN procs);
  Value bmin = MIN(barrier_time[p] WHERE p IN procs);
  RETURN (bmax - bmin) / loop_time;
}

// Iterations that a process has ended.
Loop_Counter(Process p, TimeInterval t): Unit("iterations") {
  PROBE iteration_end(Process, VirtualTime);
  VirtualTime vt;
  Value[] one;
  one[vt] = 1 AT iteration_end(p, vt);
  RETURN SUM(one[vt] WHERE one[vt].time IN t);
}

// Time from the end of the iteration before to the end of this one.
Iteration_time(Process p, VirtualTime vt): Unit("ms") {
  PROBE iteration_end(Process, VirtualTime);
  RETURN Time(NOW) AT iteration_end(p, vt) - Time(NOW) AT iteration_end(p, vt - 1);
}

Mean_iteration_time(Process p, TimeInterval time): Unit("ms") {
  Value[] it_time;
  VirtualTime vt;
  it_time[vt] = Iteration_time(p, vt);
  RETURN SUM(it_time[vt] WHERE it_time[vt].time IN time) / COUNT(it_time[vt] WHERE it_time[vt].time IN time);
}

// Percent of an iteration that a process sends and receives.
Comm_delay_per_loop_execution(Process p, VirtualTime vt): Unit("percent") {
  PROBE iteration_end(Process, VirtualTime);
  Value time = Iteration_time(p, vt);
  Value commtime = (Send_delay(p, [START, NOW]) + Receive_delay(p, [START, NOW])) AT iteration_end(p, vt)
                 - (Send_delay(p, [START, NOW]) + Receive_delay(p, [START, NOW])) AT iteration_end(p, vt - 1);
  RETURN commtime / time * 100;
}

// The greatest of them, over all processes and all iterations of an interval.
Max_comm_delay_per_loop_execution(Process[] procs, TimeInterval t): Unit("percent") {
  Process p;
  VirtualTime vt;
  Value[] val;
  val[vt] = MAX(Comm_delay_per_loop_execution(p, vt) WHERE p IN procs);
  RETURN MAX(val[vt] WHERE val[vt].time IN t);
}

// Share of the time that a process communicates; with several threads it can be more than 100 %.
Communication_share(Process p, TimeInterval time): Unit("%") {
  RETURN Communication_delay(p, time) / time.length;
}

// Share of the time in calls that can wait for others: receives, waits for requests, collective operations.
Waiting_share(Process p, TimeInterval time): Unit("%") {
  RETURN Waiting_delay(p, time) / time.length;
}

Barrier_share(Process p, TimeInterval time): Unit("%") {
  RETURN Barrier_delay(p, time) / time.length;
}

// How much of its time the mean process would wait for the one that communicates least.
Imbalance(Process[] procs, TimeInterval time): Unit("%") {
  Process p;
  Value[] busy;
  busy[p] = time.length - Communication_delay(p, time);
  Value most = MAX(busy[p] WHERE p IN procs);
  RETURN (most - MEAN(busy[p] WHERE p IN procs)) / most;
}

// Share of the time that threads compute, outside of communication: POP's parallel efficiency, which is the
// product of the next two.
Parallel_efficiency(Thread[] threads, TimeInterval time): Unit("%") {
  Thread t;
  Value[] useful;
  useful[t] = time.length - Communication_delay(t, time);
  RETURN MEAN(useful[t] WHERE t IN threads) / time.length;
}

// How far the threads compute equally long: POP's load balance.
Load_balance(Thread[] threads, TimeInterval time): Unit("%") {
  Thread t;
  Value[] useful;
  useful[t] = time.length - Communication_delay(t, time);
  RETURN MEAN(useful[t] WHERE t IN threads) / MAX(useful[t] WHERE t IN threads);
}

// Share of the time that the busiest thread computes: POP's communication efficiency, and a lower bound of its
// two factors, serialisation and transfer.
Communication_efficiency(Thread[] threads, TimeInterval time): Unit("%") {
  Thread t;
  Value[] useful;
  useful[t] = time.length - Communication_delay(t, time);
  RETURN MAX(useful[t] WHERE t IN threads) / time.length;
}

// The longest time in collective operations less the shortest: the first to arrive waits longest.
Collective_skew(Process[] procs, TimeInterval time): Unit("ms") {
  Process p;
  RETURN MAX(Collective_delay(p, time) WHERE p IN procs) - MIN(Collective_delay(p, time) WHERE p IN procs);
}

Operations_per_second(Process[] procs, TimeInterval time): Unit("operations/s") {
  RETURN RATE(Communication_count(procs, time));
}

Send_bandwidth(Process[] procs, TimeInterval time): Unit("MiB/s") {
  RETURN RATE(Send_volume(procs, time));
}

// Bytes a second from a process to a partner.
Bandwidth_by_partner(Process p, Process partner, TimeInterval time): Unit("MiB/s") {
  RETURN RATE(Send_volume(p, partner, time));
}

Mean_message_size(Process[] procs, TimeInterval time): Unit("KiB") {
  RETURN Send_volume(procs, time) / Send_count(procs, time);
}

Iteration_rate(Process p, TimeInterval time): Unit("iterations/s") {
  RETURN RATE(Loop_Counter(p, time));
}

Slowest_iteration(Process p, TimeInterval time): Unit("ms") {
  VirtualTime vt;
  Value[] it_time;
  it_time[vt] = Iteration_time(p, vt);
  RETURN MAX(it_time[vt] WHERE it_time[vt].time IN time);
}

Iteration_time_deviation(Process p, TimeInterval time): Unit("ms") {
  VirtualTime vt;
  Value[] it_time;
  it_time[vt] = Iteration_time(p, vt);
  RETURN STDEV(it_time[vt] WHERE it_time[vt].time IN time);
}

// Time that a process spends in a region.
Time_in_region(Process p, Region r, TimeInterval time): Unit("ms") {
  RETURN Region_delay(p, r, time);
}

// Share of the time in a region that a process communicates.
Communication_share_of_region(Process p, Region r, TimeInterval time): Unit("%") {
  RETURN Communication_delay(p, r, time) / Region_delay(p, r, time);
}

// Bytes a second that the processes of a site send.
Send_rate_of_site(Site s, TimeInterval time): Unit("KiB/s") {
  RETURN RATE(Send_volume(s, time));
}

// Processors that a process uses; with several threads it can be more than 100 %.
CPU_usage(Process p, TimeInterval time): Unit("%") {
  RETURN Compute_time(p, time) / time.length;
}

// How fast the memory of a process grows.
Memory_growth_rate(Process p, TimeInterval time): Unit("MiB/s") {
  RETURN RATE(Memory_growth(p, time));
}

// Threads that run or could run on a node, for each of its processors: above 1 some wait for one.
Oversubscription(Node n, TimePoint t): Unit("threads/processor") {
  RETURN Node_load(n, t) / Node_processors(n, t);
}

// Share of the switches of a process that others forced: high where there are too few processors.
Involuntary_share(Process p, TimeInterval time): Unit("%") {
  RETURN Involuntary_switches(p, time) / (Involuntary_switches(p, time) + Voluntary_switches(p, time));
}

// 95 % of the iterations take at most this.
Iteration_time_p95(Process p, TimeInterval time): Unit("ms") {
  VirtualTime vt;
  Value[] it_time;
  it_time[vt] = Iteration_time(p, vt);
  RETURN PERCENTILE(it_time[vt], 95 WHERE it_time[vt].time IN time);
}
)";

}  // namespace eventspace::metrics

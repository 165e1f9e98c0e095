#include "scopes/reading/process_reports.h"

#include <algorithm>
#include <cmath>

#include "scopes/reading/process_clock.h"
#include "tuplespace/processes/process_stat.h"

namespace eventspace {
namespace {

// Uses the rate measured recently on this node. The process measured its own when it started, which may be
// long ago.
void report_rate(ProcessReport& report, ClockRate& rate) {
  report.rate_error_ppm = std::min(report.clock.error_ppm, ProcessReport::max_ppm);
  if (report.clock.source != ClockSource::tsc) return;
  rate.learn({report.now_ticks, report.now_monotonic_ns, report.now_error_ns}, report.clock.ns_per_tick);
  const auto known = rate.rate();
  if (!known) return;
  constexpr double max_ppm = 1e5;  // a larger difference means that the process used another counter
  const double rate_ppm = (known->ns_per_tick / report.clock.ns_per_tick - 1) * 1e6;
  if (std::abs(rate_ppm) > max_ppm) return;
  report.rate_ppm = rate_ppm;
  report.rate_error_ppm = std::min(known->error_ppm, ProcessReport::max_ppm);
}

// Data that cannot be read, for example for lack of descriptors, are unknown; the thread has not ended.
void add_kernels_data(ThreadReport& thread, const SegmentView& segment, const ProcessSight* process) {
  const bool is_foreign = process != nullptr && !process->has_ids_of_here();
  const std::int32_t pid = process == nullptr ? segment.pid() : process->pid();
  const std::int32_t tid = process == nullptr ? thread.tid : process->tid(thread.tid);
  if (is_foreign && tid == 0) return;  // its number is meaningless here
  thread.tid = tid;
  const auto stat = read_process_stat(pid, tid);
  thread.state = stat ? stat->state : 'X';
  thread.cpu_ns = stat ? static_cast<std::uint64_t>(stat->cpu.count()) : 0;
}

}  // namespace

ProcessReport report_process(const SegmentView& segment, const NodeClock& node, ClockRate& rate,
                             const ProcessSight* process) {
  ProcessReport report;
  report.pid = process == nullptr ? segment.pid() : process->pid();
  report.start_ticks = process == nullptr ? segment.process_start_ticks() : process->start_ticks();
  report.clock = segment.clock();
  const ClockShift shift = clock_shift_of(segment);
  const ClockRate::Reading now = read_clocks(report.clock, node, shift);
  report.now_ticks = now.ticks;
  report.now_monotonic_ns = now.node_ns;
  report.now_error_ns = now.error_ns;
  if (shift.is_comparable) {
    report_rate(report, rate);
  } else {
    report.rate_error_ppm = std::min(report.clock.error_ppm, ProcessReport::max_ppm);
  }
  return report;
}

std::vector<ThreadReport> report_threads(const SegmentView& segment, std::span<const std::size_t> threads,
                                         const ProcessSight* process) {
  std::vector<ThreadReport> reports;
  for (const std::size_t index : threads) {
    ThreadReport thread;
    thread.thread = segment.threads()[index];
    thread.tid = segment.tid(index);
    if (thread.tid != 0) add_kernels_data(thread, segment, process);
    reports.push_back(thread);
  }
  return reports;
}

}  // namespace eventspace

#include "monitors/mpi/job_analysis.h"

#include <algorithm>
#include <string>
#include <utility>

#include "collectors/mpi/mpi_text.h"
#include "monitors/mpi/call_reader.h"
#include "monitors/mpi/job_graph.h"
#include "monitors/mpi/job_groups.h"
#include "monitors/mpi/operation_parties.h"

namespace eventspace {
namespace {

using std::chrono::nanoseconds;
using Nodes = std::vector<std::size_t>;

std::optional<nanoseconds> newest_event(const JobRank& rank) {
  std::optional<nanoseconds> newest;
  for (const JobThread& thread : rank.threads) {
    for (const auto* const call : {&thread.in_flight, &thread.last}) {
      if (*call && (!newest || (*call)->age < *newest)) newest = (*call)->age;
    }
  }
  return newest;
}

bool is_any_part(const JobCall& call, AwaitedPart::What what) {
  return std::ranges::any_of(call.awaits, [&](const AwaitedPart& part) { return part.what == what; });
}
bool awaits_window(const JobCall& call) {
  return is_any_part(call, AwaitedPart::What::window) || is_any_part(call, AwaitedPart::What::lock);
}
bool awaits_message(const JobCall& call) {
  return is_any_part(call, AwaitedPart::What::send) || is_any_part(call, AwaitedPart::What::receive);
}

// The longest call of a running rank that waits for another job.
const JobCall* crossing_call(const JobRank& state) {
  const JobCall* longest = nullptr;
  if (state.process > JobProcess::hidden) return nullptr;
  for (const JobThread& thread : state.threads) {
    if (!thread.in_flight || !thread.in_flight->crosses) continue;
    if (longest == nullptr || thread.in_flight->age > longest->age) longest = &*thread.in_flight;
  }
  return longest;
}

// A rank that polls for any of several things, such as a master, is not a reason to blame others that
// compute. A rank that polls for one thing waits for it as in a blocking call.
bool accuses(const JobCall& call, JobFault fault) {
  if (!call.is_poll || (fault != JobFault::absent && fault != JobFault::alive)) return true;
  return call.awaits.size() == 1 &&
         (call.awaits.front().partner || call.awaits.front().what == AwaitedPart::What::collective);
}

class Judgement {
 public:
  Judgement(const JobLook& look, const CallLimits& limits)
      : look_(look), limits_(limits), graph_(look, limits.floor() / 4) {}

  JobReport report() {
    judge_operations();
    for (const Nodes& circle : graph_.waits().circles()) judge_circle(circle);
    judge_sinks();
    judge_crossings();
    judge_the_rest();
    report_.is_still = is_still();
    std::ranges::stable_sort(report_.verdicts, std::greater(),
                             [](const JobVerdict& verdict) { return verdict.waiting.size(); });
    report_.ranks = look_.ranks.size();
    return std::move(report_);
  }

 private:
  // --- waiting ranks ---
  [[nodiscard]] bool is_overdue(std::uint32_t rank, JobFault fault, int percent) const {
    const JobCall* const call = waiting_call(look_.ranks[rank]);
    return call != nullptr && accuses(*call, fault) &&
           call->age >= limits_.limit(call->communicator) * percent / 100;
  }
  [[nodiscard]] bool has_overdue(const RankSet& ranks, JobFault fault, int percent) const {
    return std::ranges::any_of(ranks.ranks(),
                               [&](std::uint32_t rank) { return is_overdue(rank, fault, percent); });
  }
  [[nodiscard]] RankSet ranks_at(const Nodes& nodes) const {
    std::vector<std::uint32_t> ranks;
    for (const std::size_t node : nodes)
      if (const auto rank = graph_.rank_at(node)) ranks.push_back(*rank);
    return RankSet::of(ranks);
  }
  [[nodiscard]] RankSet waiting_of(const RankSet& ranks) const {
    RankSet waiting;
    for (const std::uint32_t rank : ranks.ranks())
      if (graph_.waits().waits(graph_.node_of(rank))) waiting.add(rank);
    return waiting;
  }
  [[nodiscard]] nanoseconds longest_wait(const RankSet& ranks) const {
    nanoseconds longest{0};
    for (const std::uint32_t rank : ranks.ranks())
      if (const JobCall* const call = waiting_call(look_.ranks[rank])) longest = std::max(longest, call->age);
    return longest;
  }

  // --- verdicts ---
  void add(JobVerdict verdict, const Nodes& causes, int percent = 100) {
    const RankSet all = ranks_at(graph_.waits().all_waiting_for(causes));
    const bool is_for_itself = verdict.fault == JobFault::dead || verdict.fault == JobFault::stopped;
    if (!is_for_itself && !has_overdue(all, verdict.fault, percent)) return;
    verdict.waiting = waiting_of(all) - verdict.culprits;
    verdict.longest = longest_wait(all);
    if (verdict.doing.empty()) verdict.doing = group_by_doing(look_, verdict.culprits);
    verdict.waits = group_by_doing(look_, verdict.waiting);
    explained_ = explained_ | all | verdict.culprits;
    report_.verdicts.push_back(std::move(verdict));
  }

  void judge_operations() {
    for (const auto& [operation, node] : graph_.operations()) {
      const auto parties = parties_of(operation, look_, graph_);
      if (parties.size() > 1) {
        judge_mismatch(operation, node, parties);
      } else if (!graph_.waits().waits(node) && may_await_another_job(operation)) {
        add_unfollowed(graph_.present_in(operation), {node});
      } else if (!graph_.waits().waits(node) && !lack_processors(graph_.present_in(operation)) &&
                 !may_take_long(operation)) {
        JobVerdict verdict{.fault = JobFault::inside, .culprits = graph_.present_in(operation)};
        set_place(verdict, operation);
        add(std::move(verdict), {node});
      }
    }
  }

  // All ranks are in MPI_Init, which may take long by itself.
  [[nodiscard]] bool may_take_long(const JobOperation& operation) const {
    return begins_mpi(operation.function) &&
           longest_wait(graph_.present_in(operation)) < 10 * limits_.floor();
  }

  // On a machine with more threads than processors, an operation lasts until all its members have run.
  [[nodiscard]] bool lack_processors(const RankSet& ranks) const {
    return std::ranges::any_of(look_.ranks, [&, rank = std::uint32_t{0}](const JobRank& state) mutable {
      return ranks.contains(rank++) && std::ranges::any_of(state.threads, &JobThread::lacks_processor);
    });
  }

  void set_place(JobVerdict& verdict, const JobOperation& operation) const {
    verdict.at = operation;
    const RankSet& present = graph_.present_in(operation);
    if (const auto first = present.at(0))
      if (const JobCall* const call = waiting_call(look_.ranks[*first])) verdict.there = *call;
  }

  // The largest party is right.
  void judge_mismatch(const JobOperation& operation, std::size_t node, const std::vector<RankSet>& parties) {
    JobVerdict verdict{.fault = JobFault::mismatch};
    set_place(verdict, operation);
    for (const RankSet& set : parties) {
      if (&set != &parties.front()) verdict.culprits = verdict.culprits | set;
      verdict.doing.push_back(group_in(operation, set));
    }
    std::rotate(verdict.doing.begin(), verdict.doing.begin() + 1, verdict.doing.end());  // the minority first
    add(std::move(verdict), {node});
  }

  // The call of a party, whether or not it is still in that call.
  [[nodiscard]] JobGroup group_in(const JobOperation& operation, const RankSet& set) const {
    const std::uint32_t first = *set.at(0);
    JobGroup group = group_by_doing(look_, RankSet::of_range(first, first)).front();
    group.ranks = set;
    const auto calls = look_.calls.find(operation);
    if (graph_.present_in(operation).contains(first) || calls == look_.calls.end()) return group;
    const auto call = calls->second.find(first);
    if (call == calls->second.end()) return group;
    group.in_flight.reset();
    group.last = call->second;
    return group;
  }

  void judge_circle(const Nodes& circle) {
    const RankSet ranks = ranks_at(circle);
    std::map<JobOperation, RankSet> in_operation;
    RankSet in_message;
    bool is_of_window = false;
    for (const std::size_t node : circle)
      if (const JobOperation* const operation = graph_.operation_at(node)) in_operation[*operation];
    for (const std::uint32_t rank : ranks.ranks()) {
      const JobCall* const call = waiting_call(look_.ranks[rank]);
      if (call == nullptr) continue;
      if (awaits_message(*call)) in_message.add(rank);
      is_of_window |= awaits_window(*call);
      for (const AwaitedPart& part : call->awaits)
        if (const auto found = in_operation.find(part.operation); found != in_operation.end())
          found->second.add(rank);
    }
    JobVerdict verdict;
    if (in_operation.empty() || is_of_window) {
      verdict.fault = JobFault::cycle;
      verdict.culprits = ranks;
    } else if (in_message.empty()) {
      judge_order(verdict, in_operation);
    } else {
      verdict.fault = JobFault::lost_message;
      verdict.culprits = in_message;
      verdict.unreceived = unreceived_for(in_message);
    }
    add(std::move(verdict), circle);
  }

  void judge_order(JobVerdict& verdict, const std::map<JobOperation, RankSet>& in_operation) const {
    verdict.fault = JobFault::order;
    const auto largest = std::ranges::max_element(
        in_operation, {}, [](const auto& operation) { return operation.second.size(); });
    for (const auto& [operation, ranks] : in_operation)
      if (operation != largest->first) verdict.culprits = verdict.culprits | ranks;
    set_place(verdict, largest->first);
    verdict.doing = group_by_doing(look_, verdict.culprits);
    for (JobGroup& group : group_by_doing(look_, largest->second - verdict.culprits))
      verdict.doing.push_back(std::move(group));
  }

  // Messages that the awaited senders have sent to the receiving ranks and that were not received.
  [[nodiscard]] std::vector<JobLook::Lost> unreceived_for(const RankSet& receiving) const {
    std::vector<JobLook::Lost> all;
    for (const std::uint32_t rank : receiving.ranks()) {
      const JobCall* const call = waiting_call(look_.ranks[rank]);
      for (const AwaitedPart& part : call->awaits) {
        if (part.what != AwaitedPart::What::receive || !part.partner) continue;
        const auto found = look_.unreceived.find({*part.partner, rank});
        if (found != look_.unreceived.end())
          all.insert(all.end(), found->second.begin(), found->second.end());
      }
    }
    return all;
  }

  // --- ranks that wait for nothing ---
  struct SinkKey {
    JobFault fault;
    std::optional<JobOperation> at;
    friend auto operator<=>(const SinkKey&, const SinkKey&) = default;  // NOLINT
  };

  [[nodiscard]] JobFault fault_of_sink(std::uint32_t rank, bool by_message) const {
    const JobRank& state = look_.ranks[rank];
    if (state.process == JobProcess::dead) return JobFault::dead;
    if (state.process == JobProcess::stopped) return JobFault::stopped;
    if (state.process == JobProcess::ended && by_message) return JobFault::lost_message;
    const auto newest = newest_event(state);
    const bool is_alive = state.process != JobProcess::ended && newest && *newest < limits_.floor() / 2;
    return is_alive ? JobFault::alive : JobFault::absent;
  }

  void judge_sinks() {
    std::map<SinkKey, Nodes> sinks;
    for (std::uint32_t rank = 0; rank < look_.ranks.size(); ++rank) {
      const std::size_t node = graph_.node_of(rank);
      if (graph_.waits().waits(node)) continue;
      if (crossing_call(look_.ranks[rank]) != nullptr) continue;
      const JobProcess process = look_.ranks[rank].process;
      const bool is_gone = process == JobProcess::dead || process == JobProcess::stopped;
      if (!is_gone && !graph_.waits().is_awaited(node)) continue;
      const JobOperation* const at = operation_that_lacks(node);
      const JobFault fault = fault_of_sink(rank, at == nullptr);
      sinks[{fault, at == nullptr || is_gone ? std::nullopt : std::optional(*at)}].push_back(node);
    }
    for (const auto& [key, nodes] : sinks) judge_sink(key, nodes);
  }

  [[nodiscard]] const JobOperation* operation_that_lacks(std::size_t node) const {
    for (const std::size_t waiting : graph_.waits().waiting_for(node))
      if (const JobOperation* const operation = graph_.operation_at(waiting)) return operation;
    return nullptr;
  }

  void judge_sink(const SinkKey& key, const Nodes& nodes) {
    JobVerdict verdict{.fault = key.fault, .culprits = ranks_at(nodes)};
    if (key.at) set_place(verdict, *key.at);
    if (key.fault == JobFault::lost_message) name_those_that_wait(verdict, nodes);
    add(std::move(verdict), nodes, key.fault == JobFault::alive ? 125 : 100);
  }

  // The partner has left, so the verdict names the rank with the message.
  void name_those_that_wait(JobVerdict& verdict, const Nodes& nodes) {
    Nodes waiting;
    for (const std::size_t node : nodes) {
      const auto& direct = graph_.waits().waiting_for(node);
      waiting.insert(waiting.end(), direct.begin(), direct.end());
    }
    verdict.culprits = ranks_at(waiting);
    verdict.unreceived = unreceived_for(verdict.culprits);
  }

  // --- waits for other jobs ---
  [[nodiscard]] bool may_await_another_job(const JobOperation& operation) const {
    const std::string name = name_of_mpi_call(operation.function);
    if (name.starts_with("MPI_Comm_spawn")) return true;
    return name == "MPI_Finalize" ? look_.has_others : look_.is_spawned && begins_mpi(operation.function);
  }

  void judge_crossings() {
    RankSet crossing;
    Nodes nodes;
    for (std::uint32_t rank = 0; rank < look_.ranks.size(); ++rank) {
      if (crossing_call(look_.ranks[rank]) == nullptr || graph_.waits().waits(graph_.node_of(rank))) continue;
      crossing.add(rank);
      nodes.push_back(graph_.node_of(rank));
    }
    if (!nodes.empty()) add_unfollowed(crossing, nodes);
  }

  void add_unfollowed(const RankSet& crossing, const Nodes& causes) {
    const RankSet all = ranks_at(graph_.waits().all_waiting_for(causes)) | crossing;
    JobVerdict verdict{.fault = JobFault::across, .culprits = crossing, .waiting = all - crossing};
    bool is_any_overdue = false;
    for (const std::uint32_t rank : all.ranks()) {
      const JobCall* call = crossing.contains(rank) ? crossing_call(look_.ranks[rank]) : nullptr;
      if (call == nullptr) call = waiting_call(look_.ranks[rank]);
      if (call == nullptr) continue;
      verdict.longest = std::max(verdict.longest, call->age);
      is_any_overdue |= call->age >= limit_of_unknown(*call);
    }
    if (!is_any_overdue) return;
    verdict.doing = group_by_doing(look_, verdict.culprits);
    verdict.waits = group_by_doing(look_, verdict.waiting);
    explained_ = explained_ | all;
    report_.unfollowed.push_back(std::move(verdict));
  }

  [[nodiscard]] bool is_still() const {
    const auto waits = [this](const JobThread& thread) {
      return thread.in_flight && (thread.in_flight->crosses || !thread.in_flight->awaits.empty()) &&
             !thread.lacks_processor && thread.in_flight->age >= limits_.floor() / 4;
    };
    return std::ranges::all_of(look_.ranks, [&](const JobRank& rank) {
      if (rank.process == JobProcess::ended) return true;
      return rank.process <= JobProcess::hidden && !rank.threads.empty() &&
             std::ranges::all_of(rank.threads, waits);
    });
  }

  // Overdue calls whose partners or operations are unknown.
  void judge_the_rest() {
    RankSet rest;
    for (std::uint32_t rank = 0; rank < look_.ranks.size(); ++rank) {
      if (!explained_.contains(rank) && is_stuck_unexplained(rank)) rest.add(rank);
    }
    for (JobGroup& group : group_by_doing(look_, rest)) {
      JobVerdict verdict{.fault = JobFault::inside, .culprits = group.ranks};
      verdict.longest = group.longest;
      verdict.doing.push_back(std::move(group));
      report_.verdicts.push_back(std::move(verdict));
    }
  }

  [[nodiscard]] bool is_stuck_unexplained(std::uint32_t rank) const {
    const JobRank& state = look_.ranks[rank];
    if (graph_.waits().waits(graph_.node_of(rank)) || state.process > JobProcess::hidden) return false;
    if (crossing_call(state) != nullptr) return false;
    return std::ranges::any_of(state.threads, [&](const JobThread& thread) {
      return thread.in_flight && !thread.in_flight->is_poll && !thread.lacks_processor &&
             thread.in_flight->age >= limit_of_unknown(*thread.in_flight);
    });
  }

  // MPI_Init and similar calls may take long, and there are no earlier calls to learn from.
  [[nodiscard]] nanoseconds limit_of_unknown(const JobCall& call) const {
    return call.of == MpiClass::manage ? 10 * limits_.floor() : limits_.limit(call.communicator);
  }

  const JobLook& look_;
  const CallLimits& limits_;
  JobGraph graph_;
  JobReport report_;
  RankSet explained_;
};

}  // namespace

JobReport judge(const JobLook& look, const CallLimits& limits) { return Judgement(look, limits).report(); }

}  // namespace eventspace

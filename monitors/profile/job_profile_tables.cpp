// The tables that are made of the sums.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "collectors/pvm/pvm_calls.h"
#include "monitors/profile/job_profile.h"
#include "tuplespace/system/saturating.h"

namespace eventspace {
namespace {

using std::chrono::nanoseconds;

std::string name_of_rank(std::uint32_t rank) { return fmt::format("rank {}", rank); }

template <class Row, class Weight>
void sort_by(std::vector<Row>& rows, Weight weight) {
  std::ranges::stable_sort(rows, std::greater(), weight);
}

}  // namespace

// By the numbers of phases.
std::map<std::uint32_t, nanoseconds> JobProfile::waited() const {
  std::map<std::uint32_t, nanoseconds> waited;
  for (const auto& [pair, sum] : waits_.sums()) waited[pair.waiting] += sum.waited;
  return waited;
}

std::vector<JobProfile::Thread> JobProfile::threads() const {
  auto waited_in = waited();
  std::map<std::uint32_t, std::pair<nanoseconds, nanoseconds>> waited_by;
  for (const auto& [key, sum] : phases_) {
    waited_by[key.thread].first += sum.waiting;
    waited_by[key.thread].second += waited_in[sum.number];
  }
  std::vector<Thread> all;
  for (const auto& [number, sum] : threads_) {
    all.push_back({std::string(names_->thread_name(number)),
                   std::string(names_->node_of_process(sum.process)), "", sum.calls, sum.span, sum.in_calls,
                   waited_by[number].first, waited_by[number].second, number});
  }
  sort_by(all, [](const Thread& thread) { return std::pair(thread.waiting, thread.late); });
  return all;
}

JobProfile::Thread JobProfile::row_of(std::uint32_t thread, const std::string& phase) const {
  Thread row;
  row.name = names_->thread_name(thread);
  row.node = names_->node_of_process(threads_.at(thread).process);
  row.phase = phase;
  row.number = thread;
  return row;
}

// For a thread with regions, the levels of MPI_Pcontrol are not phases: the time outside all regions is one
// row.
void JobProfile::add_phases_of_regions(std::uint32_t number, const ThreadSum& thread,
                                       std::map<std::uint32_t, nanoseconds>& waited,
                                       std::vector<Thread>& all) const {
  Thread outside = row_of(number, "-");
  outside.span = thread.span;
  const auto add_sum = [&](Thread& row, const PhaseSum& sum) {
    row.calls += sum.calls;
    row.in_calls += sum.in_calls;
    row.waiting += sum.waiting;
    row.late += waited[sum.number];
  };
  for (const auto& [region, ticks] : thread.regions.inside()) {
    Thread row = row_of(number, regions_.at(region - first_region));
    row.span = nanoseconds(saturating::round(static_cast<double>(ticks) * thread.ns_per_tick));
    outside.span -= std::min(outside.span, row.span);
    if (const auto sum = phases_.find({number, region}); sum != phases_.end()) add_sum(row, sum->second);
    all.push_back(std::move(row));
  }
  for (auto phase = phases_.lower_bound({number, 0}); phase != phases_.end() && phase->first.thread == number;
       ++phase)
    if (phase->first.phase < first_region || phase->first.phase == no_phase) add_sum(outside, phase->second);
  if (outside.calls > 0 || outside.span.count() > 0) all.push_back(std::move(outside));
}

std::vector<JobProfile::Thread> JobProfile::phases() const {
  const bool has_regions =
      std::ranges::any_of(threads_, [](const auto& thread) { return thread.second.regions.any(); });
  if (phases_.size() <= threads_.size() && !has_regions) return {};
  auto waited_in = waited();
  std::vector<Thread> all;
  for (const auto& [number, thread] : threads_)
    if (thread.regions.any()) add_phases_of_regions(number, thread, waited_in, all);
  for (const auto& [key, sum] : phases_) {
    const ThreadSum& thread = threads_.at(key.thread);
    if (sum.calls == 0 || thread.regions.any()) continue;
    Thread row = row_of(key.thread, key.phase == no_phase ? "-" : std::to_string(key.phase));
    row.calls = sum.calls;
    row.span = sum.span + (thread.phase == key.phase ? thread.of_phase : nanoseconds(0));
    row.in_calls = sum.in_calls;
    row.waiting = sum.waiting;
    row.late = waited_in[sum.number];
    all.push_back(std::move(row));
  }
  sort_by(all, [](const Thread& thread) { return std::pair(thread.waiting, thread.late); });
  return all;
}

std::string JobProfile::name_of(const FlowKey& key, std::uint32_t end) const {
  if (key.of == Parties::ranks) return name_of_rank(end);
  if (key.of == Parties::threads) return std::string(names_->thread_name(end));
  const auto thread = threads_of_tasks_.find(end);
  return thread == threads_of_tasks_.end() ? name_of_pvm_task(end)
                                           : std::string(names_->thread_name(thread->second));
}

std::string_view JobProfile::way_of(const FlowKey& key) const {
  switch (key.of) {
    case Parties::ranks:
      return names_->communicator_name(key.over);
    case Parties::threads:
      return names_->path_name(key.over);
    case Parties::tasks_of_pvm:
      break;
  }
  return "PVM";
}

std::vector<JobProfile::Flow> JobProfile::flows() const {
  std::vector<Flow> all;
  for (const auto& [key, amount] : flows_) {
    all.push_back(
        {name_of(key, key.from), name_of(key, key.to), std::string(way_of(key)), amount.count, amount.bytes});
  }
  sort_by(all, [](const Flow& flow) { return flow.bytes; });
  return all;
}

std::vector<JobProfile::Size> JobProfile::sizes() const {
  static constexpr std::array<std::string_view, 3> words{"message", "collective operation", "tuple"};
  std::vector<Size> all;
  for (const auto& [key, amount] : sizes_) {
    const auto& [sort, bits] = key;
    const std::uint64_t least = bits == 0 ? 0 : std::uint64_t{1} << (bits - 1);
    all.push_back({words[static_cast<std::size_t>(sort)], least, bits == 0 ? 0 : least + (least - 1),
                   amount.count, amount.bytes});
  }
  return all;
}

std::vector<JobProfile::CallSum> JobProfile::calls() const {
  std::vector<CallSum> all;
  for (const auto& [key, sum] : calls_) {
    all.push_back(sum);
    all.back().call = key.call;
    all.back().site = key.site;
  }
  sort_by(all, [](const CallSum& call) { return call.time; });
  return all;
}

std::vector<JobProfile::CallSum> JobProfile::calls_of(std::uint32_t thread) const {
  std::vector<CallSum> all;
  for (const auto& [key, of_all] : calls_) {
    const auto its = calls_of_threads_.find({thread, &of_all});
    if (its == calls_of_threads_.end()) continue;
    all.push_back(its->second);
    all.back().call = key.call;
    all.back().site = key.site;
  }
  sort_by(all, [](const CallSum& call) { return call.time; });
  return all;
}

std::vector<JobProfile::PairLate> JobProfile::late_of_pairs() const {
  std::vector<PairLate> all;
  for (const auto& [pair, sum] : waits_of_pairs_.sums()) {
    if (!pair.partner || sum.waited.count() == 0) continue;
    const bool sends = pair.late == MessageWaits::Late::receiver;  // the waiting rank
    const std::string waiting = name_of_rank(pair.waiting);
    const std::string partner = name_of_rank(*pair.partner);
    all.push_back({sends ? waiting : partner, sends ? partner : waiting, sum.waited});
  }
  return all;
}

}  // namespace eventspace

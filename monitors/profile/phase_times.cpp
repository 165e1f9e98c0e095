#include "monitors/profile/phase_times.h"

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include "tuplespace/system/saturating.h"

namespace eventspace {
namespace {

using std::chrono::nanoseconds;

void sort_by_waiting(std::vector<PhaseTimes::Thread>& rows) {
  std::ranges::stable_sort(rows, std::greater(),
                           [](const PhaseTimes::Thread& row) { return std::pair(row.waiting, row.late); });
}

}  // namespace

std::optional<PhasedCall> PhaseTimes::add(const Call& call, const ProcessReport& process) {
  const RecordHeader& header = call.header;
  ThreadSum* const thread = thread_of(header, process);
  if (thread == nullptr) return std::nullopt;
  const double ns = process.clock.ns_between(header.start, header.end);
  const nanoseconds duration = std::max(nanoseconds(saturating::round(ns)), nanoseconds(0));
  thread->calls += call.calls;
  if (call.begins_phase) begin_phase(*thread, header, *call.begins_phase, process);
  thread->process = process.process;
  thread->in_calls += duration;
  extend(*thread, header, process);
  return PhasedCall{header.start, header.end, thread->phase, duration, {}, call.calls};
}

void PhaseTimes::assign(std::uint32_t thread, const PhasedCall& call) {
  threads_.entries().at(thread).regions.add(call, attribution(thread));
}

PhaseTimes::ThreadSum* PhaseTimes::thread_of(const RecordHeader& header, const ProcessReport& process) {
  const std::size_t before = threads_.entries().size();
  ThreadSum* const thread = threads_.entry(header.thread);
  if (threads_.entries().size() > before) {
    thread->process = process.process;
    thread->first = thread->phase_began = header.start;
  }
  return thread;
}

void PhaseTimes::add_region(const RecordHeader& header, std::uint32_t probe, const ProcessReport& process) {
  ThreadSum* const thread = thread_of(header, process);
  if (thread == nullptr) return;
  const std::uint32_t region = region_named(probe);
  thread->ns_per_tick = process.clock.ns_between(0, 1'000'000) / 1e6;
  if (header.in_flight()) {
    thread->regions.open(region, header.start);
    return;
  }
  extend(*thread, header, process);
  thread->regions.end(region, header.start, header.end, attribution(header.thread));
}

std::uint32_t PhaseTimes::region_named(std::uint32_t probe) {
  const std::string name(names_->probe_name(probe));
  const auto [number, is_new] =
      numbers_of_regions_.try_emplace(name, first_region + static_cast<std::uint32_t>(regions_.size()));
  if (is_new) regions_.push_back(name);
  return number->second;
}

ThreadRegions::Found PhaseTimes::attribution(std::uint32_t thread) {
  return [this, thread](const PhasedCall& call, std::optional<std::uint32_t> region) {
    attribute(thread, call, region);
  };
}

void PhaseTimes::attribute(std::uint32_t thread, const PhasedCall& call,
                           std::optional<std::uint32_t> region) {
  PhaseSum* const phase = phase_of(thread, region.value_or(call.level));
  if (phase == nullptr) return;
  phase->calls += call.calls;
  phase->in_calls += call.duration;
  if (call.is_waiting) phase->waiting += call.duration;
  if (call.wait) waits_.add({.waiting = phase->number}, call.wait->function, call.wait->bytes, call.duration);
}

void PhaseTimes::settle() {
  for (auto& [number, thread] : threads_.entries()) thread.regions.settle(thread.last, attribution(number));
}

std::uint64_t PhaseTimes::left_out() const noexcept {
  std::uint64_t all = threads_.left_out() + phases_.left_out() + waits_.left_out();
  for (const auto& [number, thread] : threads_.entries()) all += thread.regions.left_out();
  return all;
}

void PhaseTimes::extend(ThreadSum& thread, const RecordHeader& header, const ProcessReport& process) {
  thread.first = std::min(thread.first, header.start);
  thread.last = std::max(thread.last, header.end);
  thread.span = nanoseconds(saturating::round(process.clock.ns_between(thread.first, thread.last)));
  thread.of_phase = nanoseconds(saturating::round(process.clock.ns_between(thread.phase_began, thread.last)));
}

void PhaseTimes::begin_phase(ThreadSum& thread, const RecordHeader& header, std::uint32_t phase,
                             const ProcessReport& process) {
  if (PhaseSum* const before = phase_of(header.thread, thread.phase))
    before->span +=
        nanoseconds(saturating::round(process.clock.ns_between(thread.phase_began, header.start)));
  thread.phase = phase;
  thread.phase_began = header.start;
}

PhaseTimes::PhaseSum* PhaseTimes::phase_of(std::uint32_t thread, std::uint32_t phase) {
  const auto before = static_cast<std::uint32_t>(phases_.entries().size());
  PhaseSum* const sum = phases_.entry({thread, phase});
  if (phases_.entries().size() > before) sum->number = before;
  return sum;
}

// By the numbers of phases.
std::map<std::uint32_t, nanoseconds> PhaseTimes::waited() const {
  std::map<std::uint32_t, nanoseconds> waited;
  for (const auto& [pair, sum] : waits_.sums()) waited[pair.waiting] += sum.waited;
  return waited;
}

std::vector<PhaseTimes::Thread> PhaseTimes::threads() const {
  auto waited_in = waited();
  std::map<std::uint32_t, std::pair<nanoseconds, nanoseconds>> waited_by;
  for (const auto& [key, sum] : phases_.entries()) {
    waited_by[key.thread].first += sum.waiting;
    waited_by[key.thread].second += waited_in[sum.number];
  }
  std::vector<Thread> all;
  for (const auto& [number, sum] : threads_.entries()) {
    Thread row = row_of(number, "");
    row.calls = sum.calls;
    row.span = sum.span;
    row.in_calls = sum.in_calls;
    std::tie(row.waiting, row.late) = waited_by[number];
    all.push_back(std::move(row));
  }
  sort_by_waiting(all);
  return all;
}

PhaseTimes::Thread PhaseTimes::row_of(std::uint32_t thread, const std::string& phase) const {
  const std::uint32_t process = threads_.entries().at(thread).process;
  Thread row;
  row.name = names_->thread_name(thread);
  row.node = names_->node_of_process(process);
  if (const auto member = names_->member_of_process(process); member && member->job == first_job)
    row.rank = member->rank;
  row.phase = phase;
  row.number = thread;
  return row;
}

// For a thread with regions, the levels of MPI_Pcontrol are not phases: the time outside all regions is one
// row.
void PhaseTimes::add_phases_of_regions(std::uint32_t number, const ThreadSum& thread,
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
    if (const auto sum = phases_.entries().find({number, region}); sum != phases_.entries().end())
      add_sum(row, sum->second);
    all.push_back(std::move(row));
  }
  for (auto phase = phases_.entries().lower_bound({number, 0});
       phase != phases_.entries().end() && phase->first.thread == number; ++phase)
    if (phase->first.phase < first_region || phase->first.phase == no_phase) add_sum(outside, phase->second);
  if (outside.calls > 0 || outside.span.count() > 0) all.push_back(std::move(outside));
}

std::vector<PhaseTimes::Thread> PhaseTimes::phases() const {
  const bool has_regions =
      std::ranges::any_of(threads_.entries(), [](const auto& thread) { return thread.second.regions.any(); });
  if (phases_.entries().size() <= threads_.entries().size() && !has_regions) return {};
  auto waited_in = waited();
  std::vector<Thread> all;
  for (const auto& [number, thread] : threads_.entries())
    if (thread.regions.any()) add_phases_of_regions(number, thread, waited_in, all);
  for (const auto& [key, sum] : phases_.entries()) {
    const ThreadSum& thread = threads_.entries().at(key.thread);
    if (sum.calls == 0 || thread.regions.any()) continue;
    Thread row = row_of(key.thread, key.phase == no_phase ? "-" : std::to_string(key.phase));
    row.calls = sum.calls;
    row.span = sum.span + (thread.phase == key.phase ? thread.of_phase : nanoseconds(0));
    row.in_calls = sum.in_calls;
    row.waiting = sum.waiting;
    row.late = waited_in[sum.number];
    all.push_back(std::move(row));
  }
  sort_by_waiting(all);
  return all;
}

}  // namespace eventspace

#include "monitors/efficiency/observed_units.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "collectors/event_record.h"
#include "collectors/mpi/mpi_record.h"
#include "collectors/mpi/mpi_text.h"
#include "collectors/probe_record.h"
#include "collectors/pvm/pvm_calls.h"
#include "monitors/efficiency/bounded_time.h"
#include "monitors/mpi/call_reader.h"
#include "scopes/tree/local_ids.h"

namespace eventspace::efficiency {
namespace {

constexpr std::size_t max_threads = 65536;
constexpr std::size_t max_probes = 1000;
// A thread may be preempted between the end of a call and its record.
constexpr std::int64_t patience_ns = 1'000'000'000;

// Moves the begin of a record to `begin_ns`.
void cut(RecordHeader& header, const ProcessReport& process, std::int64_t begin_ns) {
  const std::int64_t start = bounded_here(process, header.start);
  const std::int64_t end = bounded_here(process, header.end);
  if (start >= begin_ns || end <= start || header.in_flight()) return;
  const double share =
      static_cast<double>(std::min(begin_ns, end) - start) / static_cast<double>(end - start);
  header.start +=
      static_cast<std::uint64_t>(std::llround(share * static_cast<double>(header.end - header.start)));
}

bool is_finalize(const MpiCallRecord& call) { return name_of_mpi_call(call.call) == "MPI_Finalize"; }

}  // namespace

ObservedUnits::ObservedUnits(const Plan* plan, const PlanNames& names, Settings settings,
                             const IdealRun* ideal)
    : plan_(plan),
      names_(&names),
      settings_(std::move(settings)),
      ideal_(ideal),
      events_(names),
      waits_(plan, names),
      times_(settings_.every, settings_.origin_ns),
      sites_(names),
      regions_(names),
      processes_(names) {
  if (ideal_ == nullptr) return;
  times_.use([this](std::uint32_t unit, std::int64_t from_ns, std::int64_t to_ns) {
    return ideal_length(unit, from_ns, to_ns);
  });
}

std::optional<double> ObservedUnits::ideal_length(std::uint32_t unit, std::int64_t from_ns,
                                                  std::int64_t to_ns) const {
  const auto task = task_of(unit);
  const bool is_cut = ideal_ != nullptr && ideal_->known_until() && to_ns > *ideal_->known_until();
  if (!task || is_cut) return std::nullopt;
  return ideal_->ideal_at(*task, to_ns) - ideal_->ideal_at(*task, from_ns);
}

// --- processes and threads -----------------------------------------------------------------------------

ObservedUnits::Thread* ObservedUnits::thread_of(std::uint32_t number, const ProcessReport& process) {
  const auto known = threads_.find(number);
  if (known != threads_.end()) return &known->second;
  if (threads_.size() >= max_threads) {
    ++left_out_;
    return nullptr;
  }
  Thread& thread = threads_[number];
  thread.process = process.process;
  return &thread;
}

// Joints of collectives and parts of scopes record operations of their own.
bool ObservedUnits::is_of_thread(const RecordHeader& header) const {
  if (is_local_id(header.thread) || plan_ == nullptr) return true;
  const ThreadIndex thread(header.thread);
  return plan_->threads.has(thread) && plan_->threads[thread].is_thread();
}

std::string ObservedUnits::name_of(std::uint32_t unit) const {
  const auto thread = threads_.find(unit);
  const std::string name(names_->thread_name(unit));
  if (thread == threads_.end()) return name;
  const auto member = names_->member_of_process(thread->second.process);
  const auto rank = member ? member->first_job_rank() : std::nullopt;
  if (!rank) return name;
  const auto units = units_of_process_.find(thread->second.process);
  const bool has_several = units != units_of_process_.end() && units->second > 1;
  return has_several ? fmt::format("rank {} ({})", *rank, name) : fmt::format("rank {}", *rank);
}

std::optional<std::uint32_t> ObservedUnits::task_of(std::uint32_t unit) const {
  const auto thread = threads_.find(unit);
  if (ideal_ == nullptr || thread == threads_.end()) return std::nullopt;
  const auto member = names_->member_of_process(thread->second.process);
  const auto rank = member ? member->first_job_rank() : std::nullopt;
  return rank ? ideal_->task_of_rank(*rank) : ideal_->task_named(names_->thread_name(unit));
}

std::uint64_t ObservedUnits::left_out() const noexcept {
  return left_out_ + events_.left_out() + times_.left_out() + sites_.left_out() + regions_.left_out();
}

// --- views ---------------------------------------------------------------------------------------------

void ObservedUnits::see(const View& newest) {
  processes_.add(newest);
  RecordProcesses processes(*names_);
  processes.learn(newest);
  for (const TraceTuple& tuple : newest.records) {
    const RecordHeader header = header_of(tuple);
    const ProcessReport* const process = processes.of(header);
    if (process == nullptr || !is_of_thread(header) ||
        bounded_here(*process, header.start) >= settings_.begin_ns)
      continue;
    if (header.is_continuation()) continue;
    if (Thread* const thread = thread_of(header.thread, *process))
      note_earlier(header.thread, *thread, tuple);
  }
}

void ObservedUnits::add(const View& view) {
  processes_.add(view);
  events_.for_each(
      view,
      [this](const RecordHeader& header, std::uint32_t probe, const ProcessReport& process) {
        add_region(header, probe, process);
      },
      [this](std::span<const TraceTuple> event, const ProcessReport& process) { add_call(event, process); });
  add_marks(view);
  settle(held_ > max_held);
  if (const auto until = processes_.all_known_until()) clocks_.give_up(*until - patience_ns);
}

void ObservedUnits::add_region(RecordHeader header, std::uint32_t probe, const ProcessReport& process) {
  if (settings_.begin_ns) {
    if (!header.in_flight() && bounded_here(process, header.end) <= *settings_.begin_ns) return;
    cut(header, process, *settings_.begin_ns);
  }
  regions_.add(header, probe, process);
  if (thread_of(header.thread, process) == nullptr) return;
  const auto task = task_of(header.thread);
  if (!task) return;
  const std::uint64_t last = header.in_flight() ? header.start : header.end;
  if (ideal_->known_until() && bounded_here(process, last) > *ideal_->known_until())
    return regions_.miss_ideal(header.thread);
  constexpr double origin = 1e9;  // ideal times may begin before 0
  const auto ideal = [&](std::uint64_t ticks) {
    return static_cast<std::uint64_t>(
        std::max(origin + ideal_->ideal_at(*task, bounded_here(process, ticks)), 1.0));
  };
  header.start = ideal(header.start);
  if (!header.in_flight()) header.end = ideal(header.end);
  regions_.add_ideal(header, probe, process.process);
}

void ObservedUnits::add_call(std::span<const TraceTuple> event, const ProcessReport& process) {
  const TraceTuple& record = event.back();
  const RecordHeader header = header_of(record);
  if (!is_of_thread(header)) return;
  const std::int64_t end = bounded_here(process, header.end);
  const std::int64_t begin = std::min(bounded_here(process, header.start), end);
  Thread* const thread = thread_of(header.thread, process);
  if (thread == nullptr) return;
  gaps_.add(header_of(event.front()), process.process, begin, end,
            !settings_.begin_ns || begin > *settings_.begin_ns);
  if (header.kind == pvm_kind && pvm_call_of(record).has(PvmMarks::nested)) return;
  if (settings_.begin_ns && end <= *settings_.begin_ns) return note_earlier(header.thread, *thread, record);
  if (header.kind == mpi_kind && !follow_mpi(*thread, header.thread, record, begin, end)) return;
  if (!thread->is_unit) begin_unit(header.thread, *thread, header_of(event.front()), begin);
  ++calls_;
  const CallWaits::Waits waits = waits_.of(event, process);
  const std::int64_t counted_from = std::max(begin, settings_.begin_ns.value_or(begin));
  sites_.add(record, end - counted_from, waits.kind != IdealClocks::Waits::never);
  thread->held.push_back({.begin_ns = begin, .end_ns = end, .waits = waits});
  ++held_;
  RecordHeader observed = header;
  if (settings_.begin_ns) cut(observed, process, *settings_.begin_ns);
  regions_.add_call(event, observed, process);
}

// An event that began before the observation: the thread is there from the begin on.
void ObservedUnits::note_earlier(std::uint32_t number, Thread& thread, const TraceTuple& record) {
  const RecordHeader header = header_of(record);
  thread.was_there = true;
  if (header.kind == mpi_kind && begins_mpi(mpi_call_of(record).call) && header.in_flight()) return;
  if (header.kind == mpi_kind && is_finalize(mpi_call_of(record))) thread.has_finalized = true;
  if (header.kind != probe_kind && !thread.is_unit && !thread.has_finalized)
    begin_unit(number, thread, header, *settings_.begin_ns);
}

void ObservedUnits::begin_unit(std::uint32_t number, Thread& thread, const RecordHeader& first,
                               std::int64_t begin_ns) {
  make_unit(thread);
  std::int64_t from = begin_ns;
  if (settings_.begin_ns)
    from = thread.was_there ? *settings_.begin_ns : std::max(begin_ns, *settings_.begin_ns);
  else if (first.sequence != 1)
    from = settings_.origin_ns;
  times_.begin(number, from);
  clocks_.begin(number, from);
}

void ObservedUnits::make_unit(Thread& thread) {
  if (std::exchange(thread.is_unit, true)) return;
  ++units_of_process_[thread.process];
  early_marks_ -= thread.held.size();
  left_out_ += thread.marks_left_out;
}

// Returns whether the call counts.
bool ObservedUnits::follow_mpi(Thread& thread, std::uint32_t number, const TraceTuple& record,
                               std::int64_t begin_ns, std::int64_t end_ns) {
  const MpiCallRecord call = mpi_call_of(record);
  if (thread.has_finalized) return false;
  if (begins_mpi(call.call)) {
    make_unit(thread);
    times_.begin(number, end_ns);
    clocks_.begin(number, end_ns);
    return false;
  }
  if (!is_finalize(call)) return true;
  thread.has_finalized = true;
  if (thread.is_unit) times_.extend(number, begin_ns);
  return false;
}

void ObservedUnits::add_marks(const View& view) {
  RecordProcesses processes(*names_);
  processes.learn(view);
  for (const TraceTuple& tuple : view.records) {
    const RecordHeader header = header_of(tuple);
    if (header.kind != probe_kind || header.is_continuation() || header.in_flight()) continue;
    const ProcessReport* const process = processes.of(header);
    if (process == nullptr) continue;
    const std::int64_t at = bounded_here(*process, header.end);
    if (settings_.begin_ns && at <= *settings_.begin_ns) continue;
    Thread* const thread = thread_of(header.thread, *process);
    if (thread == nullptr) continue;
    thread->last_ns = thread->first_ns ? std::max(thread->last_ns, at) : at;
    thread->first_ns = std::min(thread->first_ns.value_or(at), bounded_here(*process, header.start));
    if (settings_.iteration_end.empty() || ProfiledEvents::region_of(tuple)) continue;
    const std::string_view name = names_->probe_name(probe_name_of(tuple));
    if (probes_.size() < max_probes) probes_.emplace(name);
    if (name != settings_.iteration_end) continue;
    const std::uint64_t word = tuple.words[7];
    const std::uint64_t iteration = has_virtual_time(word) ? word : passage_in(word).value_or(0);
    hold_mark(*thread, at, iteration);
  }
}

void ObservedUnits::hold_mark(Thread& thread, std::int64_t at_ns, std::uint64_t iteration) {
  if (!thread.is_unit && early_marks_ >= max_early_marks) {
    ++thread.marks_left_out;
    return;
  }
  if (!thread.is_unit) ++early_marks_;
  thread.held.push_back({.begin_ns = at_ns, .end_ns = at_ns, .is_mark = true, .iteration = iteration});
  ++held_;
}

// --- held events ---------------------------------------------------------------------------------------

// Uses the held events of each unit that ended before all that are still to come.
void ObservedUnits::settle(bool all) {
  for (auto& [number, thread] : threads_) {
    if (!thread.is_unit || thread.held.empty()) continue;
    const auto* const process = processes_.find(thread.process);
    if (process == nullptr) continue;
    const std::int64_t until = process->until_ns;
    const auto rest = all ? thread.held.end()
                          : std::partition(thread.held.begin(), thread.held.end(),
                                           [until](const Item& item) { return item.end_ns <= until; });
    std::vector<Item> due(thread.held.begin(), rest);
    thread.held.erase(thread.held.begin(), rest);
    use(number, due);
  }
}

void ObservedUnits::use(std::uint32_t number, std::vector<Item>& items) {
  held_ -= items.size();
  std::ranges::stable_sort(items, {}, [](const Item& item) { return std::pair(item.begin_ns, item.end_ns); });
  for (const Item& item : items) {
    if (item.is_mark) {
      times_.add_mark(number, item.begin_ns, item.iteration);
      continue;
    }
    times_.add_call(number, item.begin_ns, item.end_ns);
    clocks_.add(
        {number, item.begin_ns, item.end_ns, item.waits.kind, item.waits.operation, item.waits.members});
  }
}

// --- the end -------------------------------------------------------------------------------------------

// Calls that had begun and not ended when the unread events were read.
void ObservedUnits::add_in_flight(const View& newest) {
  RecordProcesses processes(*names_);
  processes.learn(newest);
  for (const TraceTuple& tuple : newest.records) {
    const RecordHeader header = header_of(tuple);
    if (header.is_continuation() || header.kind == probe_kind || !header.in_flight()) continue;
    const ProcessReport* const process = processes.of(header);
    const auto* const known = process == nullptr ? nullptr : processes_.find(process->process);
    if (known == nullptr || !known->is_alive || !is_of_thread(header)) continue;
    const std::int64_t begin = bounded_here(*process, header.start);
    if (begin >= known->until_ns) continue;
    Thread* const thread = thread_of(header.thread, *process);
    if (thread == nullptr || thread->has_finalized) continue;
    if (header.kind == mpi_kind && begins_mpi(mpi_call_of(tuple).call)) continue;
    if (header.kind == mpi_kind && is_finalize(mpi_call_of(tuple))) {
      thread->has_finalized = true;
      if (thread->is_unit) times_.extend(header.thread, begin);
      continue;
    }
    if (!thread->is_unit) begin_unit(header.thread, *thread, header, begin);
    thread->held.push_back(
        {.begin_ns = begin, .end_ns = known->until_ns, .waits = {.kind = IdealClocks::Waits::unknown}});
    ++held_;
  }
}

// A simulation without the calls that were not recorded says nothing.
void ObservedUnits::forget_ideal() {
  times_.forget_ideal();
  for (const auto& [number, thread] : threads_) regions_.miss_ideal(number);
}

void ObservedUnits::finish(const View& newest) {
  add_in_flight(newest);
  if (processes_.thinned() > 0) forget_ideal();
  const bool has_units = std::ranges::any_of(threads_, [](const auto& of) { return of.second.is_unit; });
  for (auto& [number, thread] : threads_) {
    if (has_units || !thread.first_ns) continue;
    make_unit(thread);
    const std::int64_t from = thread.was_there ? *settings_.begin_ns : *thread.first_ns;
    times_.begin(number, from);
    clocks_.begin(number, from);
    times_.extend(number, thread.last_ns);
  }
  for (auto& [number, thread] : threads_) {
    const auto* const process = processes_.find(thread.process);
    if (!thread.is_unit || process == nullptr || !process->is_alive) continue;
    const std::int64_t until = process->until_ns;
    for (Item& item : thread.held) item.end_ns = std::min(item.end_ns, std::max(until, item.begin_ns));
    if (!thread.has_finalized) times_.extend(number, until);
  }
  settle(true);
  std::map<std::uint32_t, std::int64_t> ends;
  for (const UnitTimes::Unit& unit : times_.units()) ends[unit.number] = unit.to_ns;
  clocks_.finish(ends);
  regions_.settle();
}

std::vector<RegionTimes::Region> ObservedUnits::regions() const {
  return regions_.regions(times_, [this](const UnitTimes::Unit& unit) {
    return ideal_length(unit.number, unit.from_ns, unit.to_ns);
  });
}

}  // namespace eventspace::efficiency

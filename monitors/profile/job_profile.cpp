#include "monitors/profile/job_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <utility>

#include "collectors/event_record.h"
#include "collectors/mpi/mpi_calls.h"
#include "collectors/mpi/mpi_text.h"
#include "collectors/probe_record.h"
#include "collectors/pvm/pvm_calls.h"
#include "collectors/pvm/pvm_looks.h"
#include "monitors/mpi/message_parts.h"
#include "monitors/text/code_places.h"
#include "scopes/tree/local_ids.h"
#include "scopes/tree/view_events.h"
#include "scopes/wrappers/record_processes.h"
#include "tuplespace/system/saturating.h"

namespace eventspace {
namespace {

using std::chrono::nanoseconds;

// Paths and functions of PVM get numbers as functions of MessageWaits, beside those of MPI.
constexpr std::uint32_t first_path_function = 1u << 17;
constexpr std::uint32_t first_pvm_function = 1u << 16;

bool is_phase_call(const MpiCallRecord& call) {
  static const std::uint16_t number = [] {
    const auto names = mpi_call_names();
    return static_cast<std::uint16_t>(std::ranges::find(names, "MPI_Pcontrol") - names.begin());
  }();
  return call.call == number;
}

bool is_region_record(const TraceTuple& record) {
  constexpr std::uint64_t verb_bits = 0xf;
  return ((record.words[3] >> 12) & verb_bits) == static_cast<std::uint64_t>(ProbeVerb::region);
}

}  // namespace

template <class Map, class Key>
typename Map::mapped_type* JobProfile::entry_of(Map& map, const Key& key) {
  if (map.size() >= max_entries && !map.contains(key)) {
    ++left_out_;
    return nullptr;
  }
  return &map[key];
}

void JobProfile::add(const View& view) {
  RecordProcesses processes(*names_);
  processes.learn(view);
  choose_points(view);
  // Regions first: regions that have ended are matched with waiting calls, and with the calls of this view.
  for (const TraceTuple& tuple : view.records) {
    const RecordHeader header = header_of(tuple);
    if (header.kind != probe_kind || header.is_continuation() || !is_region_record(tuple)) continue;
    if (const ProcessReport* const process = processes.of(header)) add_region(tuple, *process);
  }
  for_each_event(view.records.whole(), [&](std::span<const TraceTuple> event) {
    const RecordHeader header = header_of(event.back());
    if (header.in_flight() || header.is_continuation()) return;
    if (header.kind != mpi_kind && header.kind != pvm_kind && header.kind != operation_kind) return;
    if (header.kind == operation_kind && !is_at_its_point(header)) return;
    const ProcessReport* const process = processes.of(header);
    if (process == nullptr) return;
    header.kind == pvm_kind ? add_pvm_event(event, *process) : add_event(event, *process, process->process);
  });
}

// An operation that is recorded at several points of its path counts once, at the first.
void JobProfile::choose_points(const View& view) {
  for (const TraceTuple& tuple : view.records) {
    const RecordHeader header = header_of(tuple);
    if (header.kind != operation_kind) continue;
    if (const auto known = points_.find(header.path); known != points_.end())
      known->second = std::min(known->second, header.point);
    else if (points_.size() < max_entries)
      points_.emplace(header.path, header.point);
  }
}

// Operations of a path for which there was no room do not count.
bool JobProfile::is_at_its_point(const RecordHeader& header) {
  const auto known = points_.find(header.path);
  if (known == points_.end()) ++left_out_;
  return known != points_.end() && known->second == header.point;
}

// Calls within calls count only as messages, which belong to a broadcast.
void JobProfile::add_pvm_event(std::span<const TraceTuple> event, const ProcessReport& process) {
  const PvmCallRecord call = pvm_call_of(event.back());
  if (call.task == PvmCallRecord::no_task) return;
  if (std::uint32_t* const thread = entry_of(threads_of_tasks_, call.task))
    *thread = header_of(event.back()).thread;
  const bool is_nested = call.has(PvmMarks::nested);
  if (call.of == PvmClass::send && (!is_nested || call.tasks > 0)) add_pvm_messages(event);
  if (!is_nested) add_event(event, process, process.process);
}

std::uint32_t JobProfile::calls_of(const TraceTuple& record) {
  const std::uint8_t kind = header_of(record).kind;
  if (kind == mpi_kind) return mpi_call_of(record).calls;
  return kind == pvm_kind ? pvm_call_of(record).calls : 1;
}

void JobProfile::add_event(std::span<const TraceTuple> event, const ProcessReport& process,
                           std::uint32_t number) {
  const RecordHeader header = header_of(event.back());
  const double ns = process.clock.ns_between(header.start, header.end);
  const nanoseconds duration = std::max(nanoseconds(saturating::round(ns)), nanoseconds(0));
  ThreadSum* const thread = thread_of(header, process);
  if (thread == nullptr) return;
  const std::uint32_t calls = calls_of(event.back());
  thread->calls += calls;
  if (header.kind == mpi_kind && is_phase_call(mpi_call_of(event.back())))
    begin_phase(*thread, header, mpi_call_of(event.back()).tag, process);
  thread->process = number;
  thread->in_calls += duration;
  extend(*thread, header, process);
  PhasedCall call{header.start, header.end, thread->phase, duration, {}, calls};
  call.is_waiting = waits_for_others_.holds({event.back(), &process, event.first(event.size() - 1)});
  call.wait = header.kind == mpi_kind   ? add_call(event, number, duration)
              : header.kind == pvm_kind ? add_pvm_call(event, duration)
                                        : std::optional(add_operation(event.back(), duration));
  thread->regions.add(call, attribution(header.thread));
}

JobProfile::ThreadSum* JobProfile::thread_of(const RecordHeader& header, const ProcessReport& process) {
  const std::size_t before = threads_.size();
  ThreadSum* const thread = entry_of(threads_, header.thread);
  if (threads_.size() > before) {
    thread->process = process.process;
    thread->first = thread->phase_began = header.start;
  }
  return thread;
}

// --- phases -------------------------------------------------------------------------------------------

void JobProfile::add_region(const TraceTuple& record, const ProcessReport& process) {
  const RecordHeader header = header_of(record);
  ThreadSum* const thread = thread_of(header, process);
  if (thread == nullptr) return;
  const std::uint32_t region = region_named(probe_name_of(record));
  thread->ns_per_tick = process.clock.ns_between(0, 1'000'000) / 1e6;
  if (header.in_flight()) {
    thread->regions.open(region, header.start);
    return;
  }
  extend(*thread, header, process);
  thread->regions.end(region, header.start, header.end, attribution(header.thread));
}

std::uint32_t JobProfile::region_named(std::uint32_t probe) {
  const std::string name(names_->probe_name(probe));
  const auto [number, is_new] =
      numbers_of_regions_.try_emplace(name, first_region + static_cast<std::uint32_t>(regions_.size()));
  if (is_new) regions_.push_back(name);
  return number->second;
}

ThreadRegions::Found JobProfile::attribution(std::uint32_t thread) {
  return [this, thread](const PhasedCall& call, std::optional<std::uint32_t> region) {
    attribute(thread, call, region);
  };
}

void JobProfile::attribute(std::uint32_t thread, const PhasedCall& call,
                           std::optional<std::uint32_t> region) {
  PhaseSum* const phase = phase_of(thread, region.value_or(call.level));
  if (phase == nullptr) return;
  phase->calls += call.calls;
  phase->in_calls += call.duration;
  if (call.is_waiting) phase->waiting += call.duration;
  if (call.wait) waits_.add({.waiting = phase->number}, call.wait->function, call.wait->bytes, call.duration);
}

void JobProfile::settle() {
  for (auto& [number, thread] : threads_) thread.regions.settle(thread.last, attribution(number));
}

std::uint64_t JobProfile::left_out() const noexcept {
  std::uint64_t all = left_out_ + waits_.left_out();
  for (const auto& [number, thread] : threads_) all += thread.regions.left_out();
  return all;
}

void JobProfile::extend(ThreadSum& thread, const RecordHeader& header, const ProcessReport& process) {
  thread.first = std::min(thread.first, header.start);
  thread.last = std::max(thread.last, header.end);
  thread.span = nanoseconds(saturating::round(process.clock.ns_between(thread.first, thread.last)));
  thread.of_phase = nanoseconds(saturating::round(process.clock.ns_between(thread.phase_began, thread.last)));
}

void JobProfile::begin_phase(ThreadSum& thread, const RecordHeader& header, std::uint32_t phase,
                             const ProcessReport& process) {
  if (PhaseSum* const before = phase_of(header.thread, thread.phase))
    before->span +=
        nanoseconds(saturating::round(process.clock.ns_between(thread.phase_began, header.start)));
  thread.phase = phase;
  thread.phase_began = header.start;
}

JobProfile::PhaseSum* JobProfile::phase_of(std::uint32_t thread, std::uint32_t phase) {
  const auto before = static_cast<std::uint32_t>(phases_.size());
  PhaseSum* const sum = entry_of(phases_, PhaseKey{thread, phase});
  if (phases_.size() > before) sum->number = before;
  return sum;
}

// --- calls of MPI -------------------------------------------------------------------------------------

std::optional<PhasedCall::Wait> JobProfile::add_call(std::span<const TraceTuple> event, std::uint32_t number,
                                                     nanoseconds duration) {
  const RecordHeader header = header_of(event.back());
  const MpiCallRecord call = mpi_call_of(event.back());
  const std::uint32_t site = site_in_scope(header.thread, call.site);
  add_to_call(header.thread, {name_of_mpi_call(call.call), short_place(names_->site_name(site))}, duration,
              call.bytes, call.calls);
  if (!call.is_whole()) return std::nullopt;
  std::optional<PhasedCall::Wait> wait;
  if (call.of == MpiClass::collective) {
    add_size(Sort::collective, call.bytes);
    if (!is_immediate(call)) wait = {call.call, call.bytes};
  }
  const auto member = names_->member_of_process(number);
  if (!member) return wait;
  if (member->job != first_job) {
    ++calls_of_spawned_;
    return wait;
  }
  if (const auto message = message_call(reader_, member->rank, event)) {
    wait = {call.call, message->bytes};
    if (details_.waits_of_pairs) waits_of_pairs_.add(message->pair, call.call, message->bytes, duration);
  }
  add_messages(event, member->rank);
  return wait;
}

void JobProfile::add_messages(std::span<const TraceTuple> event, std::uint32_t rank) {
  const MpiCallRecord call = mpi_call_of(event.back());
  if (call.of == MpiClass::send) add_sent(rank, call);
  if (call.of != MpiClass::start) return;
  for (const MpiCallRecord& request : mpi_requests_of(event).awaited)
    if (request.of == MpiClass::send) add_sent(rank, request);
}

void JobProfile::add_sent(std::uint32_t rank, const MpiCallRecord& message) {
  if (message.has(MpiWildcards::null_process) || message.error != 0) return;
  add_size(Sort::message, message.bytes);
  const auto to = reader_.partner_of(rank, message);
  if (!to) {
    ++left_out_;
    return;
  }
  add_flow({Parties::ranks, rank, *to, message.communicator}, message.bytes);
}

void JobProfile::add_flow(const FlowKey& key, std::uint64_t bytes) {
  if (Amount* const amount = entry_of(flows_, key)) {
    ++amount->count;
    amount->bytes += bytes;
  }
}

// --- calls of PVM -------------------------------------------------------------------------------------

std::optional<PhasedCall::Wait> JobProfile::add_pvm_call(std::span<const TraceTuple> event,
                                                         nanoseconds duration) {
  const PvmCallRecord call = pvm_call_of(event.back());
  const std::uint32_t thread = header_of(event.back()).thread;
  const std::uint32_t site = site_in_scope(thread, call.site);
  add_to_call(thread, {name_of_pvm_call(call.call), short_place(names_->site_name(site))}, duration,
              call.bytes, call.calls);
  const bool is_collective = call.of == PvmClass::group;
  if (is_collective) add_size(Sort::collective, call.bytes);
  const bool may_wait = call.of == PvmClass::receive || call.of == PvmClass::send || is_collective;
  if (!may_wait || is_look(call)) return std::nullopt;
  return PhasedCall::Wait{first_pvm_function + call.call, call.bytes};
}

void JobProfile::add_pvm_messages(std::span<const TraceTuple> event) {
  const PvmCallRecord call = pvm_call_of(event.back());
  if (call.error != 0) return;
  const auto add_sent = [&](std::uint32_t to) {
    add_size(Sort::message, call.bytes);
    add_flow({Parties::tasks_of_pvm, call.task, to, 0}, call.bytes);
  };
  if (call.tasks == 0) return add_sent(call.partner);
  const auto destinations = pvm_destinations_of(event);
  for (const std::uint32_t to : destinations) add_sent(to);
  left_out_ += call.tasks - std::min<std::size_t>(destinations.size(), call.tasks);
}

// --- operations on paths --------------------------------------------------------------------------------

PhasedCall::Wait JobProfile::add_operation(const TraceTuple& tuple, nanoseconds duration) {
  const EventRecord record = decode(tuple);
  add_to_call(record.thread,
              {fmt::format("{} {}", to_string(record.verb), names_->path_name(record.path)), ""}, duration,
              record.bytes);
  const PhasedCall::Wait wait{first_path_function + record.path, record.bytes};
  if (record.status != Status::ok) return wait;
  const bool is_collective = record.verb == Verb::exchange;
  if (is_collective || record.verb == Verb::write)
    add_size(is_collective ? Sort::collective : Sort::tuple, record.bytes);
  if (record.verb != Verb::write || record.peer == no_peer) return wait;
  add_flow({Parties::threads, record.thread, record.peer, record.path}, record.bytes);
  return wait;
}

void JobProfile::add_to_call(std::uint32_t thread, const CallKey& key, nanoseconds duration,
                             std::uint64_t bytes, std::uint32_t calls) {
  const auto add_to = [&](CallSum& sum) {
    sum.calls += calls;
    sum.time += duration;
    sum.longest = std::max(sum.longest, duration / std::max(calls, 1U));
    sum.bytes += bytes;
  };
  CallSum* const sum = entry_of(calls_, key);
  if (sum == nullptr) return;
  add_to(*sum);
  if (!details_.calls_of_threads) return;
  const std::pair<std::uint32_t, const CallSum*> of_thread{thread, sum};
  if (CallSum* const its = entry_of(calls_of_threads_, of_thread)) add_to(*its);
}

void JobProfile::add_size(Sort sort, std::uint64_t bytes) {
  Amount& amount = sizes_[{sort, static_cast<int>(std::bit_width(bytes))}];
  ++amount.count;
  amount.bytes += bytes;
}

}  // namespace eventspace

#include "monitors/profile/job_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "collectors/event_record.h"
#include "collectors/mpi/mpi_text.h"
#include "collectors/pvm/pvm_calls.h"
#include "collectors/pvm/pvm_looks.h"
#include "monitors/mpi/message_parts.h"
#include "monitors/text/code_places.h"
#include "scopes/tree/local_ids.h"

namespace eventspace {
namespace {

using std::chrono::nanoseconds;

std::string name_of_rank(std::uint32_t rank) { return fmt::format("rank {}", rank); }

// Paths and functions of PVM get numbers as functions of MessageWaits, beside those of MPI.
constexpr std::uint32_t first_path_function = 1u << 17;
constexpr std::uint32_t first_pvm_function = 1u << 16;

}  // namespace

void JobProfile::add(const View& view) {
  events_.for_each(
      view,
      [this](const RecordHeader& header, std::uint32_t probe, const ProcessReport& process) {
        times_.add_region(header, probe, process);
      },
      [this](std::span<const TraceTuple> event, const ProcessReport& process) {
        header_of(event.back()).kind == pvm_kind ? add_pvm_event(event, process) : add_event(event, process);
      });
}

// Calls within calls count only as messages, which belong to a broadcast.
void JobProfile::add_pvm_event(std::span<const TraceTuple> event, const ProcessReport& process) {
  const PvmCallRecord call = pvm_call_of(event.back());
  if (call.task == PvmCallRecord::no_task) return;
  traffic_.name_task(call.task, header_of(event.back()).thread);
  const bool is_nested = call.has(PvmMarks::nested);
  if (call.of == PvmClass::send && (!is_nested || call.tasks > 0)) add_pvm_messages(event);
  if (!is_nested) add_event(event, process);
}

void JobProfile::add_event(std::span<const TraceTuple> event, const ProcessReport& process) {
  const TraceTuple& record = event.back();
  const RecordHeader header = header_of(record);
  auto call =
      times_.add({header, ProfiledEvents::calls_in(record), ProfiledEvents::phase_begun_by(record)}, process);
  if (!call) return;
  call->is_waiting = waits_for_others_.holds({record, &process, event.first(event.size() - 1)});
  call->wait = header.kind == mpi_kind   ? add_call(event, process.process, call->duration)
               : header.kind == pvm_kind ? add_pvm_call(event, call->duration)
                                         : std::optional(add_operation(record, call->duration));
  times_.assign(header.thread, *call);
}

std::uint64_t JobProfile::left_out() const noexcept {
  return left_out_ + events_.left_out() + times_.left_out() + traffic_.left_out() + calls_.left_out() +
         calls_of_threads_.left_out() + waits_of_pairs_.left_out();
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
    traffic_.add_size(Traffic::Sort::collective, call.bytes);
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
  traffic_.add_size(Traffic::Sort::message, message.bytes);
  const auto to = reader_.partner_of(rank, message);
  if (!to) {
    ++left_out_;
    return;
  }
  traffic_.add_message({Traffic::Parties::ranks, rank, *to, message.communicator}, message.bytes);
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
  if (is_collective) traffic_.add_size(Traffic::Sort::collective, call.bytes);
  const bool may_wait = call.of == PvmClass::receive || call.of == PvmClass::send || is_collective;
  if (!may_wait || is_look(call)) return std::nullopt;
  return PhasedCall::Wait{first_pvm_function + call.call, call.bytes};
}

void JobProfile::add_pvm_messages(std::span<const TraceTuple> event) {
  const PvmCallRecord call = pvm_call_of(event.back());
  if (call.error != 0) return;
  const auto add_sent = [&](std::uint32_t to) {
    traffic_.add_size(Traffic::Sort::message, call.bytes);
    traffic_.add_message({Traffic::Parties::tasks_of_pvm, call.task, to, 0}, call.bytes);
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
    traffic_.add_size(is_collective ? Traffic::Sort::collective : Traffic::Sort::tuple, record.bytes);
  if (record.verb != Verb::write || record.peer == no_peer) return wait;
  traffic_.add_message({Traffic::Parties::threads, record.thread, record.peer, record.path}, record.bytes);
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
  CallSum* const sum = calls_.entry(key);
  if (sum == nullptr) return;
  add_to(*sum);
  if (!details_.calls_of_threads) return;
  if (CallSum* const its = calls_of_threads_.entry({thread, sum})) add_to(*its);
}

std::vector<JobProfile::CallSum> JobProfile::calls() const {
  std::vector<CallSum> all;
  for (const auto& [key, sum] : calls_.entries()) {
    all.push_back(sum);
    all.back().call = key.call;
    all.back().site = key.site;
  }
  std::ranges::stable_sort(all, std::greater(), &CallSum::time);
  return all;
}

std::vector<JobProfile::CallSum> JobProfile::calls_of(std::uint32_t thread) const {
  std::vector<CallSum> all;
  for (const auto& [key, of_all] : calls_.entries()) {
    const auto its = calls_of_threads_.entries().find({thread, &of_all});
    if (its == calls_of_threads_.entries().end()) continue;
    all.push_back(its->second);
    all.back().call = key.call;
    all.back().site = key.site;
  }
  std::ranges::stable_sort(all, std::greater(), &CallSum::time);
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

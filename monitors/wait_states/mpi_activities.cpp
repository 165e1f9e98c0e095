#include "monitors/wait_states/mpi_activities.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "collectors/mpi/mpi_requests.h"
#include "collectors/mpi/mpi_text.h"
#include "monitors/mpi/call_reader.h"
#include "monitors/mpi/mpi_operations.h"
#include "monitors/text/code_places.h"
#include "scopes/tree/local_ids.h"

namespace eventspace {
namespace {

constexpr std::uint32_t polls = 1;  // the sort of calls that are held
constexpr const char* last_call = "MPI_Finalize";

WaitKind kind_of(MpiOperation operation) noexcept {
  switch (operation) {
    case MpiOperation::barrier:
      return WaitKind::barrier;
    case MpiOperation::broadcast:
    case MpiOperation::scatter:
      return WaitKind::late_broadcast;
    case MpiOperation::reduce:
    case MpiOperation::gather:
      return WaitKind::early_reduce;
    case MpiOperation::scan:
      return WaitKind::early_scan;
    case MpiOperation::all_reduce:
    case MpiOperation::all_gather:
    case MpiOperation::all_to_all:
    case MpiOperation::reduce_scatter:
      break;
  }
  return WaitKind::n_to_n;
}

// A series of unsuccessful polls that took most of the time, or a call that waited for a message without
// receiving it.
bool is_search(const MpiCallRecord& record) {
  if (record.of == MpiClass::look) return record.has(MpiPolling::always);
  return record.of == MpiClass::probe && !is_immediate(record);
}

bool can_find(const MpiCallRecord& record) {
  return record.of == MpiClass::receive || record.of == MpiClass::complete;
}

}  // namespace

/// A call that was added.
struct MpiActivities::Call {
  const exports::Slice& slice;
  std::uint32_t process{0};
  std::uint32_t rank{0};
  MpiCallRecord record{};
  std::string function{};
  ActivityRef by{};

  // Whether it may wait for processes in a way that is not analysed; for collective operations, see
  // add_collective.
  [[nodiscard]] bool is_unfollowed() const {
    if (is_immediate(record)) return false;
    switch (record.of) {
      case MpiClass::window:
      case MpiClass::file:
        return true;
      case MpiClass::manage:
        return function != last_call;
      case MpiClass::send:
      case MpiClass::receive:
      case MpiClass::complete:
        return lacks_partners() || record.communicator == MpiCallRecord::other_communicator;
      case MpiClass::probe:
      case MpiClass::collective:
      case MpiClass::start:
      case MpiClass::look:
      case MpiClass::input:
      case MpiClass::output:
        break;
    }
    return false;
  }

 private:
  // Whether it received messages whose senders are not known.
  [[nodiscard]] bool lacks_partners() const {
    const auto ends = std::ranges::count_if(slice.messages, [](const auto& end) { return end.receives; });
    const auto messages =
        std::ranges::count_if(slice.mpi_messages, [](const auto& message) { return message.receives; });
    return ends < messages;
  }
};

void MpiActivities::name(std::uint32_t location, const exports::Slice& slice, const exports::Track& track) {
  const std::uint32_t number = slice.event.header().thread;
  const auto [first, is_new] = threads_of_rank_.try_emplace(*track.rank, number);
  const bool is_first = first->second == number;
  if (is_new || !is_first)
    run_->rename(location, is_first ? fmt::format("rank {}", *track.rank)
                                    : fmt::format("rank {} ({})", *track.rank, track.thread));
}

std::uint32_t MpiActivities::site_of(const exports::Slice& slice, const MpiCallRecord& record) {
  const std::uint32_t place = site_in_scope(slice.event.header().thread, record.site);
  if (const auto known = sites_.find({record.call, place}); known != sites_.end()) return known->second;
  const std::string text = short_place(names_->site_name(place));
  const std::string name = name_of_mpi_call(record.call) + (text.empty() ? "" : fmt::format(" at {}", text));
  return sites_[{record.call, place}] = run_->site(name);
}

void MpiActivities::add(const exports::Slice& slice, const exports::Track& track) {
  const std::uint32_t location = threads_->location(slice, track, slice.event.header().thread);
  name(location, slice, track);
  const MpiCallRecord record = mpi_call_of(slice.event.record);
  const std::uint32_t site = site_of(slice, record);
  if (size_of_world_ == 0)
    size_of_world_ = communicators_.size_of_first_world(record.communicator).value_or(0);
  if (is_search(record) && !slice.in_flight) return threads_->hold(slice, location, site, polls);
  Call call{slice, track.process, *track.rank, record, name_of_mpi_call(record.call)};
  call.by = threads_->append(slice, location, site, can_find(record));
  add_messages(call);
  if (call.is_unfollowed()) run_->mark_unfollowed(call.by);
  if (record.of == MpiClass::collective) add_collective(call);
  if (begins_mpi(record.call)) begins_.try_emplace(call.rank, call.by);
  if (call.function == last_call) ends_.try_emplace(call.rank, call.by);
  add_requests(call);
}

// --- messages and requests --------------------------------------------------------------------------------

void MpiActivities::add_messages(const Call& call) {
  for (const exports::MessageEnd& end : call.slice.messages) {
    likely_ends_ += end.certain ? 0 : 1;
    if (end.receives) {
      const PendingRequest* const posted =
          end.request == 0 ? nullptr : requests_.find(call.process, end.request);
      partners_->receive(end.message, call.by, posted == nullptr ? call.by : posted->by);
      continue;
    }
    partners_->send(end.message, call.by);
    if (end.request != 0)
      requests_.begin(call.process,
                      {.number = end.request, .record = call.record, .by = call.by, .message = end.message});
    else if (!is_immediate(call.record))
      partners_->await_receive(end.message, call.by);
  }
}

void MpiActivities::add_requests(const Call& call) {
  const MpiCallRecord& own = call.record;
  if (own.of == MpiClass::receive && own.request != 0)
    requests_.begin(call.process, {.number = own.request, .record = own, .by = call.by});
  if (own.of != MpiClass::start && own.of != MpiClass::complete) return;
  std::vector<TraceTuple> records(call.slice.event.continuations.begin(),
                                  call.slice.event.continuations.end());
  records.push_back(call.slice.event.record);
  const MpiRequests requests = mpi_requests_of(records);
  if (own.of == MpiClass::complete) return complete(call, requests);
  for (const MpiCallRecord& one : requests.awaited)
    if (one.of == MpiClass::receive && one.request != 0)
      requests_.begin(call.process, {.number = one.request, .record = one, .by = call.by});
}

// A Waitall completes all of its requests, but its records name only the receives. A Wait for a
// collective operation names it only as awaited.
void MpiActivities::complete(const Call& call, const MpiRequests& requests) {
  if (call.slice.in_flight) return;
  for (const MpiCallRecord& one : requests.completed) {
    if (one.of == MpiClass::collective)
      complete(call, Partners::Operation{one.communicator, 0, one.ordinal});
    else
      complete(call, one.request);
  }
  if (call.record.request_of && call.record.request != 0) complete(call, call.record.request);
  const bool is_all = call.function.starts_with("MPI_Waitall");
  if (!is_all && !call.function.starts_with("MPI_Wait")) return;
  if (!is_all && requests.in_all > 1) return;
  for (const MpiCallRecord& one : requests.awaited) {
    if (one.of == MpiClass::collective) complete(call, Partners::Operation{one.communicator, 0, one.ordinal});
    if (one.of != MpiClass::send || !is_all) continue;
    if (const auto sent = requests_.complete_send(call.process, one))
      partners_->await_receive(sent->message, call.by);
  }
}

void MpiActivities::complete(const Call& call, std::uint32_t request) {
  const auto known = requests_.complete(call.process, request);
  if (known && known->message != 0) partners_->await_receive(known->message, call.by);
}

void MpiActivities::complete(const Call& call, const Partners::Operation& operation) {
  if (const auto known = requests_.complete(call.process, operation)) partners_->leave(*known, call.by);
}

// --- collective operations --------------------------------------------------------------------------------

std::optional<Partners::Member> MpiActivities::member_of(const Call& call) {
  const MpiCallRecord& record = call.record;
  const auto operation = operation_of_function(call.function);
  const auto* const members = communicators_.find(record.communicator);
  if (!operation || members == nullptr || !members->other_group.empty() || record.ordinal == 0)
    return std::nullopt;
  const auto place = std::ranges::find(members->group, call.rank);
  if (place == members->group.end()) return std::nullopt;
  return Partners::Member{.operation = {record.communicator, 0, record.ordinal},
                          .form = {kind_of(*operation), members->group.size(), record.partner},
                          .number = static_cast<std::uint32_t>(place - members->group.begin())};
}

void MpiActivities::add_collective(const Call& call) {
  const auto member = member_of(call);
  if (!member && !is_immediate(call.record)) run_->mark_unfollowed(call.by);
  if (!member) return;
  partners_->come(*member, call.by);
  if (is_immediate(call.record))
    requests_.begin(call.process, *member);
  else if (!call.slice.in_flight)
    partners_->leave(*member, call.by);
}

// At least, if it is not known.
std::size_t MpiActivities::size_of_world() const {
  const std::size_t seen = threads_of_rank_.empty() ? 0 : std::size_t{threads_of_rank_.rbegin()->first} + 1;
  return std::max<std::size_t>(size_of_world_, seen);
}

// Without the call of some rank it is not known which came last.
void MpiActivities::meet_all(WaitKind kind, const std::map<std::uint32_t, ActivityRef>& calls) {
  const bool are_all = calls.size() == size_of_world();
  Meeting meeting{.kind = kind, .group = MpiCallRecord::no_communicator};
  for (const auto& [rank, call] : calls) {
    meeting.members.push_back({call, call});
    if (!are_all) run_->mark_unfollowed(call);
  }
  if (are_all && calls.size() > 1) run_->meet(std::move(meeting));
}

void MpiActivities::finish() {
  meet_all(WaitKind::startup, begins_);
  meet_all(WaitKind::barrier, ends_);
}

}  // namespace eventspace

#include "monitors/whatif/recording/mpi_actions.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "collectors/mpi/mpi_text.h"
#include "monitors/mpi/call_reader.h"
#include "monitors/mpi/mpi_operations.h"
#include "monitors/text/code_places.h"
#include "scopes/tree/local_ids.h"

namespace eventspace::whatif {
namespace {

// Both have the same order.
GroupOperation group_operation(MpiOperation operation) { return static_cast<GroupOperation>(operation); }
static_assert(static_cast<int>(MpiOperation::scan) == static_cast<int>(GroupOperation::scan));

bool is_test(const MpiCallRecord& call) { return name_of_mpi_call(call.call).starts_with("MPI_Test"); }

}  // namespace

MpiActions::MpiActions(RecordedTasks& tasks, const PlanNames& names, bool names_sites)
    : tasks_(&tasks), names_(&names), names_sites_(names_sites), communicators_(names) {}

// Beyond half of the functions that a program may have, places are no longer told apart.
std::uint16_t MpiActions::function_of(std::span<const TraceTuple> event, const MpiCallRecord& call) {
  std::string name = name_of_mpi_call(call.call);
  if (names_sites_ && tasks_->builder().program().functions.size() < max_functions / 2) {
    const std::uint32_t site = site_in_scope(header_of(event.back()).thread, call.site);
    if (const std::string place = short_place(names_->site_name(site)); !place.empty())
      name += " at " + place;
  }
  return tasks_->builder().function(name);
}

// On a communicator with unknown members, the partner's rank in the world is unknown, so no message is made.
std::uint32_t MpiActions::group_of(std::uint32_t communicator) {
  const auto [place, is_new] =
      groups_.try_emplace(communicator, static_cast<std::uint32_t>(groups_.size() + 1));
  return place->second < max_groups ? place->second : 0;
}

void MpiActions::add(std::uint32_t rank, std::span<const TraceTuple> event, const ActionTime& time) {
  Call call{.rank = rank, .event = event, .own = mpi_call_of(event.back())};
  call.function = function_of(event, call.own);
  tasks_->call(rank, time);
  switch (call.own.of) {
    case MpiClass::send:
      return send(call);
    case MpiClass::receive:
      return receive(call);
    case MpiClass::complete:
      return complete(call);
    case MpiClass::collective:
      return collective(call);
    case MpiClass::look:
      return overhead(call, is_test(call.own) ? Mark::test : Mark::probe);
    case MpiClass::probe:
      return overhead(call, Mark::probe);
    case MpiClass::start:
      return start(call);
    case MpiClass::manage:
      return manage(call);
    case MpiClass::input:
    case MpiClass::output:
    case MpiClass::file:
    case MpiClass::window:
      break;  // no message
  }
  overhead(call);
}

void MpiActions::overhead(const Call& call, std::optional<Mark> mark) {
  Action action{.kind = ActionKind::overhead, .function = call.function};
  if (mark) (void)action.with(*mark);
  action.bytes = call.own.calls > 1 ? call.own.calls : 0;
  // A blocking probe waits for a message that is received later; the receive gets the waiting instead.
  const bool waits = mark == Mark::probe && !is_immediate(call.own);
  tasks_->add(call.rank, action, !waits);
}

// --- messages ----------------------------------------------------------------------------------------------

std::optional<Action> MpiActions::message_of(const Call& call, const MpiCallRecord& message,
                                             ActionKind kind) {
  if (message.has(MpiWildcards::null_process) || message.error != 0) return std::nullopt;
  const auto partner = message.partner == MpiCallRecord::none
                           ? std::nullopt
                           : communicators_.partner(message.communicator, call.rank, message.partner);
  if (!partner || *partner >= max_tasks) {
    ++unknown_partners_;
    return std::nullopt;
  }
  Action action{.kind = kind, .function = call.function};
  action.peer = *partner;
  action.tag = message.tag;
  action.group = group_of(message.communicator);
  action.bytes = std::min(message.bytes, max_message_bytes);
  if (message.has(MpiWildcards::any_source) || message.has(MpiWildcards::any_tag))
    (void)action.with(Mark::wildcard);
  return action;
}

void MpiActions::send(const Call& call) {
  const std::string name = name_of_mpi_call(call.own.call);
  if (name.find("endrecv") != std::string::npos) return exchange(call);
  if (call.own.request != 0) {
    if (!begin(call, call.own, true, true)) overhead(call);
    return;
  }
  auto action = message_of(call, call.own, ActionKind::send);
  if (!action) return overhead(call);
  if (name.starts_with("MPI_Ssend")) (void)action->with(Mark::sync);
  tasks_->add(call.rank, *action);
}

// Sends and receives at once; the received message is in the last record of a completion.
void MpiActions::exchange(const Call& call) {
  Rank& of = ranks_[call.rank];
  const auto sent = message_of(call, call.own, ActionKind::isend);
  std::optional<Action> received;
  for (const MpiCallRecord& one : mpi_requests_of(call.event).completed) {
    if (one.of == MpiClass::receive) received = message_of(call, one, ActionKind::ireceive);
  }
  std::vector<std::uint64_t> requests;
  for (const auto& part : {received, sent}) {
    if (!part) continue;
    requests.push_back(of.next_id);
    tasks_->begin(call.rank, *part, of.next_id++, false);
  }
  if (requests.empty()) return overhead(call);
  Action wait{.kind = ActionKind::wait, .function = call.function};
  tasks_->wait(call.rank, wait.with(Mark::more), requests);
}

void MpiActions::receive(const Call& call) {
  if (call.own.request != 0) {
    if (!begin(call, call.own, false, true)) overhead(call);
    return;
  }
  const auto action = message_of(call, call.own, ActionKind::receive);
  if (!action) return overhead(call);
  tasks_->add(call.rank, *action);
}

// A receive from any source gets its partner on completion; until then, its own rank stands in.
bool MpiActions::begin(const Call& call, const MpiCallRecord& message, bool sends, bool takes_time) {
  const bool is_wild = !sends && message.has(MpiWildcards::any_source);
  auto action = message_of(call, message, sends ? ActionKind::isend : ActionKind::ireceive);
  if (!action && is_wild && !message.has(MpiWildcards::null_process)) {
    --unknown_partners_;
    action = Action{.kind = ActionKind::ireceive, .function = call.function};
    action->peer = call.rank;
    action->group = group_of(message.communicator);
    (void)action->with(Mark::wildcard);
  }
  if (!action) return false;
  if (name_of_mpi_call(message.call).starts_with("MPI_Issend")) (void)action->with(Mark::sync);
  Rank& of = ranks_[call.rank];
  Request request{.id = of.next_id++,
                  .number = message.request,
                  .sends = sends,
                  .is_known = !is_wild,
                  .peer = action->peer,
                  .tag = action->tag,
                  .group = action->group};
  const std::size_t place = tasks_->begin(call.rank, *action, request.id, takes_time);
  if (!sends) request.receive = place;
  of.open.push_back(request);
  return true;
}

// --- completion --------------------------------------------------------------------------------------------

void MpiActions::learn(Rank& of, std::uint32_t rank, const MpiCallRecord& completed,
                       std::vector<std::size_t>& places) {
  const auto is_it = [&](const Request& request) {
    return completed.request != 0 && request.number == completed.request;
  };
  const auto place = std::ranges::find_if(of.open, is_it);
  if (place == of.open.end()) return;
  places.push_back(static_cast<std::size_t>(place - of.open.begin()));
  const bool receives = completed.of == MpiClass::receive || completed.request_of == MpiClass::receive;
  if (!place->receive || !receives) return;
  Call call{.rank = rank};
  const auto known = message_of(call, completed, ActionKind::ireceive);
  if (!known) return;
  Action& action = tasks_->builder().action(rank, *place->receive);
  action.peer = known->peer;
  action.tag = known->tag;
  action.bytes = known->bytes;
  place->is_known = true;
}

// Records list only some of the requests of a call. The others are assumed to be the oldest possible
// requests.
std::vector<std::size_t> MpiActions::completed_by(const Call& call) {
  Rank& of = ranks_[call.rank];
  std::vector<std::size_t> places;
  const MpiRequests requests = mpi_requests_of(call.event);
  for (const MpiCallRecord& one : requests.completed) learn(of, call.rank, one, places);
  if (call.own.request_of && call.own.request != 0) learn(of, call.rank, call.own, places);
  std::ranges::sort(places);
  places.erase(std::unique(places.begin(), places.end()), places.end());
  const std::string name = name_of_mpi_call(call.own.call);
  const bool is_all =
      name.starts_with("MPI_Waitall") || (name.starts_with("MPI_Testall") && call.own.request_of);
  if (!is_all) return places;
  const std::size_t in_all = std::max<std::size_t>(requests.in_all, call.own.requests);
  std::vector<bool> is_listed(of.open.size());
  for (const std::size_t place : places) is_listed[place] = true;
  // First the requests that are awaited by name, then the oldest.
  for (const MpiCallRecord& awaited : requests.awaited) {
    if (places.size() >= in_all || awaited.of != MpiClass::send) continue;
    const auto partner = communicators_.partner(awaited.communicator, call.rank, awaited.partner);
    for (std::size_t i = 0; i < of.open.size(); ++i) {
      if (is_listed[i] || !of.open[i].sends || of.open[i].peer != partner || of.open[i].tag != awaited.tag)
        continue;
      is_listed[i] = true;
      places.push_back(i);
      break;
    }
  }
  for (std::size_t i = 0; i < of.open.size() && places.size() < in_all; ++i) {
    if (is_listed[i]) continue;
    ++likely_completions_;
    places.push_back(i);
  }
  return places;
}

void MpiActions::complete(const Call& call) {
  const std::string name = name_of_mpi_call(call.own.call);
  if (name == "MPI_Request_free" || name == "MPI_Cancel") return overhead(call);
  complete(call, completed_by(call));
}

void MpiActions::complete(const Call& call, std::vector<std::size_t> places) {
  Rank& of = ranks_[call.rank];
  const bool is_test = whatif::is_test(call.own);
  const bool is_any = name_of_mpi_call(call.own.call).starts_with("MPI_Waitany") ||
                      name_of_mpi_call(call.own.call).starts_with("MPI_Waitsome");
  std::ranges::sort(places);
  std::vector<std::uint64_t> requests;
  std::vector<Action> collectives;
  for (const std::size_t place : places) {
    Request& request = of.open[place];
    if (request.collective) {
      collectives.push_back(*request.collective);
    } else if (request.is_known) {
      requests.push_back(request.id);
    }
  }
  for (auto place = places.rbegin(); place != places.rend(); ++place)
    of.open.erase(of.open.begin() + static_cast<std::ptrdiff_t>(*place));
  if (requests.empty() && collectives.empty())
    return overhead(call, is_test ? std::optional(Mark::test) : std::nullopt);
  Action wait{.kind = ActionKind::wait, .function = call.function};
  if (is_test) (void)wait.with(Mark::test);
  if (is_any) (void)wait.with(Mark::any);
  if (!requests.empty()) tasks_->wait(call.rank, wait, requests);
  for (const Action& one : collectives) tasks_->add(call.rank, one);
}

// --- collective operations
// -----------------------------------------------------------------------------------

std::optional<Action> MpiActions::operation_of(const Call& call, const MpiCallRecord& record) {
  const auto* const members = communicators_.find(record.communicator);
  const std::string name = name_of_mpi_call(record.call);
  const auto operation = operation_of_function(name);
  if (members == nullptr || members->group.empty() || !members->other_group.empty() || !operation) {
    ++unknown_groups_;
    return std::nullopt;
  }
  Action action{
      .kind = ActionKind::group, .operation = group_operation(*operation), .function = call.function};
  action.group = group_of(record.communicator);
  action.bytes = std::min(record.bytes, max_message_bytes);
  // For vector variants, the mean per partner.
  if (*operation == MpiOperation::all_to_all && (name.ends_with("v") || name.ends_with("w")))
    action.bytes /= members->group.size();
  if (has_root(*operation) && record.partner < members->group.size()) action.peer = record.partner;
  return action;
}

void MpiActions::collective(const Call& call) {
  const auto action = operation_of(call, call.own);
  if (!action) return overhead(call);
  if (call.own.request == 0) return tasks_->add(call.rank, *action);
  Request request{.number = call.own.request, .collective = *action};
  (void)request.collective->with(Mark::more);
  ranks_[call.rank].open.push_back(request);
  overhead(call);
}

// --- others ------------------------------------------------------------------------------------------------

void MpiActions::start(const Call& call) {
  const std::string name = name_of_mpi_call(call.own.call);
  if (name.find("_init") != std::string::npos) {
    const bool sends = call.own.request_of == MpiClass::send;
    persistent_[{call.rank, sends, call.own.partner, call.own.tag}] = call.own.bytes;
    return overhead(call);
  }
  if (!name.starts_with("MPI_Start")) return overhead(call);
  bool takes_time = true;
  const MpiRequests requests = mpi_requests_of(call.event);
  for (MpiCallRecord one : requests.awaited) {
    const bool sends = one.of == MpiClass::send;
    const auto bytes = persistent_.find({call.rank, sends, one.partner, one.tag});
    if (one.bytes == 0 && bytes != persistent_.end()) one.bytes = bytes->second;
    if (begin(call, one, sends, takes_time)) takes_time = false;
  }
  if (takes_time) overhead(call);
}

// All members of the old communicator take part; the members of the new one are not known.
void MpiActions::manage(const Call& call) {
  const std::string name = name_of_mpi_call(call.own.call);
  if (name == "MPI_Finalize") return tasks_->ends(call.rank);
  // Processes wait here for each other, or for those that they start, on any network.
  if (name == "MPI_Init" || name == "MPI_Init_thread" || name.starts_with("MPI_Comm_spawn"))
    return tasks_->add(call.rank, {.kind = ActionKind::idle, .function = call.function});
  if (is_immediate(call.own) || name == "MPI_Comm_create_group" || name == "MPI_Intercomm_create")
    return overhead(call);
  const auto* const members = communicators_.find(call.own.communicator);
  if (members == nullptr || members->group.empty() || !members->other_group.empty()) return overhead(call);
  tasks_->add(call.rank, {.kind = ActionKind::group,
                          .operation = GroupOperation::barrier,
                          .function = call.function,
                          .group = group_of(call.own.communicator)});
}

void MpiActions::finish() {
  for (const auto& [communicator, group] : groups_) {
    const auto* const members = communicators_.find(communicator);
    if (members != nullptr && !members->group.empty() && group < max_groups)
      tasks_->builder().group(group, members->group);
    else if (group < max_groups)
      tasks_->builder().group(group, {0});  // for messages only: its members do not matter
  }
  for (const auto& [rank, of] : ranks_) {
    for (const Request& request : of.open) {
      if (!request.is_known && request.receive)
        tasks_->builder().action(rank, *request.receive) = Action{.kind = ActionKind::overhead};
    }
  }
  const auto note = [this](std::uint64_t count, const char* text) {
    if (count > 0) tasks_->note(fmt::format("{} {}", count, text));
  };
  note(unknown_partners_, "messages are left out, because their partner is unknown");
  note(likely_completions_,
       "requests are assumed to complete in the order in which they began, because the records of "
       "a call list only some of them");
  note(unknown_groups_,
       "collective operations count as work of the library, because their members are unknown, or because "
       "they are operations of neighbours or intercommunicators");
}

}  // namespace eventspace::whatif

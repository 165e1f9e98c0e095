#include "monitors/export/reading/mpi_ends.h"

#include <algorithm>
#include <limits>

#include "collectors/mpi/mpi_calls.h"
#include "collectors/mpi/mpi_requests.h"

namespace eventspace::exports {
namespace {

constexpr std::uint64_t no_order = std::numeric_limits<std::uint64_t>::max();

bool is_message(const MpiCallRecord& call) {
  return call.partner != MpiCallRecord::none && call.error == 0 && !call.has(MpiWildcards::null_process);
}

bool is_wild(const MpiCallRecord& call) {
  return call.has(MpiWildcards::any_source) || call.has(MpiWildcards::any_tag);
}

bool receives(const MpiCallRecord& call) {
  return call.of == MpiClass::receive || call.request_of == MpiClass::receive;
}

// Other calls of its class only make or cancel a request.
bool starts_requests(std::uint16_t call) {
  const auto calls = mpi_calls();
  const std::size_t index = call % large_counts;
  if (index == 0 || index > calls.size()) return false;
  return calls[index - 1].name == "MPI_Start" || calls[index - 1].name == "MPI_Startall";
}

}  // namespace

std::optional<MessageNumbers::Route> MpiEnds::route(const MpiCallRecord& message, std::uint32_t own,
                                                    bool receives) {
  const auto partner = communicators_.partner(message.communicator, own, message.partner);
  if (!partner) return std::nullopt;
  return receives ? MessageNumbers::Route{*partner, own, message.communicator, message.tag}
                  : MessageNumbers::Route{own, *partner, message.communicator, message.tag};
}

void MpiEnds::send(const MpiCallRecord& message, const Out& out) {
  if (!is_message(message)) return;
  out.messages->push_back({false, message.partner, message.communicator, message.tag, message.bytes});
  const auto on = route(message, out.call->rank, false);
  if (!on) {
    ++unknown_;
    return;
  }
  auto end = numbers_.send(*on);
  if (!end) return;
  end->request = message.request;
  out.ends->push_back(*end);
}

void MpiEnds::receive(const MpiCallRecord& message, bool is_certain, const Out& out) {
  if (!is_message(message)) return;
  out.messages->push_back({true, message.partner, message.communicator, message.tag, message.bytes});
  const auto on = route(message, out.call->rank, true);
  if (!on) {
    ++unknown_;
    return;
  }
  auto end = numbers_.receive(*on, out.call->end_ns);
  if (!end) return;
  end->certain = end->certain && is_certain;
  end->request = message.request;
  out.ends->push_back(*end);
}

bool MpiEnds::waits_for_wild(const Process& process, std::uint32_t communicator, std::uint64_t before) const {
  return std::ranges::any_of(process.posted, [&](const auto& entry) {
    const Posted& posted = entry.second;
    return posted.is_wild && posted.communicator == communicator && posted.order < before;
  });
}

void MpiEnds::post(const MpiCallRecord& call, const Out& out) {
  if (call.error != 0 || call.has(MpiWildcards::null_process) || posted_ >= max_posted) return;
  Process& process = processes_[out.call->process];
  Posted posted{process.next_order++, call.communicator, is_wild(call)};
  if (!posted.is_wild && is_message(call) && !waits_for_wild(process, call.communicator, no_order)) {
    if (const auto on = route(call, out.call->rank, true))
      posted.end = numbers_.receive(*on, out.call->end_ns);
  }
  if (process.posted.insert_or_assign(call.request, posted).second) ++posted_;
}

void MpiEnds::complete_one(const MpiCallRecord& message, const Out& out) {
  Process& process = processes_[out.call->process];
  const auto known = process.posted.find(message.request);
  if (known == process.posted.end()) return receive(message, false, out);
  const Posted posted = known->second;
  process.posted.erase(known);
  --posted_;
  if (!posted.end) return receive(message, !waits_for_wild(process, posted.communicator, posted.order), out);
  if (!is_message(message)) return;
  out.messages->push_back({true, message.partner, message.communicator, message.tag, message.bytes});
  out.ends->push_back(*posted.end);
  out.ends->back().request = message.request;
}

// Sorts the receives of one call in the order in which they were posted.
void MpiEnds::complete(std::vector<MpiCallRecord> completed, const Out& out) {
  const Process& process = processes_[out.call->process];
  const auto order = [&process](const MpiCallRecord& call) {
    const auto known = process.posted.find(call.request);
    return known == process.posted.end() ? no_order : known->second.order;
  };
  std::ranges::stable_sort(completed, {}, order);
  for (const MpiCallRecord& message : completed) complete_one(message, out);
}

// The requests of several operations started at once are not known, so their receives are numbered when they
// are completed.
void MpiEnds::start(const Out& out) {
  for (const MpiCallRecord& started : mpi_requests_of(out.call->records).awaited) {
    if (started.of == MpiClass::send) send(started, out);
    if (started.of == MpiClass::receive && started.request != 0) post(started, out);
  }
}

void MpiEnds::read(const Call& call, std::vector<MessageEnd>& ends, std::vector<MpiMessage>& messages) {
  const MpiCallRecord own = mpi_call_of(call.records.back());
  const Out out{&call, &ends, &messages};
  if (own.of == MpiClass::send) send(own, out);
  if (own.of == MpiClass::start && starts_requests(own.call)) start(out);
  if (own.of == MpiClass::receive && own.request != 0) post(own, out);
  if (call.in_flight) return;
  const bool is_blocking = own.of == MpiClass::receive && own.request == 0;
  if (is_blocking) receive(own, !waits_for_wild(processes_[call.process], own.communicator, no_order), out);
  if (own.of != MpiClass::complete && own.of != MpiClass::send) return;
  std::vector<MpiCallRecord> completed;
  const bool is_exchange = own.of == MpiClass::send;
  for (const MpiCallRecord& one : mpi_requests_of(call.records).completed) {
    if (is_exchange && one.of == MpiClass::receive) receive(one, true, out);
    if (!is_exchange && receives(one)) completed.push_back(one);
  }
  if (own.of == MpiClass::complete && own.request_of == MpiClass::receive &&
      std::ranges::none_of(completed, [&](const MpiCallRecord& one) { return one.request == own.request; }))
    completed.push_back(own);
  complete(std::move(completed), out);
}

}  // namespace eventspace::exports

#include "scopes/metrics/records/moved_messages.h"

#include "collectors/mpi/mpi_calls.h"
#include "collectors/mpi/mpi_requests.h"

namespace eventspace::metrics {
namespace {

/// Whether the call with this number makes a request, and so receives nothing itself.
bool makes_request(std::uint16_t call) {
  const auto calls = mpi_calls();
  const std::uint16_t number = call > large_counts ? static_cast<std::uint16_t>(call - large_counts) : call;
  return number >= 1 && number <= calls.size() && !calls[number - 1].request.empty();
}

void add(Received& received, const MpiCallRecord& message) {
  if (message.has(MpiWildcards::null_process)) return;
  received.messages.push_back({1, message.bytes, message.partner, message.communicator});
}

void add_completed(Received& received, std::span<const TraceTuple> event) {
  const MpiRequests requests = mpi_requests_of(event);
  for (const MpiCallRecord& completed : requests.completed)
    if (completed.of == MpiClass::receive) add(received, completed);
  if (requests.rest.messages > 0) received.messages.push_back({requests.rest.messages, requests.rest.bytes});
  received.unknown += requests.rest.unknown;
}

}  // namespace

Received received_by(std::span<const TraceTuple> event) {
  Received received;
  const MpiCallRecord call = mpi_call_of(event.back());
  switch (call.of) {
    case MpiClass::receive:
      if (call.error == 0 && !makes_request(call.call)) add(received, call);
      break;
    case MpiClass::send:  // a Sendrecv
    case MpiClass::complete:
      if (call.of == MpiClass::complete || event.size() > 1) add_completed(received, event);
      break;
    default:
      break;
  }
  return received;
}

std::uint64_t moved_bytes(std::span<const TraceTuple> event) {
  const MpiCallRecord call = mpi_call_of(event.back());
  const bool is_of_requests = call.of == MpiClass::receive || call.of == MpiClass::complete ||
                              call.of == MpiClass::start || call.of == MpiClass::probe ||
                              call.of == MpiClass::look;
  std::uint64_t bytes = is_of_requests ? 0 : call.bytes;
  for (const ReceivedMessages& each : received_by(event).messages) bytes += each.bytes;
  return bytes;
}

}  // namespace eventspace::metrics

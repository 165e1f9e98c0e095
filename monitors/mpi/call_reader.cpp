#include "monitors/mpi/call_reader.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "collectors/mpi/mpi_text.h"

namespace eventspace {
namespace {

using What = AwaitedPart::What;

// Functions of class `manage` that all members of the communicator call together, by the prefixes of their
// names.
bool is_collective_management(std::string_view name) {
  static constexpr std::array<std::string_view, 13> beginnings{
      "MPI_Finalize",   "MPI_Comm_dup",     "MPI_Comm_split", "MPI_Comm_create",  "MPI_Comm_disconnect",
      "MPI_Comm_spawn", "MPI_Cart_create",  "MPI_Cart_sub",   "MPI_Graph_create", "MPI_Dist_graph_create",
      "MPI_Win_create", "MPI_Win_allocate", "MPI_Win_free"};
  if (name == "MPI_Comm_create_group") return false;  // only the members of the group
  return std::ranges::any_of(beginnings, [&](std::string_view word) { return name.starts_with(word); });
}

// Whether the call may wait for processes outside the job, about which nothing is known.
bool may_cross(JobCall& read, const MpiCallRecord& call) {
  read.crosses |= call.communicator == MpiCallRecord::other_communicator;
  return call.communicator == MpiCallRecord::other_communicator;
}

bool needs_any(std::string_view name) {
  return name.starts_with("MPI_Waitany") || name.starts_with("MPI_Waitsome");
}

}  // namespace

bool is_immediate(const MpiCallRecord& call) {
  const std::string name = name_of_mpi_call(call.call);
  switch (call.of) {
    case MpiClass::send:
      return name.starts_with("MPI_I") || name.starts_with("MPI_Bsend");
    case MpiClass::receive:
    case MpiClass::probe:
    case MpiClass::collective:
      return name.starts_with("MPI_I");
    case MpiClass::complete:
      return !name.starts_with("MPI_Wait");
    case MpiClass::manage:
      return !is_collective_management(name);
    case MpiClass::start:
    case MpiClass::look:
      return true;
    case MpiClass::input:
    case MpiClass::output:
      return name.starts_with("MPI_File_i");
    case MpiClass::file:
      return false;
    case MpiClass::window:
      return name == "MPI_Win_post" || name == "MPI_Win_test";
  }
  return true;
}

bool begins_mpi(std::uint16_t function) { return name_of_mpi_call(function).starts_with("MPI_Init"); }

std::uint16_t counted_as(std::uint16_t function) {
  constexpr std::uint16_t init = 1;  // the first of mpi_calls()
  return begins_mpi(function) ? init : function;
}

JobCall CallReader::read(std::uint32_t rank, std::span<const TraceTuple> event) const {
  const MpiCallRecord call = mpi_call_of(event.back());
  JobCall read;
  read.function = call.call;
  read.of = call.of;
  read.communicator = call.communicator;
  read.ordinal = call.ordinal;
  read.bytes = call.bytes;
  read.site = call.site;
  read.is_exclusive = call.of == MpiClass::window && call.tag == 1;
  if (call.of == MpiClass::collective && call.partner != MpiCallRecord::none) read.root = call.partner;
  // MPI_Init waits for all ranks. Its duration does not predict later calls.
  if (is_immediate(call) && !begins_mpi(call.call)) return read;
  add_own_parts(read, rank, call);
  add_requests(read, rank, event);
  if (read.crosses && read.needs_any) read.awaits.clear();  // an unknown partner may be enough
  return read;
}

void CallReader::add_own_parts(JobCall& read, std::uint32_t rank, const MpiCallRecord& call) const {
  if (may_cross(read, call)) return;
  switch (call.of) {
    case MpiClass::send:
      return add_message(read, rank, What::send, call);
    case MpiClass::receive:
    case MpiClass::probe:
      return add_message(read, rank, What::receive, call);
    case MpiClass::collective:
      read.awaits.push_back({.what = What::collective,
                             .communicator = call.communicator,
                             .operation = {call.communicator, 0, call.ordinal}});
      return;
    case MpiClass::manage:
      read.awaits.push_back({.what = What::collective,
                             .communicator = call.communicator,
                             .operation = {call.communicator, counted_as(call.call), 0}});
      return;
    case MpiClass::window:
      if (const auto target = partner_of(rank, call))
        read.awaits.push_back({.what = What::window, .communicator = call.communicator, .partner = target});
      return;
    case MpiClass::complete:
    case MpiClass::start:
    case MpiClass::look:
    case MpiClass::input:
    case MpiClass::output:
    case MpiClass::file:
      return;
  }
}

// A Sendrecv waits for the message that it receives. A Waitany with requests that are not listed may return
// for any of those, so its needs are unknown.
void CallReader::add_requests(JobCall& read, std::uint32_t rank, std::span<const TraceTuple> event) const {
  if (read.of != MpiClass::complete && read.of != MpiClass::send && read.of != MpiClass::window) return;
  const MpiRequests requests = mpi_requests_of(event);
  read.needs_any = read.of == MpiClass::complete && needs_any(name_of_mpi_call(read.function));
  if (read.needs_any && requests.in_all > requests.awaited.size()) return;
  for (const MpiCallRecord& request : requests.awaited) add_request(read, rank, request);
}

void CallReader::add_request(JobCall& read, std::uint32_t rank, const MpiCallRecord& request) const {
  if (request.of == MpiClass::collective && !may_cross(read, request)) {
    read.awaits.push_back({.what = What::collective,
                           .communicator = request.communicator,
                           .operation = {request.communicator, 0, request.ordinal}});
  } else if (request.of == MpiClass::window) {
    if (const auto partner = partner_of(rank, request))
      read.awaits.push_back({.what = What::window, .communicator = read.communicator, .partner = partner});
  } else if (request.of == MpiClass::send || request.of == MpiClass::receive) {
    add_message(read, rank, request.of == MpiClass::send ? What::send : What::receive, request);
  }
}

// Except after a Testall, the program may continue when any of the polled messages or requests is found.
std::optional<JobCall> CallReader::read_poll(std::uint32_t rank, std::span<const TraceTuple> event) const {
  const MpiCallRecord record = mpi_call_of(event.back());
  if (record.of != MpiClass::look) return std::nullopt;
  JobCall poll;
  poll.function = record.call;
  poll.of = record.of;
  poll.site = record.site;
  poll.is_poll = true;
  const MpiRequests requests = mpi_requests_of(event);
  for (const MpiCallRecord& request : requests.awaited) add_request(poll, rank, request);
  const bool is_known = requests.in_all == requests.awaited.size() && poll.awaits.size() == requests.in_all;
  if (!is_known) poll.awaits.clear();
  if (!poll.awaits.empty()) poll.communicator = poll.awaits.front().communicator;
  const bool needs_all =
      record.has(MpiPolling::one_place) && name_of_mpi_call(record.call).starts_with("MPI_Testall");
  poll.needs_any = poll.awaits.size() > 1 && !needs_all;
  return poll;
}

WindowCall CallReader::read_epoch(std::uint32_t rank, std::span<const TraceTuple> event) const {
  const MpiCallRecord record = mpi_call_of(event.back());
  WindowCall call{.sort = window_sort(name_of_mpi_call(record.call)),
                  .window = record.communicator,
                  .target = partner_of(rank, record),
                  .is_exclusive = record.tag == 1};
  const MpiRequests requests = mpi_requests_of(event);
  for (const MpiCallRecord& member : requests.awaited)
    if (const auto partner = partner_of(rank, member)) call.group.add(*partner);
  call.is_whole_group = requests.in_all <= requests.awaited.size();
  return call;
}

std::optional<std::uint32_t> CallReader::partner_of(std::uint32_t rank, const MpiCallRecord& call) const {
  if (call.partner == MpiCallRecord::none) return std::nullopt;
  return communicators_->partner(call.communicator, rank, call.partner);
}

void CallReader::add_message(JobCall& read, std::uint32_t rank, What what, const MpiCallRecord& call) const {
  if (call.has(MpiWildcards::null_process) || may_cross(read, call)) return;
  const bool is_from_any = call.has(MpiWildcards::any_source);
  const auto partner = partner_of(rank, call);
  if (!partner && !is_from_any) return;  // the partner is unknown
  read.awaits.push_back({.what = what,
                         .communicator = call.communicator,
                         .partner = is_from_any ? std::nullopt : partner,
                         .tag = call.tag == MpiCallRecord::none ? std::nullopt : std::optional(call.tag),
                         .bytes = call.bytes});
}

}  // namespace eventspace

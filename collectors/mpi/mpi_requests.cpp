#include "collectors/mpi/mpi_requests.h"

#include <algorithm>

namespace eventspace {
namespace {

constexpr std::uint32_t no_partner = 0xff'ffff;  // of 24 bits

std::uint64_t head_of(const MpiCallRecord& awaited) noexcept {
  const std::uint32_t partner =
      awaited.of == MpiClass::collective ? awaited.call : std::min(awaited.partner, no_partner);
  return partner | static_cast<std::uint64_t>(awaited.of) << 24 |
         static_cast<std::uint64_t>(awaited.wildcards & 0xf) << 28;
}

std::uint64_t rest_of(const MpiCallRecord& awaited) noexcept {
  const std::uint32_t tag = awaited.of == MpiClass::collective ? awaited.ordinal : awaited.tag;
  return tag | static_cast<std::uint64_t>(awaited.communicator) << 32;
}

void read_awaited(std::uint32_t head, std::uint64_t rest, std::vector<MpiCallRecord>& all) {
  MpiCallRecord awaited;
  awaited.of = static_cast<MpiClass>((head >> 24) & 0xf);
  awaited.wildcards = static_cast<std::uint8_t>(head >> 28);
  awaited.communicator = static_cast<std::uint32_t>(rest >> 32);
  const std::uint32_t partner = head & no_partner;
  switch (awaited.of) {
    case MpiClass::collective:
      awaited.call = static_cast<std::uint16_t>(partner);
      awaited.ordinal = static_cast<std::uint32_t>(rest);
      break;
    case MpiClass::send:
    case MpiClass::receive:
    case MpiClass::window:
      awaited.partner = partner == no_partner ? MpiCallRecord::none : partner;
      awaited.tag = static_cast<std::uint32_t>(rest);
      break;
    default:
      return;
  }
  all.push_back(awaited);
}

// The only request of a call, from the call's own record.
MpiCallRecord only_request(const MpiCallRecord& call) {
  MpiCallRecord request = call;
  request.of = *call.request_of;
  request.call = 0;
  request.site = 0;
  request.error = 0;
  request.requests = 0;
  request.request_of.reset();
  return request;
}

void read_own(const TraceTuple& record, MpiRequests& requests) {
  const MpiCallRecord call = mpi_call_of(record);
  if (!call.is_whole() || !call.request_of || call.requests == 0) return;
  if (requests.awaited.empty()) {
    requests.in_all = std::max(call.requests, 1U);
    requests.awaited.push_back(only_request(call));
  }
  if (!header_of(record).in_flight() && call.of == MpiClass::complete)
    requests.completed.push_back(only_request(call));
}

}  // namespace

MpiAwaitedPair awaited_pair(std::uint32_t in_all, const MpiCallRecord& first,
                            const MpiCallRecord* second) noexcept {
  MpiAwaitedPair pair;
  pair.word3 = static_cast<std::uint64_t>(MpiClass::complete) << 12 | static_cast<std::uint64_t>(in_all)
                                                                          << 32;
  pair.word5 = head_of(first);
  pair.word6 = rest_of(first);
  if (second != nullptr) {
    pair.word5 |= head_of(*second) << 32;
    pair.word7 = rest_of(*second);
  }
  return pair;
}

MpiCallRecord record_of(const MpiRequests::Rest& rest) noexcept {
  MpiCallRecord record;
  record.of = MpiClass::receive;
  record.request_of = MpiClass::receive;
  record.bytes = rest.bytes;
  record.partner = rest.messages;
  record.tag = rest.unknown;
  return record;
}

bool is_rest(const MpiCallRecord& completed) noexcept { return completed.request_of.has_value(); }

MpiRequests mpi_requests_of(std::span<const TraceTuple> event) {
  MpiRequests requests;
  for (const TraceTuple& record : event) {
    const RecordHeader header = header_of(record);
    if (header.kind != mpi_kind) continue;
    if (header.part >= mpi_parts::lowest_awaited) {
      requests.in_all = static_cast<std::uint32_t>(record.words[3] >> 32);
      read_awaited(static_cast<std::uint32_t>(record.words[5]), record.words[6], requests.awaited);
      read_awaited(static_cast<std::uint32_t>(record.words[5] >> 32), record.words[7], requests.awaited);
    } else if (header.is_continuation()) {
      const MpiCallRecord completed = mpi_call_of(record);
      if (is_rest(completed))
        requests.rest = {completed.partner, completed.bytes, completed.tag};
      else
        requests.completed.push_back(completed);
    } else {
      read_own(record, requests);
    }
  }
  requests.in_all = std::max(requests.in_all, static_cast<std::uint32_t>(requests.awaited.size()));
  return requests;
}

}  // namespace eventspace

#include "monitors/mpi/message_parts.h"

namespace eventspace {
namespace {

using Late = MessageWaits::Late;

Late late_of(MpiClass of) noexcept {
  if (of == MpiClass::send) return Late::receiver;
  return of == MpiClass::receive || of == MpiClass::probe ? Late::sender : Late::unknown;
}

}  // namespace

std::optional<MessageCall> message_call(const CallReader& reader, std::uint32_t rank,
                                        std::span<const TraceTuple> event) {
  const MpiCallRecord call = mpi_call_of(event.back());
  if (!call.is_whole() || is_immediate(call)) return std::nullopt;
  MessageCall made{.pair = {.waiting = rank}};
  if (late_of(call.of) != Late::unknown) {
    if (call.has(MpiWildcards::null_process)) return std::nullopt;
    made.pair = {rank, reader.partner_of(rank, call), late_of(call.of)};
    made.bytes = call.bytes;
  } else if (call.of != MpiClass::complete) {
    return std::nullopt;
  }
  if (call.of != MpiClass::complete && call.of != MpiClass::send) return made;
  bool is_first = call.of == MpiClass::complete;
  for (const MpiCallRecord& part : mpi_requests_of(event).completed) {
    const MessageWaits::Pair of{rank, reader.partner_of(rank, part), late_of(part.of)};
    if (is_first) {
      made.pair = of;
    } else if (of != made.pair) {
      made.pair = {.waiting = rank};
    }
    is_first = false;
    made.bytes += part.bytes;
  }
  return made;
}

}  // namespace eventspace

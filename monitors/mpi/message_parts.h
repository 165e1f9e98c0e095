#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "monitors/mpi/call_reader.h"
#include "monitors/mpi/message_waits.h"

namespace eventspace {

/// The rank for which an ended call with messages waited, and the bytes of all messages that it completed;
/// nullopt if the call is of another class or does not wait. For a call that has completed messages with
/// several partners, the awaited partner is not known.
struct MessageCall {
  MessageWaits::Pair pair;
  std::uint64_t bytes{0};
};
std::optional<MessageCall> message_call(const CallReader& reader, std::uint32_t rank,
                                        std::span<const TraceTuple> event);

}  // namespace eventspace

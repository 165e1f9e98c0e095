#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "collectors/event_record.h"
#include "collectors/record_header.h"

namespace eventspace {

/// The kind of the records of calls of MPI (RecordHeader::kind). The words that record_header.h leaves to the
/// kind; words 5 to 7 are there while the call is in flight, too (TraceWriter::begin_wide):
///
///     word 3   class (bits 12 to 15: MpiClass), MpiWildcards (28 to 31), number of the function in
///              mpi_calls.h (32 to 47)
///     word 5   bytes (0 to 55), class of the error that the call returned, or 0 (56 to 63)
///     word 6   partner (0 to 31), tag (32 to 63)
///     word 7   communicator (0 to 31), number of the collective operation on it, from 1, or 0 (32 to 63)
///
/// The communicator is a number that is the same in all processes of the communicator.
inline constexpr std::uint8_t mpi_kind = 3;

enum class MpiClass : std::uint8_t {
  send = 1,
  receive = 2,
  complete = 3,    ///< waits for, or tests, operations that were started before
  collective = 4,  ///< of all processes of a communicator
  probe = 5,
  manage = 6,  ///< of MPI itself, and of communicators
  start = 7    ///< prepares or starts persistent operations
};
inline constexpr std::size_t mpi_classes = 8;
/// A word for it, as `eventspace switch` and expressions use it; empty for 0.
std::string_view to_string(MpiClass of) noexcept;

/// What the call says instead of a partner or a tag.
enum class MpiWildcards : std::uint8_t { any_source = 1, any_tag = 2, null_process = 4 };

/// What is known of a call when it begins or ends.
struct MpiCallRecord {
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::uint32_t no_communicator = 1;
  /// One whose identity is not known, because it was made by a call that is not recorded.
  static constexpr std::uint32_t other_communicator = 2;
  static constexpr std::uint32_t first_communicator = 3;
  static constexpr std::uint64_t most_bytes = (std::uint64_t{1} << 56) - 1;

  std::uint16_t call{0};  ///< its number in mpi_calls.h
  MpiClass of{MpiClass::manage};
  std::uint8_t wildcards{0};
  std::uint8_t error{0};  ///< the class of the error; 0: none, or not known yet
  std::uint64_t bytes{0};
  std::uint32_t partner{none};  ///< rank in the communicator: destination, source or root
  std::uint32_t tag{none};
  std::uint32_t communicator{no_communicator};
  std::uint32_t ordinal{0};  ///< of a collective operation

  [[nodiscard]] constexpr bool has(MpiWildcards which) const noexcept {
    return (wildcards & static_cast<std::uint8_t>(which)) != 0;
  }
  /// Whether words 5 to 7 were there: they lack in a call that is just ending.
  [[nodiscard]] constexpr bool is_whole() const noexcept { return communicator != 0; }

  [[nodiscard]] constexpr std::uint64_t word3(std::uint16_t point) const noexcept {
    return record_words::kind(mpi_kind, point) | static_cast<std::uint64_t>(of) << 12 |
           static_cast<std::uint64_t>(wildcards & 0xf) << 28 | static_cast<std::uint64_t>(call) << 32;
  }
  [[nodiscard]] constexpr std::uint64_t word5() const noexcept {
    return (bytes < most_bytes ? bytes : most_bytes) | static_cast<std::uint64_t>(error) << 56;
  }
  [[nodiscard]] constexpr std::uint64_t word6() const noexcept {
    return partner | static_cast<std::uint64_t>(tag) << 32;
  }
  [[nodiscard]] constexpr std::uint64_t word7() const noexcept {
    return communicator | static_cast<std::uint64_t>(ordinal) << 32;
  }
  friend bool operator==(const MpiCallRecord&, const MpiCallRecord&) = default;
};

/// The call that a record of this kind, decoded as an EventRecord, holds; without its bytes and its error,
/// of which an EventRecord in flight does not keep all bits.
constexpr MpiCallRecord mpi_call_of(const EventRecord& record) noexcept {
  MpiCallRecord call;
  call.call = static_cast<std::uint16_t>(record.peer);
  call.of = static_cast<MpiClass>(record.verb);
  call.wildcards = static_cast<std::uint8_t>(record.from);
  call.partner = static_cast<std::uint32_t>(record.parameter);
  call.tag = static_cast<std::uint32_t>(record.parameter >> 32);
  call.communicator = static_cast<std::uint32_t>(record.virtual_time);
  call.ordinal = static_cast<std::uint32_t>(record.virtual_time >> 32);
  return call;
}

}  // namespace eventspace

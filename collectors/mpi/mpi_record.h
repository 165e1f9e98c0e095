#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "collectors/event_record.h"
#include "collectors/record_header.h"

namespace eventspace {

/// The kind of the records of calls of MPI (RecordHeader::kind). The words that record_header.h leaves to the
/// kind; words 5 to 7 are also present while the call is in flight (TraceWriter::begin_wide):
///
///     word 3   class (bits 12 to 15: MpiClass), MpiWildcards (28 to 31), number of the function in
///              mpi_calls.h (32 to 47), number of the call's place in the program, or 0 (48 to 63)
///     word 5   bytes (0 to 43), or of class `look` how many calls the record stands for (0 to 31) and
///              MpiPolling (40 to 43); class of the
///              request that the call completes or starts, or 0 (44 to 47), how many requests it has, at most
///              255 (48 to 55), class of the error that the call returned, or 0 (56 to 63)
///     word 6   partner (0 to 31), tag (32 to 63)
///     word 7   communicator (0 to 31); of a collective operation, its number on the communicator, from 1;
///              of class `look`, milliseconds since the series began;
///              else number of the request in the process, or 0 (32 to 63)
///
/// The number of a communicator is the same in all its processes. Words 5 to 7 of a call that completes or
/// starts requests describe the first known request for which it waits. After the end, they describe the
/// first completed request; the request's class is 0 if none was completed. If a call has several requests or
/// messages, they are in continuation records (mpi_requests.h).
///
/// A record of class `look` represents consecutive calls that found nothing (mpi_looks.h). Its start is the
/// start of the first call, and its duration is their total. For tests, it has neither the requests nor their
/// number. But in a long series, the last of the records that are made together has continuation records
/// (mpi_requests.h) with the objects polled at all places.
inline constexpr std::uint8_t mpi_kind = 3;

enum class MpiClass : std::uint8_t {
  send = 1,
  receive = 2,
  complete = 3,    ///< waits for, or tests, operations started before
  collective = 4,  ///< by all processes of a communicator
  probe = 5,
  manage = 6,   ///< of MPI itself, and of communicators
  start = 7,    ///< prepares or starts persistent operations
  look = 8,     ///< repeated tests and probes that found nothing
  input = 9,    ///< reads from a file
  output = 10,  ///< writes to a file
  file = 11,    ///< opens, closes or flushes a file, or ends a read or write that another call began
  window = 12   ///< begins or ends an epoch of one-sided communication, or completes what was done in one
};
inline constexpr std::size_t mpi_classes = 13;
/// The name of the class in `eventspace switch` and expressions; empty for 0.
std::string_view to_string(MpiClass of) noexcept;

/// Special values of a call's partner or tag.
enum class MpiWildcards : std::uint8_t { any_source = 1, any_tag = 2, null_process = 4 };

/// How a thread polls, in a record of class `look`.
enum class MpiPolling : std::uint8_t {
  always = 1,    ///< polled most of the time, with a microsecond per call for the time between calls
  one_place = 2  ///< all unsuccessful calls had the same function and place
};

/// The known facts of a call when it begins or ends.
struct MpiCallRecord {
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::uint32_t no_communicator = 1;
  /// A communicator of unknown identity, made by a call that is not recorded.
  static constexpr std::uint32_t other_communicator = 2;
  static constexpr std::uint32_t first_communicator = 3;
  static constexpr std::uint64_t max_bytes = (std::uint64_t{1} << 44) - 1;
  static constexpr std::uint32_t max_requests = 255;

  std::uint16_t call{0};  ///< its number in mpi_calls.h
  MpiClass of{MpiClass::manage};
  std::uint8_t wildcards{0};
  std::uint8_t error{0};  ///< the class of the error; 0 means none, or not known yet
  std::uint16_t site{0};  ///< process-local number of its place in the program; 0 means unknown
  /// For a call that completes or starts requests: send, receive or collective, if the first request is
  /// known.
  std::optional<MpiClass> request_of{};
  std::uint32_t requests{0};  ///< number of requests of the call; `max_requests` means that or more
  std::uint64_t bytes{0};
  std::uint32_t partner{none};  ///< rank in the communicator: destination, source or root
  std::uint32_t tag{none};
  std::uint32_t communicator{no_communicator};
  std::uint32_t ordinal{0};  ///< for a collective operation: its number on its communicator
  std::uint32_t calls{1};    ///< calls that the record represents; more than one only for MpiClass::look
  /// Process-local number of the request that a call makes or completes.
  std::uint32_t request{0};
  // Only for MpiClass::look:
  std::uint8_t polling{0};    ///< MpiPolling
  std::uint32_t since_ms{0};  ///< from the start of the first call of the series to that of this record

  [[nodiscard]] constexpr bool has(MpiPolling which) const noexcept {
    return (polling & static_cast<std::uint8_t>(which)) != 0;
  }
  [[nodiscard]] constexpr bool has(MpiWildcards which) const noexcept {
    return (wildcards & static_cast<std::uint8_t>(which)) != 0;
  }
  /// Whether words 5 to 7 were present: they are missing in a call that is just ending.
  [[nodiscard]] constexpr bool is_whole() const noexcept { return communicator != 0; }

  /// Copies the request that `made_by` created: this call completes or starts it.
  constexpr void take_request(const MpiCallRecord& made_by) noexcept {
    request_of = made_by.of;
    wildcards = made_by.wildcards;
    bytes = made_by.bytes;
    partner = made_by.partner;
    tag = made_by.tag;
    communicator = made_by.communicator;
    request = made_by.request;
  }

  [[nodiscard]] constexpr std::uint64_t word3(std::uint16_t point) const noexcept {
    return record_words::kind(mpi_kind, point) | static_cast<std::uint64_t>(of) << 12 |
           static_cast<std::uint64_t>(wildcards & 0xf) << 28 | static_cast<std::uint64_t>(call) << 32 |
           static_cast<std::uint64_t>(site) << 48;
  }
  [[nodiscard]] constexpr std::uint64_t word5() const noexcept {
    return (of == MpiClass::look ? calls | static_cast<std::uint64_t>(polling & 0xf) << 40
            : bytes < max_bytes  ? bytes
                                 : max_bytes) |
           static_cast<std::uint64_t>(request_of ? static_cast<std::uint8_t>(*request_of) : 0) << 44 |
           static_cast<std::uint64_t>(requests < max_requests ? requests : max_requests) << 48 |
           static_cast<std::uint64_t>(error) << 56;
  }
  [[nodiscard]] constexpr std::uint64_t word6() const noexcept {
    return partner | static_cast<std::uint64_t>(tag) << 32;
  }
  [[nodiscard]] constexpr std::uint64_t word7() const noexcept {
    return communicator | static_cast<std::uint64_t>(of == MpiClass::collective ? ordinal
                                                     : of == MpiClass::look     ? since_ms
                                                                                : request)
                              << 32;
  }
  friend bool operator==(const MpiCallRecord&, const MpiCallRecord&) = default;
};

/// The call that a record of this kind holds.
constexpr MpiCallRecord mpi_call_of(const TraceTuple& record) noexcept {
  const auto& w = record.words;
  MpiCallRecord call;
  call.of = static_cast<MpiClass>((w[3] >> 12) & 0xf);
  call.wildcards = static_cast<std::uint8_t>((w[3] >> 28) & 0xf);
  call.call = static_cast<std::uint16_t>(w[3] >> 32);
  call.site = static_cast<std::uint16_t>(w[3] >> 48);
  if (call.of == MpiClass::look) {
    call.calls = static_cast<std::uint32_t>(w[5]);
    call.polling = static_cast<std::uint8_t>((w[5] >> 40) & 0xf);
  } else {
    call.bytes = w[5] & MpiCallRecord::max_bytes;
  }
  if (const auto of = (w[5] >> 44) & 0xf; of != 0) call.request_of = static_cast<MpiClass>(of);
  call.requests = static_cast<std::uint8_t>(w[5] >> 48);
  call.error = static_cast<std::uint8_t>(w[5] >> 56);
  call.partner = static_cast<std::uint32_t>(w[6]);
  call.tag = static_cast<std::uint32_t>(w[6] >> 32);
  call.communicator = static_cast<std::uint32_t>(w[7]);
  (call.of == MpiClass::collective ? call.ordinal
   : call.of == MpiClass::look     ? call.since_ms
                                   : call.request) = static_cast<std::uint32_t>(w[7] >> 32);
  return call;
}

/// Converts a record of this kind that was decoded as an EventRecord; the highest bits of `bytes` are lost
/// while it is in flight.
constexpr MpiCallRecord mpi_call_of(const EventRecord& record) noexcept {
  TraceTuple tuple = encode(record);
  tuple.words[5] &= ~(std::uint64_t{0xff} << 32);  // where other kinds have a status
  return mpi_call_of(tuple);
}

}  // namespace eventspace

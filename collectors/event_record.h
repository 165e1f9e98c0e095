#pragma once

#include <cstdint>
#include <limits>

#include <eventspace/operation.h>
#include "collectors/record_header.h"
#include "tuplespace/trace/trace_element.h"

namespace eventspace {

/// The kind of the records of operations on paths (RecordHeader::kind).
inline constexpr std::uint8_t operation_kind = 1;

inline constexpr std::uint32_t no_peer = std::numeric_limits<std::uint32_t>::max();

/// A virtual event: the record of one operation that happened. The numbers of thread, path and peer are the
/// plan's. A plain value; encode() and decode() convert it to and from a TraceTuple, its stored form. The
/// words that record_header.h leaves to the kind:
///
///     word 3   verb (bits 12 to 15), from (28 to 31), peer (32 to 63)
///     word 5   bytes (0 to 31), status (32 to 39), missed (40 to 63)
///     word 6   parameter
///     word 7   virtual time
///
/// A record of another kind can be decoded too: the members of RecordHeader are right, the others are not.
struct EventRecord : RecordHeader {
  constexpr EventRecord() noexcept { kind = operation_kind; }

  std::uint32_t peer{no_peer};  ///< the other thread that uses the element, if there is exactly one
  Verb verb{Verb::write};
  From from{From::oldest};
  Status status{Status::under_way};
  /// The encoded size of the tuple written, read, taken or received from an exchange, or of the records that
  /// a pull returned.
  std::uint32_t bytes{0};
  /// The number of tuples that a read found discarded, or of trace elements that a pull could not read; at
  /// most 2^24 - 1.
  std::uint32_t missed{0};
  std::uint64_t parameter{0};     ///< the sequence number of the tuple in its element, or the number of
                                  ///< the collective operation or of the pull
  std::uint64_t virtual_time{0};  ///< the application's progress, such as the step of its loop

  [[nodiscard]] bool is_operation() const noexcept { return kind == operation_kind; }
  friend bool operator==(const EventRecord&, const EventRecord&) = default;
};

namespace record_words {

constexpr std::uint64_t what(Verb verb, From from, std::uint16_t point, std::uint32_t peer) noexcept {
  return kind(operation_kind, point) | (static_cast<std::uint64_t>(verb) << 12) |
         (static_cast<std::uint64_t>(from) << 28) | (static_cast<std::uint64_t>(peer) << 32);
}
constexpr std::uint64_t outcome(std::uint32_t bytes, Status status, std::uint64_t missed) noexcept {
  constexpr std::uint64_t most = (1u << 24) - 1;
  return bytes | (static_cast<std::uint64_t>(status) << 32) | ((missed < most ? missed : most) << 40);
}

}  // namespace record_words

constexpr TraceTuple encode(const EventRecord& r) noexcept {
  TraceTuple tuple;
  tuple.words = {
      r.sequence,
      r.start,
      record_words::thread_path(r.thread, r.path),
      record_words::kind(r.kind, r.point, r.part) | (static_cast<std::uint64_t>(r.verb) & 0xf) << 12 |
          (static_cast<std::uint64_t>(r.from) & 0xf) << 28 | static_cast<std::uint64_t>(r.peer) << 32,
      r.end,
      record_words::outcome(r.bytes, r.status, r.missed),
      r.parameter,
      r.virtual_time};
  return tuple;
}

/// The status of a record in flight is Status::under_way, whatever its word 5 holds.
constexpr EventRecord decode(const TraceTuple& tuple) noexcept {
  const auto& w = tuple.words;
  EventRecord r;
  static_cast<RecordHeader&>(r) = header_of(tuple);
  r.peer = static_cast<std::uint32_t>(w[3] >> 32);
  r.verb = static_cast<Verb>((w[3] >> 12) & 0xf);
  r.from = static_cast<From>((w[3] >> 28) & 0xf);
  r.bytes = static_cast<std::uint32_t>(w[5]);
  r.status = r.in_flight() ? Status::under_way : static_cast<Status>((w[5] >> 32) & 0xff);
  r.missed = static_cast<std::uint32_t>(w[5] >> 40);
  r.parameter = w[6];
  r.virtual_time = w[7];
  return r;
}

}  // namespace eventspace

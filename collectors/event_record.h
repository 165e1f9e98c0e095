#pragma once

#include <cstdint>
#include <limits>

#include "tuplespace/operation.h"
#include "tuplespace/trace/trace_element.h"

namespace eventspace {

inline constexpr std::uint32_t no_peer = std::numeric_limits<std::uint32_t>::max();

/// A virtual event: the record of one operation that happened. Numbers of thread, path and peer are those of
/// the plan. A plain value; encode() and decode() convert it to and from a TraceTuple, its stored form
/// (version 1 of the record layout):
struct EventRecord {
  std::uint64_t sequence{0};  ///< in its trace element, from 1
  std::uint64_t start{0};     ///< ticks of the recording process's clock
  std::uint64_t end{0};       ///< ticks of the same clock; 0 while the operation is in flight
  std::uint32_t thread{0};
  std::uint32_t path{0};
  std::uint32_t peer{no_peer};  ///< the other thread that uses the element, if it is only one
  std::uint16_t point{0};       ///< the event collector on the path
  Verb verb{Verb::write};
  From from{From::oldest};
  Status status{Status::under_way};
  /// The encoded size of the tuple written, read, taken or received from an exchange; of the records that a
  /// pull returned.
  std::uint32_t bytes{0};
  /// The number of tuples that a read found discarded, or of trace elements that a pull could not read; at
  /// most 2^24 - 1.
  std::uint32_t missed{0};
  std::uint64_t parameter{0};     ///< the sequence number of the tuple in its element, or the number of
                                  ///< the collective operation or of the pull
  std::uint64_t virtual_time{0};  ///< the application's progress, such as the step of its loop

  [[nodiscard]] bool in_flight() const noexcept { return status == Status::under_way; }
  friend bool operator==(const EventRecord&, const EventRecord&) = default;
};

namespace record_words {

constexpr std::uint64_t thread_path(std::uint32_t thread, std::uint32_t path) noexcept {
  return thread | (static_cast<std::uint64_t>(path) << 32);
}
constexpr std::uint64_t what(Verb verb, From from, std::uint16_t point, std::uint32_t peer) noexcept {
  return static_cast<std::uint64_t>(verb) | (static_cast<std::uint64_t>(from) << 8) |
         (static_cast<std::uint64_t>(point) << 16) | (static_cast<std::uint64_t>(peer) << 32);
}
constexpr std::uint64_t outcome(std::uint32_t bytes, Status status, std::uint64_t missed) noexcept {
  constexpr std::uint64_t most = (1u << 24) - 1;
  return bytes | (static_cast<std::uint64_t>(status) << 32) | ((missed < most ? missed : most) << 40);
}

}  // namespace record_words

/// Word 5 of an operation in flight, of which a reader sees the start half only.
inline constexpr std::uint64_t under_way_outcome = record_words::outcome(0, Status::under_way, 0);

constexpr TraceTuple encode(const EventRecord& r) noexcept {
  TraceTuple tuple;
  tuple.words = {r.sequence,
                 r.start,
                 record_words::thread_path(r.thread, r.path),
                 record_words::what(r.verb, r.from, r.point, r.peer),
                 r.end,
                 record_words::outcome(r.bytes, r.status, r.missed),
                 r.parameter,
                 r.virtual_time};
  return tuple;
}

constexpr EventRecord decode(const TraceTuple& tuple) noexcept {
  const auto& w = tuple.words;
  EventRecord r;
  r.sequence = w[0];
  r.start = w[1];
  r.thread = static_cast<std::uint32_t>(w[2]);
  r.path = static_cast<std::uint32_t>(w[2] >> 32);
  r.verb = static_cast<Verb>(w[3] & 0xff);
  r.from = static_cast<From>((w[3] >> 8) & 0xff);
  r.point = static_cast<std::uint16_t>(w[3] >> 16);
  r.peer = static_cast<std::uint32_t>(w[3] >> 32);
  r.end = w[4];
  r.bytes = static_cast<std::uint32_t>(w[5]);
  r.status = static_cast<Status>((w[5] >> 32) & 0xff);
  r.missed = static_cast<std::uint32_t>(w[5] >> 40);
  r.parameter = w[6];
  r.virtual_time = w[7];
  return r;
}

}  // namespace eventspace

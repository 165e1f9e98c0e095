#pragma once

#include <cstdint>
#include <limits>

#include "tuplespace/operation.h"
#include "tuplespace/trace/trace_element.h"

namespace eventspace {

inline constexpr std::uint32_t no_peer = std::numeric_limits<std::uint32_t>::max();

/// What is known of one operation that happened: a virtual event. Numbers of thread, path and peer are
/// those of the plan. The stored form is a TraceTuple (version 1 of the record layout):
///
///     word 0  sequence                 word 4  end (ticks; 0 while in flight)
///     word 1  start (ticks)            word 5  bytes : 32 | status : 8 | missed : 24, low bits first
///     word 2  thread : 32 | path : 32  word 6  parameter
///     word 3  verb : 8 | from : 8 | point : 16 | peer : 32
///                                      word 7  virtual time
struct EventRecord {
  std::uint64_t sequence{0};  ///< in its trace element, from 1
  std::uint64_t start{0};     ///< ticks of the recording process's clock
  std::uint64_t end{0};       ///< the same; 0 while the operation is in flight
  std::uint32_t thread{0};
  std::uint32_t path{0};
  std::uint32_t peer{no_peer};  ///< the one other thread that uses the element
  std::uint16_t point{0};       ///< which event collector of the path
  Verb verb{Verb::write};
  From from{From::oldest};
  Status status{Status::under_way};
  /// Of the tuple written, read, taken or got by an exchange, encoded; of the records that a pull yielded.
  std::uint32_t bytes{0};
  /// Tuples that a read found discarded; trace elements that a pull could not read. Stops at 2^24 - 1.
  std::uint32_t missed{0};
  std::uint64_t parameter{0};     ///< the sequence number in the element that the operation touched; or the
                                  ///< number of the collective operation, or of the pull
  std::uint64_t virtual_time{0};  ///< what the application says it is at, such as the step of its loop

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

/// Word 5 of an operation in flight: a reader sees its start half only.
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

#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "tuplespace/trace/trace_element.h"

namespace eventspace {

/// The part of a record that is the same in every kind of event (version 2 of the record layout):
///
///     word 0   sequence number in its trace element, from 1
///     word 1   start, in ticks of the recording process's clock
///     word 2   thread (bits 0 to 31), path (32 to 63)
///     word 3   kind (0 to 7), part (8 to 11), point (16 to 27); the other bits belong to the kind
///     word 4   end, in ticks of the same clock; 0 while the event is in flight
///
/// Bits 12 to 15 of word 3 are the event's class, such as the verb of an operation. Kind and class decide
/// whether the event is recorded (tuplespace/trace/collect_switch.h).
///
/// `path` and `point` name the trace element that holds the record. A record in flight has words 0 to 3; in
/// some kinds also words 5 to 7 (TraceWriter::begin_wide).
///
/// An event whose values do not fit into one record has continuation records. They come directly before its
/// record, and repeat its words 1, 2 and 4 and its kind. `part` counts down: the record of an event has part
/// 0, and each preceding record has a higher part than its successor.
///
/// Some kinds have continuation records with data that is known when the event begins. They are published
/// before the event is in flight, so that a reader of the event in flight finds them as the newest finished
/// records of the trace element; their word 4 is the event's start (`is_of_beginning`). Otherwise, the newest
/// record of a trace element always completes an event.
struct RecordHeader {
  std::uint64_t sequence{0};
  std::uint64_t start{0};
  std::uint64_t end{0};
  std::uint32_t thread{0};
  std::uint32_t path{0};
  std::uint16_t point{0};  ///< less than 2^12
  std::uint8_t kind{0};
  std::uint8_t part{0};  ///< less than 2^4

  [[nodiscard]] constexpr bool in_flight() const noexcept { return end == 0; }
  [[nodiscard]] constexpr bool is_continuation() const noexcept { return part != 0; }
  /// Whether it is a continuation record that was written when its event began. (A continuation record
  /// written at the end may look the same if the clock has not advanced, but then its event's record is
  /// there.)
  [[nodiscard]] constexpr bool is_of_beginning() const noexcept { return is_continuation() && end == start; }
  friend bool operator==(const RecordHeader&, const RecordHeader&) = default;
};

/// The names of RecordHeader::point: the ends of a path, and the points after its first stages. Probes have
/// point 0.
inline constexpr std::array<std::string_view, 11> point_names{"thread",  "element", "after-1", "after-2",
                                                              "after-3", "after-4", "after-5", "after-6",
                                                              "after-7", "after-8", "after-9"};

/// The most continuation records of one event.
inline constexpr std::uint8_t max_continuations = 15;

namespace record_words {

constexpr std::uint64_t thread_path(std::uint32_t thread, std::uint32_t path) noexcept {
  return thread | (static_cast<std::uint64_t>(path) << 32);
}
/// The common bits of word 3.
constexpr std::uint64_t kind(std::uint8_t number, std::uint16_t point, std::uint8_t part = 0) noexcept {
  return number | (static_cast<std::uint64_t>(part & 0xf) << 8) |
         (static_cast<std::uint64_t>(point & 0xfff) << 16);
}

}  // namespace record_words

constexpr RecordHeader header_of(const TraceTuple& tuple) noexcept {
  const auto& w = tuple.words;
  RecordHeader header;
  header.sequence = w[0];
  header.start = w[1];
  header.end = w[4];
  header.thread = static_cast<std::uint32_t>(w[2]);
  header.path = static_cast<std::uint32_t>(w[2] >> 32);
  header.point = static_cast<std::uint16_t>((w[3] >> 16) & 0xfff);
  header.kind = static_cast<std::uint8_t>(w[3]);
  header.part = static_cast<std::uint8_t>((w[3] >> 8) & 0xf);
  return header;
}

}  // namespace eventspace

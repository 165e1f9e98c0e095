#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "tuplespace/trace/trace_element.h"

namespace eventspace::exports {

/// An entry of EventOrder: an event with its records, lost events, or a value. Its words are a head of four
/// words and, for an event, the records.
struct TimedItem {
  enum class What : std::uint8_t { event, lost, counter };
  static constexpr std::size_t head_words = 4;
  static constexpr std::size_t record_words = std::tuple_size_v<decltype(TraceTuple::words)>;

  What what{What::event};
  bool in_flight{false};
  bool of_thread{true};      ///< false for a value of the whole recording
  std::uint16_t counter{0};  ///< for a counter: its index
  std::uint32_t report{0};   ///< for an event: place of the report of its process
  std::uint32_t process{0};  ///< of the track
  std::uint32_t thread{0};
  std::uint64_t number{0};  ///< records that were lost; the counter's value
  std::int64_t time{0};     ///< for an event, the error; for lost events, their begin

  [[nodiscard]] std::array<std::uint64_t, head_words> head() const noexcept {
    return {static_cast<std::uint64_t>(what) | std::uint64_t{in_flight} << 8 | std::uint64_t{of_thread} << 9 |
                std::uint64_t{counter} << 16 | std::uint64_t{report} << 32,
            std::uint64_t{process} << 32 | thread, number, static_cast<std::uint64_t>(time)};
  }
  [[nodiscard]] static TimedItem of(std::span<const std::uint64_t> words) noexcept {
    TimedItem item;
    item.what = static_cast<What>(words[0] & 0xff);
    item.in_flight = (words[0] >> 8 & 1) != 0;
    item.of_thread = (words[0] >> 9 & 1) != 0;
    item.counter = static_cast<std::uint16_t>(words[0] >> 16);
    item.report = static_cast<std::uint32_t>(words[0] >> 32);
    item.process = static_cast<std::uint32_t>(words[1] >> 32);
    item.thread = static_cast<std::uint32_t>(words[1]);
    item.number = words[2];
    item.time = static_cast<std::int64_t>(words[3]);
    return item;
  }
  /// Reads the records after the head.
  static void records_of(std::span<const std::uint64_t> words, std::vector<TraceTuple>& records) {
    words = words.subspan(head_words);
    records.resize(words.size() / record_words);
    for (std::size_t i = 0; i < records.size(); ++i)
      std::memcpy(records[i].words.data(), words.data() + i * record_words, sizeof records[i].words);
  }
};

/// As TimedItem::time: the error is unbounded.
inline constexpr std::int64_t no_bound = std::numeric_limits<std::int64_t>::max();

/// The counters: causes of losses, and the processor time of a thread.
inline constexpr std::array<const char*, 7> counter_names{"discarded", "earlier", "torn",       "emptied",
                                                          "failed",    "cpu",     "unreachable"};
inline constexpr std::uint16_t cpu_counter = 5;
inline constexpr std::uint16_t unreachable_counter = 6;

}  // namespace eventspace::exports

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>

namespace eventspace {

/// Which tuples a full element discarded, as spans of sequence numbers, so that a reader that comes back is
/// told how many it missed. A number that was taken or dropped interrupts a span. Memory is bounded: beyond
/// max_spans the two oldest spans become one; a reader whose cursor lies inside that one may be told of too
/// many, never of too few. Not thread-safe.
class DiscardHistory {
 public:
  static constexpr std::size_t max_spans = 64;

  /// Of the numbers from `first` to `last`, which were discarded themselves, `count` were.
  struct Span {
    std::uint64_t first;
    std::uint64_t last;
    std::uint64_t count;
  };

  DiscardHistory() = default;
  /// One that consists of `spans`, ascending.
  explicit DiscardHistory(std::span<const Span> spans) : spans_(spans.begin(), spans.end()) {}

  /// `sequence` must be greater than all before.
  void add(std::uint64_t sequence) { add(Span{sequence, sequence, 1}); }
  void add(const Span& span);
  /// How many of the numbers after `cursor` were discarded.
  [[nodiscard]] std::uint64_t count_after(std::uint64_t cursor) const noexcept;

  [[nodiscard]] const std::deque<Span>& spans() const noexcept { return spans_; }
  /// How many of the numbers after `cursor` were discarded, as far as `span` tells.
  [[nodiscard]] static std::uint64_t count_after(std::uint64_t cursor, const Span& span) noexcept;

 private:
  void merge_oldest();

  std::deque<Span> spans_;  // ascending
};

}  // namespace eventspace

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

namespace eventspace {

/// Which tuples a full element discarded, as spans of sequence numbers, so that a reader that comes back is
/// told how many it missed. Numbers that were taken interrupt a span. Memory is bounded: beyond max_spans
/// the two oldest spans become one, and a reader whose cursor lies inside it is told at least what it
/// missed, at most what it and the takers got between them. Not thread-safe.
class DiscardHistory {
 public:
  static constexpr std::size_t max_spans = 64;

  /// `sequence` must be greater than all before.
  void add(std::uint64_t sequence);
  /// How many of the numbers after `cursor` were discarded.
  [[nodiscard]] std::uint64_t count_after(std::uint64_t cursor) const noexcept;

 private:
  struct Span {
    std::uint64_t first;
    std::uint64_t last;
    std::uint64_t count;
  };
  void merge_oldest();

  std::deque<Span> spans_;  // ascending
};

}  // namespace eventspace

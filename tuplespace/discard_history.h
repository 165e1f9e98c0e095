#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>

namespace eventspace {

/// The tuples that a full element discarded, as spans of sequence numbers, so that a reader that returns
/// later can count the tuples that it missed. A number that was taken or dropped in between starts a new
/// span.
///
/// Memory is bounded: beyond max_spans the two oldest spans are merged. For a cursor inside a merged span,
/// count_after() may return too many, never too few.
///
/// Not thread-safe.
class DiscardHistory {
 public:
  static constexpr std::size_t max_spans = 64;

  /// The sequence numbers `first` and `last` were discarded; `count` of the numbers from `first` to `last`,
  /// both included, were discarded.
  struct Span {
    std::uint64_t first;
    std::uint64_t last;
    std::uint64_t count;
  };

  DiscardHistory() = default;
  /// A history that consists of `spans`, in ascending order.
  explicit DiscardHistory(std::span<const Span> spans) : spans_(spans.begin(), spans.end()) {}

  /// `sequence` must be greater than all sequence numbers added before.
  void add(std::uint64_t sequence) { add(Span{sequence, sequence, 1}); }
  void add(const Span& span);
  /// Returns the number of discarded sequence numbers above `cursor`.
  [[nodiscard]] std::uint64_t count_after(std::uint64_t cursor) const noexcept;

  [[nodiscard]] const std::deque<Span>& spans() const noexcept { return spans_; }
  /// Returns the number of discarded sequence numbers above `cursor` in `span`.
  [[nodiscard]] static std::uint64_t count_after(std::uint64_t cursor, const Span& span) noexcept;

 private:
  void merge_oldest();

  std::deque<Span> spans_;  // ascending
};

}  // namespace eventspace

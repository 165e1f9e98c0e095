#pragma once

#include <cstdint>
#include <limits>
#include <queue>
#include <utility>

namespace eventspace::exports {

/// Converts slices to begins and ends, in order of time, for formats that have these instead of slices. A
/// slice ends before another begins at the same time, and an inner slice ends before its outer slice. A slice
/// of zero length ends before anything else happens. Keeps the slices that have not ended, which are a few
/// per thread. `Payload`: data that the user needs at the end of a slice. Not thread-safe.
///
///     edges.end_until(slice.begin_ns, end);    // calls end(payload, time)
///     begin(slice);
///     edges.add(slice.end_ns, payload);
template <class Payload>
class Edges {
 public:
  void add(std::int64_t end, Payload payload) { open_.push({end, next_++, std::move(payload)}); }
  /// Ends all slices that end at `time` or before.
  template <class End>
  void end_until(std::int64_t time, End end) {
    while (!open_.empty() && open_.top().end <= time) {
      end(open_.top().payload, open_.top().end);
      open_.pop();
    }
  }
  template <class End>
  void end_all(End end) {
    end_until(std::numeric_limits<std::int64_t>::max(), end);
  }

 private:
  struct Open {
    std::int64_t end{0};
    std::uint64_t number{0};
    Payload payload;
    // The queue's top is the greatest: the slice that ends first, and of equal ends, the slice that began
    // last.
    friend bool operator<(const Open& a, const Open& b) noexcept {
      return a.end != b.end ? a.end > b.end : a.number < b.number;
    }
  };
  std::priority_queue<Open> open_;
  std::uint64_t next_{0};
};

}  // namespace eventspace::exports

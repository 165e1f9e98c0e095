#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "scopes/tree/observed_event.h"

namespace eventspace {

/// Passes a limited number of events per second from each trace element, with a token bucket for each. A
/// bucket fills by the times at which the events ended, not by the time of the pull. It holds one token plus
/// the tokens of a tenth of a second, so in any t seconds at most 1 + rate * (t + 0.1) events pass.
/// Operations in flight always pass. Not thread-safe.
///
/// Events can be read again, because a view was lost on the way or because they are still the newest. The
/// bucket as it was before the view that first brought them then decides, with the same result.
///
///     view        1      2      3 (brings the events of 2 again)
///     bucket   A ---> B ---> C
///                     +----> C                  from B, kept as `before`
class RateLimit {
 public:
  explicit RateLimit(double events_a_second) noexcept;

  /// Call this before the first event of each view.
  void begin_view() noexcept { ++view_; }
  /// Returns whether `event` passes. The events of one trace element must come in the order of their sequence
  /// numbers. An event whose process is unknown does not pass.
  bool passes(const ObservedEvent& event);

 private:
  struct Bucket {
    double tokens{1.0};
    std::optional<std::int64_t> filled_ns{};  ///< none: before the first event
    std::uint64_t sequence{0};                ///< of the last event
  };
  struct Element {
    Bucket now;
    Bucket before;          ///< as it was when the view `view` began
    std::uint64_t view{0};  ///< the view that brought the last events
  };

  void begin(Element& element, std::uint64_t first) const noexcept;
  bool take(Bucket& bucket, std::int64_t now_ns) const noexcept;

  double rate_;
  double most_;
  std::uint64_t view_{0};
  std::unordered_map<std::uint64_t, Element> elements_;  // by path and point; bounded by the plan
};

}  // namespace eventspace

#pragma once

// Private to scopes/.

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "scopes/tree/observed_event.h"

namespace eventspace {

/// Lets at most so many events a second of each trace element pass: a token bucket that fills by the time at
/// which the events ended, not by that of the pull. It holds one token and those of a tenth of a second, so
/// that in any t seconds at most 1 + rate * (t + 0.1) events pass. Operations in flight always pass.
///
/// A view that did not arrive is read again, and the newest event may be the newest for many pulls: an event
/// that comes again meets the bucket as it was before the view that brought it first, and the same ones pass.
///
///     view        1      2      3 (brings 2's events again)
///     bucket   A ---> B ---> C
///                     +----> C                  from B, kept as `before`
class RateLimit {
 public:
  explicit RateLimit(double events_a_second) noexcept;

  void begin_view() noexcept { ++view_; }
  /// The events of one trace element come in the order of their sequence numbers. One whose process is not
  /// known does not pass.
  bool passes(const ObservedEvent& event);

 private:
  struct Bucket {
    double tokens{1.0};
    std::optional<std::int64_t> filled_ns{};  ///< nothing: no event came yet
    std::uint64_t sequence{0};                ///< of the last event that came
  };
  struct Element {
    Bucket now;
    Bucket before;          ///< as of the begin of the view that brought the last events
    std::uint64_t view{0};  ///< that one
  };

  void begin(Element& element, const EventRecord& first) const noexcept;
  bool take(Bucket& bucket, std::int64_t now_ns) const noexcept;

  double rate_;
  double most_;
  std::uint64_t view_{0};
  std::unordered_map<std::uint64_t, Element> elements_;  // by path and point: as many as the plan has
};

}  // namespace eventspace

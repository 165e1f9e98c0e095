#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

#include "monitors/tune/paired_slices.h"
#include "scopes/scope.h"

namespace eventspace::tune {

/// Waits up to the given time. Returns true if measuring is to end, now or earlier.
using EndingWait = std::function<bool(std::chrono::nanoseconds)>;

/// Sees the slices of time in which a scope is pulled, while they are made, in the thread that pulls.
class SliceObserver {
 public:
  SliceObserver() = default;
  virtual ~SliceObserver() = default;
  SliceObserver(const SliceObserver&) = delete;
  SliceObserver& operator=(const SliceObserver&) = delete;

  virtual void begin_pulls() = 0;
  virtual void observe(const View& view, std::chrono::nanoseconds elapsed) = 0;
  virtual void end_pulls() = 0;
  /// A slice with pulls and one without them are complete.
  virtual void observe(const SlicePair& pair) = 0;
};

/// The pulls of a slice of time.
struct PacedPulls {
  std::size_t whole{0};  ///< complete views
  std::string missing;   ///< the first missing part of the first view that was not complete
  double rate{0};        ///< complete views per second
};

/// Pulls through `scope` for the time `slice`, at least once, and at most `pace` times per second (0: without
/// limit): the last pull has its pause, too, so that the slice can take longer. Ends early when `wait`
/// returns true. `observer` may be null.
PacedPulls pull_at_pace(EventScope& scope, std::chrono::nanoseconds slice, double pace,
                        const EndingWait& wait, SliceObserver* observer);

/// "server of node n1 (no answer)": the first missing part of a view that is not complete.
std::string first_missing(const View& view);

}  // namespace eventspace::tune

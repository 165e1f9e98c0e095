#include "monitors/watching/watch_loop.h"

namespace eventspace {

WatchLoop::WatchLoop(Timeline& timeline, Limits limits)
    : timeline_(&timeline),
      limits_(limits),
      begun_(timeline.now()),
      origin_(timeline.begin().value_or(begun_)) {}

bool WatchLoop::is_over(std::size_t looks) const {
  if (limits_.looks != 0 && looks >= limits_.looks) return true;
  return limits_.duration && elapsed() >= *limits_.duration;
}

// The limits are checked before the pause: a monitor that has seen enough ends at once.
void WatchLoop::run(const std::function<Pause()>& look) {
  for (std::size_t looks = 1;; ++looks) {
    const Pause pause = look();
    if (!pause || is_over(looks) || wait(*pause)) return;
  }
}

}  // namespace eventspace

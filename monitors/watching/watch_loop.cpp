#include "monitors/watching/watch_loop.h"

namespace eventspace {

WatchLoop::WatchLoop(Timeline& timeline, Limits limits)
    : timeline_(&timeline),
      limits_(limits),
      begun_(timeline.now()),
      origin_(timeline.begin().value_or(begun_)) {}

bool WatchLoop::is_over(std::size_t looks) const {
  return (limits_.looks != 0 && looks >= limits_.looks) || is_time_up();
}

// The limits are checked before the pause, so that a monitor that has seen enough ends at once.
void WatchLoop::run(const std::function<Pause()>& look) {
  for (std::size_t looks = 1;; ++looks) {
    const Pause pause = look();
    if (!pause || is_over(looks) || wait(*pause)) return end_after(pause, look);
  }
}

// A monitor that has seen enough, or has made all its looks, has read all that was requested. If a signal has
// ended it while it printed, it prints no more.
void WatchLoop::end_after(const Pause& pause, const std::function<Pause()>& look) {
  if (!rest_.find_end || timeline_->is_recorded()) return;
  const bool has_signal = wait({});
  if (!has_signal && (!pause || !is_time_up() || !rest_.is_behind())) return;
  rest_.find_end();
  if (!pause) return;
  timeline_->go_on();
  rest_until_ = now() + longest_rest;
  (void)look();
  rest_until_.reset();
}

bool WatchLoop::has_rest() {
  if (timeline_->has_rest()) return true;
  return rest_until_ && rest_.count() > 0 && now() < *rest_until_ && !wait({});
}

}  // namespace eventspace

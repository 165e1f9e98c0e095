#include "monitors/tune/paced_pulls.h"

namespace eventspace::tune {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::nanoseconds;

View pull_once(EventScope& scope, SliceObserver* observer) {
  const Clock::time_point begin = Clock::now();
  View view = scope.pull({});
  if (observer != nullptr) observer->observe(view, Clock::now() - begin);
  return view;
}

}  // namespace

std::string first_missing(const View& view) {
  const Missing& first = view.missing.front();
  return first.what + " (" + (first.detail.empty() ? std::string(to_string(first.cause)) : first.detail) +
         ")";
}

PacedPulls pull_at_pace(EventScope& scope, nanoseconds slice, double pace, const EndingWait& wait,
                        SliceObserver* observer) {
  if (observer != nullptr) observer->begin_pulls();
  const Clock::time_point begin = Clock::now();
  const Clock::time_point end = begin + slice;
  const auto step = pace > 0 ? nanoseconds(static_cast<std::int64_t>(1e9 / pace)) : nanoseconds{};
  PacedPulls pulls;
  std::int64_t asked = 0;
  do {
    const View view = pull_once(scope, observer);
    ++asked;
    if (view.missing.empty()) {
      ++pulls.whole;
    } else if (pulls.missing.empty()) {
      pulls.missing = first_missing(view);
    }
    const Clock::time_point due = begin + step * asked;
    if (due > Clock::now()) wait(due - Clock::now());
  } while (Clock::now() < end && !wait({}));
  pulls.rate = static_cast<double>(pulls.whole) / std::chrono::duration<double>(Clock::now() - begin).count();
  if (observer != nullptr) observer->end_pulls();
  return pulls;
}

}  // namespace eventspace::tune

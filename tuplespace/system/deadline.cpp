#include <eventspace/deadline.h>

namespace eventspace {

Deadline Deadline::after(Clock::duration wait) noexcept {
  const auto now = Clock::now();
  // Compared before the addition, which could overflow.
  return wait >= Clock::time_point::max() - now ? never() : Deadline(now + wait);
}

Deadline::Clock::duration Deadline::left() const noexcept {
  if (is_never()) return Clock::duration::max();
  if (is_now()) return Clock::duration::zero();
  const auto now = Clock::now();
  return at_ > now ? at_ - now : Clock::duration::zero();
}

}  // namespace eventspace

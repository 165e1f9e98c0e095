#include "monitors/mpi/call_limits.h"

#include <algorithm>

namespace eventspace {

void CallLimits::add(std::uint32_t communicator, nanoseconds duration) {
  if (windows_.size() >= max_communicators && !windows_.contains(communicator)) return;
  Window& window = windows_[communicator];
  const std::uint64_t number = ++window.calls;
  while (!window.greatest.empty() && window.greatest.back().duration <= duration) window.greatest.pop_back();
  window.greatest.push_back({number, duration});
  if (window.greatest.front().number + kept <= number) window.greatest.pop_front();
}

CallLimits::nanoseconds CallLimits::limit(std::uint32_t communicator) const noexcept {
  const auto window = windows_.find(communicator);
  if (window == windows_.end() || window->second.greatest.empty()) return floor_;
  constexpr nanoseconds most = std::chrono::hours(24 * 365);  // its double still fits
  return std::max(floor_, 2 * std::min(window->second.greatest.front().duration, most));
}

}  // namespace eventspace

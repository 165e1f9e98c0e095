#include "paths/links/clock_comparison.h"

#include <utility>

namespace eventspace {
namespace {

// After this time further pings are not sent: they use up the deadline of the request that waits for them.
constexpr std::uint64_t longest_comparing_ns = 3'000'000;

}  // namespace

std::optional<std::uint64_t> ClockComparison::answer(const std::optional<wire::ServerTimes>& times,
                                                     std::uint64_t arrived_ns) {
  const Ping answered = std::exchange(ping_, {});
  if (times) server_clock_.compare(answered.sent_ns, *times, arrived_ns);
  const std::uint64_t next = answered.id + 1;
  const bool may_go_on = next < held_ && arrived_ns < begun_ns_ + longest_comparing_ns;
  if (!may_go_on || !server_clock_.is_stale(arrived_ns)) return std::nullopt;
  return next;
}

}  // namespace eventspace

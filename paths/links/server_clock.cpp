#include "paths/links/server_clock.h"

namespace eventspace {
namespace {

constexpr std::int64_t slower = 2;  // an exchange counts as fast up to this multiple of the fastest delay

}  // namespace

void ServerClock::compare(std::uint64_t sent_ns, const wire::ServerTimes& times, std::uint64_t arrived_ns) {
  if (heard_ && times.clock != theirs_) {
    estimator_.begin_anew();
    contradicted_ = false;
  }
  heard_ = true;
  theirs_ = times.clock;
  const bool in_order = sent_ns <= times.received_ns && times.received_ns <= times.answered_ns &&
                        times.answered_ns <= arrived_ns;
  if (!in_order) contradicted_ = true;
  if (is_own()) return;
  const ClockExchange exchange{
      static_cast<std::int64_t>(sent_ns), static_cast<std::int64_t>(times.received_ns),
      static_cast<std::int64_t>(times.answered_ns), static_cast<std::int64_t>(arrived_ns)};
  estimator_.add(exchange);
  const auto fastest_ns = estimator_.fastest_ns();
  if (fastest_ns && estimator_.delay_ns(exchange) <= slower * *fastest_ns) fast_at_ns_ = arrived_ns;
}

bool ServerClock::is_stale(std::uint64_t now_ns) const noexcept {
  return heard_ && !is_own() && now_ns > fast_at_ns_ + fresh_for_ns;
}

ClockRelation ServerClock::relation() const {
  if (!heard_ || !is_own()) return estimator_.relation();
  ClockRelation same;
  same.jumps = estimator_.jumps();
  return same;
}

}  // namespace eventspace

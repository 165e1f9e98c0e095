#include "paths/links/offset_estimator.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "tuplespace/system/saturating.h"

namespace eventspace {
namespace {

using saturating::subtract;

constexpr double millionth = 1e-6;

// Readings are truncated to whole nanoseconds, so a clock may have been up to 1 ns ahead.
std::int64_t min_offset(const ClockExchange& exchange) noexcept {
  return subtract(subtract(exchange.sent_ns, exchange.received_ns), 1);
}
std::int64_t greatest_offset(const ClockExchange& exchange) noexcept {
  return saturating::add(subtract(exchange.arrived_ns, exchange.answered_ns), 1);
}
/// The delay of both ways together.
std::int64_t delay_of(const ClockExchange& exchange) noexcept {
  return subtract(greatest_offset(exchange), min_offset(exchange));
}

/// An upper limit: at `time` the offset was at most `value`. Both are relative to the estimate.
struct Knot {
  double time;
  double value;
};

// Tightens each knot by the limits of its neighbours, which loosen at `rate` with the distance.
void tighten(std::vector<Knot>& knots, double rate) {
  for (std::size_t i = 1; i < knots.size(); ++i) {
    knots[i].value =
        std::min(knots[i].value, knots[i - 1].value + rate * (knots[i].time - knots[i - 1].time));
  }
  for (std::size_t i = knots.size() - 1; i-- > 0;) {
    knots[i].value =
        std::min(knots[i].value, knots[i + 1].value + rate * (knots[i + 1].time - knots[i].time));
  }
}

/// Returns the greatest distance of the offset above a line of this slope through zero, between `from` and 0.
/// Between two knots the limit rises from the first and falls towards the second; it is greatest where they
/// meet.
double greatest_gap(std::vector<Knot> knots, double rate, double slope, double from) {
  tighten(knots, rate);
  const auto gap = [&](const Knot& knot, double time) {
    return knot.value + rate * std::abs(time - knot.time) - slope * time;
  };
  double greatest = std::max(gap(knots.back(), 0), gap(knots.front(), std::max(from, knots.front().time)));
  for (std::size_t i = 1; i < knots.size(); ++i) {
    const Knot& a = knots[i - 1];
    const Knot& b = knots[i];
    if (b.time < from) continue;
    const double meet = (a.time + b.time + (b.value - a.value) / rate) / 2;
    const double time = std::clamp(meet, std::max(a.time, from), b.time);
    greatest = std::max(greatest, std::min(gap(a, time), gap(b, time)));
  }
  return greatest;
}

}  // namespace

void OffsetEstimator::add(const ClockExchange& exchange) {
  const std::int64_t answering = subtract(exchange.answered_ns, exchange.received_ns);
  const bool possible =
      answering >= 0 && exchange.arrived_ns >= exchange.sent_ns &&
      min_offset(exchange) <= saturating::add(greatest_offset(exchange), widening(answering));
  if (!possible) {  // a clock jumped during the exchange, so that its times cannot be compared
    jump(exchange);
    return;
  }
  if (knows_ && !narrow(exchange)) jump(exchange);
  if (!knows_) begin_with(exchange);
  keep(exchange);
  keep_if_fast(exchange);
}

void OffsetEstimator::begin_with(const ClockExchange& exchange) {
  knows_ = true;
  at_ns_ = exchange.answered_ns;
  sent_ns_ = exchange.sent_ns;
  lower_ = subtract(min_offset(exchange), widening(subtract(exchange.answered_ns, exchange.received_ns)));
  upper_ = greatest_offset(exchange);
  if (jumps_ > 0) bounded_since_ = std::max(bounded_since_, exchange.received_ns);
}

// Returns false, and changes nothing, if the exchange contradicts earlier ones.
bool OffsetEstimator::narrow(const ClockExchange& exchange) {
  const std::int64_t at = std::max(at_ns_, exchange.answered_ns);
  const auto since = [&](std::int64_t time) { return widening(subtract(at, time)); };
  const std::int64_t lower =
      std::max(subtract(lower_, since(at_ns_)), subtract(min_offset(exchange), since(exchange.received_ns)));
  const std::int64_t upper =
      std::min(saturating::add(upper_, since(at_ns_)),
               saturating::add(greatest_offset(exchange), since(exchange.answered_ns)));
  if (lower > upper) return false;
  if (at > at_ns_) sent_ns_ = exchange.sent_ns;
  at_ns_ = at;
  lower_ = lower;
  upper_ = upper;
  return true;
}

// Replies to concurrent requests may arrive out of order; such an exchange is skipped.
void OffsetEstimator::keep(const ClockExchange& exchange) {
  const bool in_order = recent_.empty() || (exchange.received_ns >= recent_.back().received_ns &&
                                            exchange.answered_ns >= recent_.back().answered_ns);
  if (!in_order) return;
  recent_.push_back(exchange);
  if (recent_.size() > config_.recent) recent_.pop_front();
}

void OffsetEstimator::keep_if_fast(const ClockExchange& exchange) {
  const auto period = [&](const ClockExchange& of) { return of.answered_ns / config_.period_ns; };
  if (fastest_.empty() || period(exchange) > period(fastest_.back())) {
    fastest_.push_back(exchange);
  } else if (delay_of(exchange) < delay_of(fastest_.back())) {
    fastest_.back() = exchange;
  } else {
    return;
  }
  const auto too_old = [&](const ClockExchange& of) {
    return subtract(at_ns_, of.answered_ns) > config_.oldest_ns;
  };
  const auto one_too_many = [&] { return fastest_.size() > config_.fastest || too_old(fastest_.front()); };
  while (fastest_.size() > 1 && one_too_many()) fastest_.pop_front();
  fastest_ns_ = delay_ns(fastest_.front());
  for (const ClockExchange& kept : fastest_) fastest_ns_ = std::min(*fastest_ns_, delay_ns(kept));
}

// Events from before a jump may be read after it, and a clock that was set back shows the same times twice.
// An exchange cannot distinguish that from the other clock being set forward. So the error is unbounded until
// the server's clock has passed every reading that it may have shown before the jump.
void OffsetEstimator::jump(const ClockExchange& exchange) {
  ++jumps_;
  if (knows_) {
    const std::int64_t elapsed = std::max<std::int64_t>(subtract(exchange.arrived_ns, sent_ns_), 0);
    const std::int64_t shown = saturating::add(at_ns_, saturating::add(elapsed, widening(elapsed)));
    bounded_since_ = std::max(bounded_since_, shown);
  }
  forget();
}

void OffsetEstimator::begin_anew() {
  ++jumps_;
  forget();
  bounded_since_ = ClockRelation::always;
}

void OffsetEstimator::forget() {
  knows_ = false;
  recent_.clear();
  fastest_.clear();
  fastest_ns_.reset();
}

std::int64_t OffsetEstimator::widening(std::int64_t distance) const noexcept {
  return saturating::round(
      std::ceil(std::abs(static_cast<double>(distance)) * config_.largest_drift_ppm * millionth));
}

ClockRelation OffsetEstimator::relation() const {
  ClockRelation relation = knows_ ? ClockRelation{} : ClockRelation::unknown();
  relation.jumps = jumps_;
  if (!knows_) return relation;
  const Line line = this->line();
  const double width = static_cast<double>(subtract(upper_, lower_));
  const std::int64_t above_lower = saturating::round(std::clamp(line.offset, 0.0, width));
  relation.reference_ns = at_ns_;
  relation.offset_ns = saturating::add(lower_, above_lower);
  relation.drift_ppm = line.drift / millionth;
  relation.error_ns = std::max(above_lower, subtract(upper_, relation.offset_ns)) + 1;
  relation.growth_ppm = config_.largest_drift_ppm + std::abs(relation.drift_ppm);
  relation.covered_since_ns = recent_.front().answered_ns;
  relation.covered_error_ns = std::max(relation.error_ns, covered_error(relation.offset_ns, line.drift));
  relation.bounded_since_ns = bounded_since_;
  return relation;
}

// The clocks may have drifted apart while the server prepared the reply.
std::int64_t OffsetEstimator::delay_ns(const ClockExchange& exchange) const noexcept {
  const std::int64_t answering = subtract(exchange.answered_ns, exchange.received_ns);
  return saturating::add(delay_of(exchange), widening(answering));
}

// Weighted least squares: the faster an exchange, the less the delays of its two ways can differ.
OffsetEstimator::Line OffsetEstimator::line() const {
  const double least = std::max(static_cast<double>(fastest_ns_.value_or(0)), 1000.0);
  double weights = 0, time = 0, offset = 0, squares = 0, products = 0;
  for (const ClockExchange& exchange : fastest_) {
    const double delay = std::max(static_cast<double>(delay_of(exchange)), least);
    const double weight = (least / delay) * (least / delay);
    const double answering = static_cast<double>(subtract(exchange.answered_ns, exchange.received_ns));
    const double x = static_cast<double>(subtract(exchange.answered_ns, at_ns_)) - answering / 2;
    const double y = static_cast<double>(subtract(min_offset(exchange), lower_)) +
                     static_cast<double>(delay_of(exchange)) / 2;
    weights += weight;
    const double from_time = x - time;
    const double from_offset = y - offset;
    time += from_time * weight / weights;
    offset += from_offset * weight / weights;
    squares += weight * from_time * (x - time);
    products += weight * from_time * (y - offset);
  }
  const double span =
      static_cast<double>(subtract(fastest_.back().answered_ns, fastest_.front().answered_ns));
  const double largest = config_.largest_drift_ppm * millionth;
  const bool tells_drift = fastest_.size() > 2 && span * largest > least && squares > 0;
  const double drift = tells_drift ? std::clamp(products / squares, -largest, largest) : 0.0;
  return {offset - drift * time, drift};
}

std::int64_t OffsetEstimator::covered_error(std::int64_t estimate, double drift) const {
  std::vector<Knot> above, below;
  for (const ClockExchange& exchange : recent_) {
    above.push_back({static_cast<double>(subtract(exchange.answered_ns, at_ns_)),
                     static_cast<double>(subtract(greatest_offset(exchange), estimate))});
    below.push_back({static_cast<double>(subtract(exchange.received_ns, at_ns_)),
                     static_cast<double>(subtract(estimate, min_offset(exchange)))});
  }
  const double from = above.front().time;
  const double rate = config_.largest_drift_ppm * millionth;
  const double gap =
      std::max(greatest_gap(above, rate, drift, from), greatest_gap(below, rate, -drift, from));
  return saturating::round(std::ceil(gap)) + 1;
}

}  // namespace eventspace

#include "scopes/wrappers/rate_limit.h"

#include <algorithm>

namespace eventspace {
namespace {

/// Tolerance for the rounding errors of fractions of tokens.
constexpr double rounding = 1e-6;

}  // namespace

RateLimit::RateLimit(double events_a_second) noexcept
    : rate_(events_a_second), most_(1.0 + events_a_second / 10.0) {}

bool RateLimit::passes(const ObservedEvent& event) {
  const RecordHeader record = event.header();
  if (record.in_flight()) return true;
  if (event.process == nullptr) return false;
  Element& element = elements_[(static_cast<std::uint64_t>(record.path) << 16) | record.point];
  if (element.view != view_) begin(element, record.sequence);
  element.now.sequence = record.sequence;
  return take(element.now, event.process->clock.to_realtime_ns(record.end));
}

// Sequence numbers from before the previous view belong to a new run of the process.
void RateLimit::begin(Element& element, std::uint64_t first) const noexcept {
  const bool comes_again = first <= element.now.sequence && first > element.before.sequence;
  if (comes_again) {
    element.now = element.before;
  } else {
    element.before = element.now;
    if (first <= element.now.sequence) element.before.sequence = 0;
  }
  element.view = view_;
}

bool RateLimit::take(Bucket& bucket, std::int64_t now_ns) const noexcept {
  const auto since_ns = std::max<std::int64_t>(now_ns - bucket.filled_ns.value_or(now_ns), 0);
  bucket.tokens = std::min(bucket.tokens + static_cast<double>(since_ns) / 1e9 * rate_, most_);
  bucket.filled_ns = std::max(now_ns, bucket.filled_ns.value_or(now_ns));
  if (bucket.tokens < 1.0 - rounding) return false;
  bucket.tokens -= 1.0;
  return true;
}

}  // namespace eventspace

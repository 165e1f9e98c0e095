#include "scopes/metrics/evaluation/samples.h"

namespace eventspace::metrics {

Step Samples::next(std::int64_t virtual_time) noexcept {
  has_virtual_time_ = has_virtual_time_ || virtual_time != 0;
  const std::int64_t passage = passages_++;
  Step step{last_ ? last_->epoch : 0, has_virtual_time_ ? virtual_time : passage};
  if (last_ && step.virtual_time < last_->virtual_time) ++step.epoch;
  return step;
}

void Samples::keep(const Step& step, const Datum& value) {
  if (last_ && step <= *last_) {
    ++repeated_;
    return;
  }
  last_ = step;
  reach(step);
  kept_.emplace_back(step, value);
  // Old ones go many at a time, which costs less than one by one.
  if (kept_.size() >= 2 * most) kept_.erase(kept_.begin(), kept_.end() - static_cast<std::ptrdiff_t>(most));
}

Datum Samples::at(const Step& step) const {
  Datum none;
  if (!reached_ || *reached_ < step) {
    none.state = Datum::State::later;
    return none;
  }
  // Steps are asked for one after the other, each with the one before it.
  for (std::size_t near = found_ - std::min<std::size_t>(found_, 1);
       near < std::min(found_ + 2, kept_.size()); ++near) {
    if (kept_[near].first == step && near + most >= kept_.size()) {
      found_ = near;
      return kept_[near].second;
    }
  }
  const auto kept = all();
  const auto found = std::ranges::lower_bound(kept, step, {}, &Sample::first);
  if (found == kept.end() || found->first != step) return none;
  found_ = kept_.size() - kept.size() + static_cast<std::size_t>(found - kept.begin());
  return found->second;
}

}  // namespace eventspace::metrics

#include "scopes/metrics/evaluation/samples.h"

#include <algorithm>

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
  steps_.push_back(step);
  values_.push_back(value);
  // Old ones go many at a time, which costs less than one by one.
  if (steps_.size() < 2 * most) return;
  steps_.erase(steps_.begin(), steps_.end() - static_cast<std::ptrdiff_t>(most));
  values_.erase(values_.begin(), values_.end() - static_cast<std::ptrdiff_t>(most));
}

Datum Samples::at(const Step& step) const {
  if (!reached_ || *reached_ < step) return Datum::without(Datum::State::later);
  // Steps are asked for one after the other, each with the one before it.
  for (std::size_t near = found_ - std::min<std::size_t>(found_, 1);
       near < std::min(found_ + 2, steps_.size()); ++near) {
    if (steps_[near] == step && near + most >= steps_.size()) {
      found_ = near;
      return values_[near];
    }
  }
  const auto kept = steps();
  const auto found = std::ranges::lower_bound(kept, step);
  if (found == kept.end() || *found != step) return {};
  const auto place = static_cast<std::size_t>(found - kept.begin());
  found_ = steps_.size() - kept.size() + place;
  return values()[place];
}

std::span<const Datum> Samples::at(std::span<const Step> steps, std::int64_t shift,
                                   std::vector<Datum>& room) const {
  if (steps.empty()) return {};
  const auto kept = this->steps();
  const auto shifted = [shift](Step step) {
    step.virtual_time += shift;
    return step;
  };
  const auto first = std::ranges::lower_bound(kept, shifted(steps.front()));
  const auto place = static_cast<std::size_t>(first - kept.begin());
  const auto is_same = [&](const Step& step, const Step& there) { return shifted(step) == there; };
  const bool are_together =
      kept.size() - place >= steps.size() && std::equal(steps.begin(), steps.end(), first, is_same);
  if (are_together) return values().subspan(place, steps.size());
  room.clear();
  for (const Step& step : steps) room.push_back(at(shifted(step)));
  return room;
}

}  // namespace eventspace::metrics

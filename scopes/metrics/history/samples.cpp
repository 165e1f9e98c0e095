#include "scopes/metrics/history/samples.h"

#include <algorithm>

namespace eventspace::metrics {

Step Samples::step_at(std::int64_t virtual_time) const noexcept {
  Step step{last_ ? last_->epoch : 0, virtual_time};
  if (last_ && step.virtual_time < last_->virtual_time) ++step.epoch;
  return step;
}

Step Samples::next(const Place& place) {
  if (!place.passage) {
    has_virtual_time_ = has_virtual_time_ || place.virtual_time != 0;
    const std::int64_t counted = passages_without_number_++;
    return step_at(has_virtual_time_ ? place.virtual_time : counted);
  }
  const Step step = step_at(passages_.next(place.thread, *place.passage));
  const bool follows = last_ && last_->epoch == step.epoch ? last_->virtual_time + 1 == step.virtual_time
                                                           : step.virtual_time == 0;
  if (!follows) keep({step.epoch, step.virtual_time - 1}, Datum::without(Datum::State::missed));
  return step;
}

// Only the last passage matters: with the ones before it, everything before the measurement was missed.
void Samples::miss(const Place& place) {
  const bool has_number = place.passage || place.virtual_time != 0 || has_virtual_time_;
  if (!has_number) return;
  const bool has_only_missed = std::ranges::all_of(values_, is_missed);
  const Step step = next(place);
  if (has_only_missed) {
    steps_.clear();
    values_.clear();
  }
  keep(step, Datum::without(Datum::State::missed));
}

void Samples::keep(const Step& step, const Datum& value) {
  if (last_ && step <= *last_) {
    if (!is_missed(value)) ++repeated_;
    return;
  }
  last_ = step;
  reach(step);
  steps_.push_back(step);
  values_.push_back(value);
  // Erases many old values at a time, which costs less than one by one.
  if (steps_.size() < 2 * most) return;
  steps_.erase(steps_.begin(), steps_.end() - static_cast<std::ptrdiff_t>(most));
  values_.erase(values_.begin(), values_.end() - static_cast<std::ptrdiff_t>(most));
}

Datum Samples::value_at(std::size_t place, bool is_earlier) const {
  const Datum& value = values_[place];
  const bool is_first = place + std::min(steps_.size(), most) == steps_.size();
  return is_earlier && is_first && is_missed(value) ? Datum::without(Datum::State::unseen) : value;
}

Datum Samples::at(const Step& step, bool is_earlier) const {
  if (!reached_ || *reached_ < step) return Datum::without(Datum::State::later);
  // Callers read steps one after the other, each with its predecessor.
  for (std::size_t near = found_ - std::min<std::size_t>(found_, 1);
       near < std::min(found_ + 2, steps_.size()); ++near) {
    if (steps_[near] == step && near + most >= steps_.size()) {
      found_ = near;
      return value_at(near, is_earlier);
    }
  }
  const auto kept = steps();
  const auto found = std::ranges::lower_bound(kept, step);
  if (found == kept.end()) return {};
  const auto place = static_cast<std::size_t>(found - kept.begin());
  if (*found == step) {
    found_ = steps_.size() - kept.size() + place;
    return value_at(found_, is_earlier);
  }
  const bool was_missed = is_missed(values()[place]);
  if (is_earlier && place == 0)
    return Datum::without(was_missed ? Datum::State::unseen : Datum::State::before);
  return Datum::without(was_missed ? Datum::State::missed : Datum::State::absent);
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
  const bool is_beginning = shift < 0 && place == 0;  // where missed values are treated differently
  if (are_together && !is_beginning) return values().subspan(place, steps.size());
  room.clear();
  for (const Step& step : steps) room.push_back(at(shifted(step), shift < 0));
  return room;
}

}  // namespace eventspace::metrics

#include "scopes/streams/plugins/filter_generations.h"

#include <algorithm>
#include <utility>

namespace eventspace::streams {

FilterSet make_filters(const std::vector<FilterUse>& up, const std::vector<FilterUse>& down, bool is_back_end,
                       FilterPlace place) {
  FilterSet made;
  if (!is_back_end) made.up = FilterChain(up, place);
  place.down = true;
  made.down = FilterChain(down, place);
  return made;
}

FilterGenerations::FilterGenerations(std::uint32_t generation, FilterSet filters) {
  up_.push_back({generation, std::move(filters.up)});
  down_.push_back({0, std::move(filters.down)});
}

void FilterGenerations::add(std::uint32_t generation, FilterSet filters, std::uint64_t first_packet) {
  // No packet was sent since the last replacement, so its filters have nothing to do.
  if (down_.back().first == first_packet) down_.pop_back();
  down_.push_back({first_packet, std::move(filters.down)});
  up_.push_back({generation, std::move(filters.up)});
}

std::optional<FilterGenerations::Up> FilterGenerations::take_ended(std::uint32_t generation) {
  if (up_.size() < 2 || up_.front().generation != generation) return std::nullopt;
  Up ended = std::move(up_.front());
  up_.pop_front();
  return ended;
}

void FilterGenerations::drop_earlier_up() { up_.erase(up_.begin(), up_.end() - 1); }

void FilterGenerations::join(Child child, const RankSet& ranks) {
  for (Up& filters : up_) filters.chain.join(child, ranks);
}

FilterGenerations::Up& FilterGenerations::up_of(std::uint32_t generation) {
  const auto found = std::ranges::find(up_, generation, &Up::generation);
  return found == up_.end() ? up_.front() : *found;
}

FilterChain& FilterGenerations::down_of(std::uint64_t packet) {
  while (down_.size() > 1 && down_[1].first <= packet) down_.pop_front();
  return down_.front().chain;
}

}  // namespace eventspace::streams

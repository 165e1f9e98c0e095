#include "monitors/tune/search.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace eventspace::tune {
namespace {

constexpr std::size_t max_probes = 4;
constexpr std::size_t min_measurements = 8;
// Smaller differences are within the noise of measurements.
constexpr double worth_measuring = 0.02;

/// The difference of two trees: the distance between the logarithms of their amounts of each kind of work.
double distance(const TreeWork& a, const TreeWork& b) {
  double squares = 0;
  for (std::size_t i = 0; i < costs; ++i) {
    for (const auto& [x, y] :
         {std::pair{a.on_the_way.at(i), b.on_the_way.at(i)}, std::pair{a.in_all.at(i), b.in_all.at(i)}}) {
      const double apart = std::log1p(x) - std::log1p(y);
      squares += apart * apart;
    }
  }
  return squares;
}

std::size_t limit_of(const Search::Settings& settings, std::size_t candidates) {
  if (settings.exhaustive) return candidates;
  if (settings.most > 0) return settings.most;
  return std::max(candidates / 4, min_measurements);
}

}  // namespace

Search::Search(const std::vector<TreeWork>& works, const Goal& goal, const Settings& settings)
    : goal_(goal), settings_(settings), most_(limit_of(settings, works.size())) {
  for (const TreeWork& work : works) candidates_.push_back({work, std::nullopt, 0});
  choose_probes();
}

/// Chooses each probe as far as possible from those before it.
void Search::choose_probes() {
  if (candidates_.empty()) return;
  probes_ = {0};
  while (probes_.size() < std::min(max_probes, candidates_.size())) {
    std::size_t farthest = 0;
    double distance_of_it = 0;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      double nearest = distance(candidates_[i].work, candidates_[0].work);
      for (const std::size_t probe : probes_)
        nearest = std::min(nearest, distance(candidates_[i].work, candidates_[probe].work));
      if (nearest <= distance_of_it) continue;
      farthest = i;
      distance_of_it = nearest;
    }
    if (distance_of_it <= 0) break;
    probes_.push_back(farthest);
  }
}

std::optional<std::size_t> Search::unmeasured() const {
  for (std::size_t i = 0; i < candidates_.size(); ++i)
    if (candidates_[i].times == 0) return i;
  return std::nullopt;
}

std::optional<std::size_t> Search::next() const {
  if (settings_.exhaustive) return unmeasured();
  if (measurements_ >= most_) return std::nullopt;
  for (const std::size_t probe : probes_)
    if (candidates_[probe].times == 0) return probe;
  const auto leader = best();
  if (!leader) return unmeasured();
  // The last measurement is reserved for confirming the best candidate.
  const bool sure = candidates_[*leader].times > 1;
  if (!sure && measurements_ + 1 >= most_) return leader;
  if (const auto other = promising()) return other;
  return sure ? std::nullopt : leader;
}

std::optional<std::size_t> Search::promising() const {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    if (candidates_[i].times > 0) continue;
    if (!found || goal_.prefers(hoped(i), hoped(*found))) found = i;
  }
  if (!found) return std::nullopt;
  const Figures& leader = *candidates_[*best()].figures;
  const Figures hope = hoped(*found);
  if (!goal_.prefers(hope, leader)) return std::nullopt;
  const bool by_enough = !goal_.meets(leader) || goal_.lead(hope, leader) > worth_measuring;
  return by_enough ? found : std::nullopt;
}

Figures Search::hoped(std::size_t candidate) const {
  Figures hope = model_->predict(candidates_[candidate].work);
  hope.rate *= 1 + model_->rate_error() / 2;
  hope.slowdown = std::max(1.0, hope.slowdown - model_->slowdown_error() / 2);
  return hope;
}

void Search::add(std::size_t candidate, const std::optional<Figures>& figures) {
  ++measurements_;
  ++candidates_[candidate].times;
  candidates_[candidate].figures = figures;
  CostModel model(settings_.pace);
  bool any = false;
  for (const Candidate& known : candidates_) {
    if (!known.figures || known.figures->rate <= 0) continue;
    model.add(known.work, *known.figures);
    any = true;
  }
  if (!any) return;
  model.fit();
  model_ = std::move(model);
}

std::optional<std::size_t> Search::best() const {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    const auto& figures = candidates_[i].figures;
    if (figures && (!found || goal_.prefers(*figures, *candidates_[*found].figures))) found = i;
  }
  return found;
}

std::optional<Figures> Search::predicted(std::size_t candidate) const {
  if (!model_) return std::nullopt;
  return model_->predict(candidates_[candidate].work);
}

}  // namespace eventspace::tune

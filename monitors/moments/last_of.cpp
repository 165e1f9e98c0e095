#include "monitors/moments/last_of.h"

#include <algorithm>
#include <map>
#include <utility>

#include "tuplespace/system/saturating.h"

namespace eventspace {
namespace {

using saturating::subtract;

std::vector<Moment> known_moments(const std::vector<Coming>& all) {
  std::vector<Moment> moments;
  for (const Coming& one : all) {
    if (one.at) moments.push_back(*one.at);
  }
  sort_by_time(moments);
  return moments;
}

/// The latest known arrivals: on the common clock, and by each clock of a process or node, which compares its
/// own readings more exactly. A participant that certainly came before one of them was not last.
class Rivals {
 public:
  explicit Rivals(const std::vector<Moment>& moments) : certain_(moments.front().earliest()) {
    for (const Moment& moment : moments) {
      certain_ = std::max(certain_, moment.earliest());
      Moment& latest = latest_.emplace(moment.clock, moment).first->second;
      if (moment.own_ns > latest.own_ns) latest = moment;
      if (!moment.on_node) continue;
      Moment& there = latest_there_.emplace(clock_there(moment), moment).first->second;
      if (earliest_there(moment) > earliest_there(there)) there = moment;
    }
  }
  [[nodiscard]] bool beat(const Moment& moment) const {
    if (moment.latest() < certain_) return true;
    const auto latest = latest_.find(moment.clock);
    if (latest != latest_.end() && is_later(latest->second, moment)) return true;
    if (!moment.on_node) return false;
    const auto there = latest_there_.find(clock_there(moment));
    return there != latest_there_.end() && is_later(there->second, moment);
  }

 private:
  using NodesClock = std::pair<std::uint32_t, std::uint32_t>;  // a node, and the number of jumps of its clock
  static NodesClock clock_there(const Moment& moment) {
    return {moment.on_node->node, moment.on_node->jumps};
  }
  static std::int64_t earliest_there(const Moment& moment) {
    return subtract(moment.on_node->ns, moment.on_node->error_ns);
  }
  static bool is_later(const Moment& moment, const Moment& than) {
    const Difference later = between(than, moment);
    return later.ns > 0 && later.is_certain();
  }

  std::int64_t certain_;
  std::map<std::uint32_t, Moment> latest_;  // by the clock of a process
  std::map<NodesClock, Moment> latest_there_;
};

// The moment of the last arrival. It lies between the greatest earliest() and the greatest latest().
Moment last_moment(const std::vector<Moment>& moments) {
  Moment last = moments.back();
  std::int64_t earliest = last.earliest(), latest = last.latest();
  for (const Moment& moment : moments) {
    earliest = std::max(earliest, moment.earliest());
    latest = std::max(latest, moment.latest());
  }
  last.error_ns = std::max(subtract(latest, last.ns), subtract(last.ns, earliest));
  last.on_node.reset();
  if (!are_of_one_clock(moments)) last.clock = Moment::no_clock;
  return last;
}

// The error of an order statistic is at most the largest error of the readings.
Moment ranked_moment(const std::vector<Moment>& moments, std::size_t rank) {
  Moment ranked = moments[rank];
  for (const Moment& moment : moments) ranked.error_ns = std::max(ranked.error_ns, moment.error_ns);
  ranked.on_node.reset();
  if (!are_of_one_clock(moments)) ranked.clock = Moment::no_clock;
  return ranked;
}

// The time from the second to last arrival to the last: the shortest of the times from all others. Its error
// depends only on arrivals close to the last one; a large error of a much earlier arrival does not matter.
Difference shortest_until(const Moment& last, const std::vector<Moment>& others) {
  Difference shortest = between(others.front(), last);
  std::int64_t least = INT64_MAX, most = INT64_MAX;
  for (const Moment& other : others) {
    const Difference time = between(other, last);
    shortest.ns = std::min(shortest.ns, time.ns);
    least = std::min(least, subtract(time.ns, time.error_ns));
    most = std::min(most, saturating::add(time.ns, time.error_ns));
  }
  least = std::max<std::int64_t>(least, 0);  // no other came later
  shortest.ns = std::clamp(shortest.ns, least, std::max(least, most));
  shortest.error_ns = std::max(subtract(shortest.ns, least), subtract(most, shortest.ns));
  return shortest;
}

}  // namespace

LastOf last_of(const std::vector<Coming>& all) {
  LastOf last;
  const std::vector<Moment> moments = known_moments(all);
  if (moments.empty()) {
    for (const Coming& one : all) last.candidates.push_back(one.who);
    return last;
  }
  const Rivals rivals(moments);
  std::vector<const Coming*> candidates;
  for (const Coming& one : all) {
    const std::optional<Moment>& at = one.at ? one.at : one.not_after;
    if (!at || !rivals.beat(*at)) candidates.push_back(&one);
  }
  const auto likeliness = [](const Coming& one) { return one.at ? one.at->ns : INT64_MIN; };
  std::stable_sort(candidates.begin(), candidates.end(),
                   [&](const Coming* a, const Coming* b) { return likeliness(*a) > likeliness(*b); });
  for (const Coming* const one : candidates) last.candidates.push_back(one->who);

  const std::size_t count = moments.size();
  last.all_here = last_moment(moments);
  std::vector<Moment> others(moments.begin(), moments.end() - 1);
  if (last.name() && candidates.front()->at) {  // the last is certain: its own reading is the exact moment
    last.all_here = candidates.front()->at;
    others = moments;
    others.erase(std::find(others.begin(), others.end(), *last.all_here));
  }
  if (count < all.size()) return last;
  if (count > 1) {
    last.after_second =
        last.name() ? shortest_until(*last.all_here, others) : between(last_moment(others), *last.all_here);
  }
  last.after_median = between(ranked_moment(moments, (count - 1) / 2), *last.all_here);
  last.after_first = between(ranked_moment(moments, 0), *last.all_here);
  return last;
}

}  // namespace eventspace

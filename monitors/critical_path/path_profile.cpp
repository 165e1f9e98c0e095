#include "monitors/critical_path/path_profile.h"

#include <algorithm>
#include <functional>
#include <map>

#include "monitors/critical_path/region_times.h"
#include "tuplespace/system/saturating.h"

namespace eventspace {
namespace {

using ActivityTimes = std::map<PathActivity, double>;

/// Sums the time of a location by activity, between the begin and the end of the path.
class LocationTimes {
 public:
  LocationTimes(const RunActivities& run, const WaitStates& found, const CriticalPath& path)
      : run_(&run), found_(&found), path_(&path) {}

  // The time before the first call does not count, unless records of it are missing: the location had not
  // begun.
  ActivityTimes of(std::uint32_t location) {
    times_.clear();
    const auto& calls = run_->activities(location);
    std::int64_t since = path_->begin_ns;  // end of the call before
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const Activity& call = calls[i];
      if (call.follows_gap)
        add_unknown(since, call.begin_ns);
      else if (i > 0)
        add_computation(location, since, call.begin_ns);
      if (call.is_in_flight)
        add_unknown(call.begin_ns, call.end_ns);
      else
        add_call(call, {location, run_->first_of(location) + i});
      since = call.end_ns;
    }
    return times_;
  }

  double unknown_ns{0};  ///< of all locations

 private:
  [[nodiscard]] std::int64_t inside(std::int64_t ns) const {
    return std::clamp(ns, path_->begin_ns, path_->end_ns);
  }

  void add_unknown(std::int64_t begin, std::int64_t end) {
    unknown_ns += static_cast<double>(saturating::subtract(inside(end), inside(begin)));
  }

  void add_computation(std::uint32_t location, std::int64_t begin, std::int64_t end) {
    for_each_region(run_->regions_of(location), inside(begin), inside(end),
                    [this](std::uint32_t region, std::int64_t from, std::int64_t to) {
                      times_[{false, region}] += static_cast<double>(saturating::subtract(to, from));
                    });
  }

  void add_call(const Activity& call, const ActivityRef& number) {
    const auto known = std::ranges::lower_bound(found_->waits, number, {}, &WaitState::waiting);
    const bool has_waited = known != found_->waits.end() && known->waiting == number && known->is_certain();
    const std::int64_t begin = inside(has_waited ? known->end_ns : call.begin_ns);
    times_[{true, call.site}] += static_cast<double>(saturating::subtract(inside(call.end_ns), begin));
  }

  const RunActivities* run_;
  const WaitStates* found_;
  const CriticalPath* path_;
  ActivityTimes times_;
};

/// Times by activity: the sum over all locations, and the time of each location with a part of the path.
struct TimeSums {
  ActivityTimes all{};
  std::map<std::pair<PathActivity, std::uint32_t>, double> on_path{};
};

TimeSums sum_times(LocationTimes& times, const RunActivities& run, const CriticalPath& path) {
  TimeSums sums;
  for (std::uint32_t location = 0; location < run.locations(); ++location)
    for (const auto& [activity, ns] : times.of(location)) {
      sums.all[activity] += ns;
      if (path.sums.contains({activity, location})) sums.on_path[{activity, location}] = ns;
    }
  return sums;
}

// The location that is responsible for an imbalance has more of the activity than the mean, and on the path.
// If there is none, since locations take turns, the largest part of the path counts.
void choose_location(ActivityProfile& activity, std::uint32_t location, double on_path, double in_all) {
  const double excess = std::max(std::min(on_path, in_all - activity.mean_ns), 0.0);
  const bool is_better = excess != activity.location_excess_ns ? excess > activity.location_excess_ns
                                                               : on_path > activity.location_path_ns;
  if (!is_better) return;
  activity.location = location;
  activity.location_path_ns = on_path;
  activity.location_excess_ns = excess;
}

}  // namespace

const ActivityProfile* PathProfile::costliest() const noexcept {
  const auto found = std::ranges::max_element(activities, {}, &ActivityProfile::imbalance_ns);
  return found == activities.end() ? nullptr : &*found;
}

PathProfile profile_path(const RunActivities& run, const WaitStates& found, const CriticalPath& path) {
  PathProfile profile;
  profile.locations.resize(run.locations());
  LocationTimes times(run, found, path);
  TimeSums sums = sum_times(times, run, path);
  profile.unknown_ns = times.unknown_ns;
  const auto locations = static_cast<double>(std::max<std::size_t>(run.participants(), 1));
  for (const auto& [key, ns] : path.sums) {
    const auto time = static_cast<double>(ns);
    profile.locations[key.second] += time;
    if (profile.activities.empty() || profile.activities.back().of != key.first)
      profile.activities.push_back({.of = key.first, .mean_ns = sums.all[key.first] / locations});
    ActivityProfile& activity = profile.activities.back();
    activity.path_ns += time;
    choose_location(activity, key.second, time, sums.on_path[key]);
  }
  for (const ActivityProfile& activity : profile.activities) profile.imbalance_ns += activity.imbalance_ns();
  std::ranges::stable_sort(profile.activities, std::greater(), &ActivityProfile::path_ns);
  return profile;
}

}  // namespace eventspace

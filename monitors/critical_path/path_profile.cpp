#include "monitors/critical_path/path_profile.h"

#include <algorithm>
#include <functional>
#include <map>

#include "monitors/critical_path/region_times.h"

namespace eventspace {
namespace {

using Times = std::map<PathActivity, double>;

/// Sums the time of one location after another between the begin and the end of the path.
class LocationTimes {
 public:
  LocationTimes(const RunActivities& run, const WaitStates& found, const CriticalPath& path)
      : run_(&run), found_(&found), path_(&path) {}

  // The time before the first call does not count, unless records of it are missing: the location had not
  // begun.
  void add(std::uint32_t location) {
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
  }

  Times times;
  double unknown_ns{0};

 private:
  [[nodiscard]] std::int64_t inside(std::int64_t ns) const {
    return std::clamp(ns, path_->begin_ns, path_->end_ns);
  }

  void add_unknown(std::int64_t begin, std::int64_t end) {
    unknown_ns += static_cast<double>(inside(end) - inside(begin));
  }

  void add_computation(std::uint32_t location, std::int64_t begin, std::int64_t end) {
    for_each_region(run_->regions_of(location), inside(begin), inside(end),
                    [this](std::uint32_t region, std::int64_t from, std::int64_t to) {
                      times[{false, region}] += static_cast<double>(to - from);
                    });
  }

  void add_call(const Activity& call, const ActivityRef& number) {
    const auto known = std::ranges::lower_bound(found_->waits, number, {}, &WaitState::waiting);
    const bool has_waited = known != found_->waits.end() && known->waiting == number && known->is_certain();
    const std::int64_t begin = inside(has_waited ? known->end_ns : call.begin_ns);
    times[{true, call.site}] += static_cast<double>(inside(call.end_ns) - begin);
  }

  const RunActivities* run_;
  const WaitStates* found_;
  const CriticalPath* path_;
};

}  // namespace

const ActivityProfile* PathProfile::costliest() const noexcept {
  const auto found = std::ranges::max_element(activities, {}, &ActivityProfile::imbalance_ns);
  return found == activities.end() ? nullptr : &*found;
}

PathProfile profile_path(const RunActivities& run, const WaitStates& found, const CriticalPath& path) {
  PathProfile profile;
  profile.locations.resize(run.locations());
  LocationTimes all(run, found, path);
  for (std::uint32_t location = 0; location < run.locations(); ++location) all.add(location);
  profile.unknown_ns = all.unknown_ns;
  for (const auto& [key, ns] : path.sums) {
    const auto time = static_cast<double>(ns);
    profile.locations[key.second] += time;
    if (profile.activities.empty() || profile.activities.back().of != key.first)
      profile.activities.push_back({.of = key.first});
    ActivityProfile& activity = profile.activities.back();
    activity.path_ns += time;
    if (time <= activity.location_path_ns) continue;
    activity.location = key.second;
    activity.location_path_ns = time;
  }
  for (ActivityProfile& activity : profile.activities) {
    activity.mean_ns =
        all.times[activity.of] / static_cast<double>(std::max<std::size_t>(run.participants(), 1));
    profile.imbalance_ns += activity.imbalance_ns();
  }
  std::ranges::stable_sort(profile.activities, std::greater(), &ActivityProfile::path_ns);
  return profile;
}

}  // namespace eventspace

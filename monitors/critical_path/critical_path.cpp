#include "monitors/critical_path/critical_path.h"

#include <algorithm>
#include <deque>
#include <limits>

#include "monitors/critical_path/region_times.h"

namespace eventspace {
namespace {

class PathWalk {
 public:
  PathWalk(const RunActivities& run, const WaitStates& found)
      : run_(&run), found_(&found), behind_(run.locations(), std::numeric_limits<std::uint64_t>::max()) {}

  CriticalPath find() {
    if (!begin()) return std::move(path_);
    while (step()) {
    }
    path_.begin_ns = time_;
    const bool is_late = time_ > path_.run_begin_ns && path_.covered() <= 1 - CriticalPath::least_share;
    if (path_.breaks == CriticalPath::Break::none && is_late) path_.breaks = CriticalPath::Break::first_call;
    path_.begin_location = location_;
    std::ranges::reverse(path_.segments);
    return std::move(path_);
  }

 private:
  // The path begins with the call that ended last. Calls in flight have not ended.
  bool begin() {
    std::optional<std::int64_t> first, last;
    for (std::uint32_t location = 0; location < run_->locations(); ++location) {
      const auto& calls = run_->activities(location);
      if (calls.empty()) continue;
      first = std::min(first.value_or(calls.front().begin_ns), calls.front().begin_ns);
      std::size_t place = calls.size();
      while (place > 0 && calls[place - 1].is_in_flight) --place;
      if (place < calls.size()) add_in_flight(calls[place]);
      if (place == 0 || (last && calls[place - 1].end_ns <= *last)) continue;
      last = calls[place - 1].end_ns;
      location_ = location;
      behind_[location] = run_->first_of(location) + place;
    }
    path_.run_begin_ns = first.value_or(0);
    time_ = path_.end_ns = last.value_or(path_.run_begin_ns);
    path_.begin_ns = path_.end_ns;
    path_.run_end_ns = path_.in_flight == 0 ? path_.end_ns : std::max(path_.run_end_ns, path_.end_ns);
    return last.has_value();
  }

  void add_in_flight(const Activity& call) {
    path_.run_end_ns = path_.in_flight == 0 ? call.end_ns : std::max(path_.run_end_ns, call.end_ns);
    ++path_.in_flight;
    path_.longest_in_flight_ns =
        std::max(path_.longest_in_flight_ns, saturating::subtract(call.end_ns, call.begin_ns));
  }

  // Passes the computation since the newest call of the location, and that call. Each step passes another
  // call, so the walk ends, whatever the times of a damaged recording are.
  bool step() {
    const std::uint64_t first = run_->first_of(location_);
    if (behind_[location_] <= first) return false;
    const ActivityRef number{location_, --behind_[location_]};
    const Activity& call = run_->activities(location_)[number.number - first];
    compute(std::min(call.end_ns, time_));
    if (call.awaits_unknown) return ends(CriticalPath::Break::unknown);
    const WaitState* const wait = wait_of(number);
    if (wait != nullptr && wait->is_certain()) {
      if (wait->kind != WaitKind::startup) add_to(path_.transfer_ns, wait->end_ns);
      add(std::min(wait->end_ns, time_), {true, call.site}, wait->cause.location);
      return jump(*wait);
    }
    if (wait != nullptr) {
      ++path_.unclear;
      const std::int64_t until = std::min(wait->end_ns, time_);
      const std::int64_t on_path = std::max<std::int64_t>(saturating::subtract(until, wait->begin_ns), 0);
      path_.unclear_ns = saturating::add(path_.unclear_ns, on_path);
    }
    if (call.awaits_unfollowed) add_to(path_.unfollowed_ns, call.begin_ns);
    add(std::min(call.begin_ns, time_), {true, call.site});
    return !call.follows_gap || ends(CriticalPath::Break::gap);
  }

  // Continues with the calls before the cause; if the wait lasted until its end, with the cause itself.
  bool jump(const WaitState& wait) {
    ++path_.jumps;
    location_ = wait.cause.location;
    const std::uint64_t until = wait.cause.number + (wait.needs_end ? 1 : 0);
    behind_[location_] = std::min(behind_[location_], until);
    const Activity* const cause = run_->find(wait.cause);
    const bool has_gap = !wait.needs_end && cause != nullptr && cause->follows_gap;
    return !has_gap || ends(CriticalPath::Break::gap);
  }

  bool ends(CriticalPath::Break why) {
    path_.breaks = why;
    return false;
  }

  // The time from `since` to now.
  void add_to(std::int64_t& sum, std::int64_t since) const {
    sum = saturating::add(sum, std::max<std::int64_t>(saturating::subtract(time_, since), 0));
  }

  void compute(std::int64_t since) {
    const std::int64_t until = time_;
    std::deque<PathSegment> pieces;
    for_each_region(run_->regions_of(location_), since, until,
                    [&](std::uint32_t region, std::int64_t begin, std::int64_t end) {
                      pieces.push_front({location_, begin, end, {false, region}, {}});
                    });
    for (const PathSegment& piece : pieces) keep(piece);
    time_ = std::min(time_, since);
  }

  void add(std::int64_t since, const PathActivity& of, std::optional<std::uint32_t> from = {}) {
    if (since < time_) keep({location_, since, time_, of, from});
    time_ = since;
  }

  void keep(const PathSegment& segment) {
    std::int64_t& sum = path_.sums[{segment.of, segment.location}];
    sum = saturating::add(sum, segment.ns());
    if (path_.segments.size() < CriticalPath::max_segments)
      path_.segments.push_back(segment);
    else
      ++path_.left_out;
  }

  [[nodiscard]] const WaitState* wait_of(const ActivityRef& call) const {
    const auto known = std::ranges::lower_bound(found_->waits, call, {}, &WaitState::waiting);
    return known == found_->waits.end() || known->waiting != call ? nullptr : &*known;
  }

  const RunActivities* run_;
  const WaitStates* found_;
  std::vector<std::uint64_t> behind_;  // by location: the number after the newest call that was not passed
  std::uint32_t location_{0};
  std::int64_t time_{0};
  CriticalPath path_;
};

}  // namespace

double CriticalPath::covered() const noexcept {
  return run_ns() > 0 ? static_cast<double>(ns()) / static_cast<double>(run_ns()) : 0;
}

CriticalPath find_critical_path(const RunActivities& run, const WaitStates& found) {
  return PathWalk(run, found).find();
}

}  // namespace eventspace

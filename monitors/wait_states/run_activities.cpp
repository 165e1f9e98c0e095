#include "monitors/wait_states/run_activities.h"

#include <algorithm>
#include <utility>

namespace eventspace {

std::string_view to_string(WaitKind kind) noexcept {
  switch (kind) {
    case WaitKind::late_sender:
      return "late sender";
    case WaitKind::late_receiver:
      return "late receiver";
    case WaitKind::barrier:
      return "wait at barrier";
    case WaitKind::n_to_n:
      return "wait at NxN";
    case WaitKind::early_reduce:
      return "early reduce";
    case WaitKind::late_broadcast:
      return "late broadcast";
    case WaitKind::early_scan:
      return "early scan";
    case WaitKind::startup:
      return "start-up";
  }
  return "?";
}

RunActivities::RunActivities(const Limits& limits) : limits_(limits) {}

std::uint32_t RunActivities::add_location(std::string name, const Clock& clock) {
  locations_.push_back({std::move(name), clock});
  return static_cast<std::uint32_t>(locations_.size() - 1);
}

std::uint32_t RunActivities::number_of(Names& names, const std::string& name) {
  if (const auto known = names.numbers.find(name); known != names.numbers.end()) return known->second;
  const bool is_full = names.numbers.size() >= limits_.names;
  if (is_full) ++left_out_;
  const auto [number, is_new] =
      names.numbers.try_emplace(is_full ? "other" : name, static_cast<std::uint32_t>(names.names.size()));
  if (is_new) names.names.push_back(number->first);
  return number->second;
}

ActivityRef RunActivities::add(std::uint32_t location, Activity activity) {
  if (activities_ >= limits_.activities) drop_older_half();
  Location& of = locations_[location];
  activity.end_ns = std::max(activity.end_ns, activity.begin_ns);
  if (!of.activities.empty()) {
    const Activity& last = of.activities.back();
    if (activity.begin_ns < last.end_ns && activity.end_ns <= last.end_ns)
      return {location, of.first + of.activities.size() - 1};
    activity.begin_ns = std::max(activity.begin_ns, last.end_ns);
  }
  if (std::exchange(of.has_gap, false)) activity.follows_gap = true;
  of.activities.push_back(activity);
  ++activities_;
  return {location, of.first + of.activities.size() - 1};
}

void RunActivities::mark_gap(std::uint32_t location, std::int64_t since_ns) {
  Location& of = locations_[location];
  of.has_gap = true;
  for (auto call = of.activities.rbegin(); call != of.activities.rend() && call->end_ns > since_ns; ++call)
    call->follows_gap = true;
}

std::size_t RunActivities::participants() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(locations_, [](const Location& of) { return !of.activities.empty(); }));
}

void RunActivities::change_region(std::uint32_t location, const RegionChange& change) {
  if (region_changes_ >= limits_.region_changes) {
    ++left_out_;
    return;
  }
  ++region_changes_;
  locations_[location].regions.push_back(change);
}

Activity* RunActivities::changeable(const ActivityRef& activity) {
  return const_cast<Activity*>(std::as_const(*this).find(activity));
}

const Activity* RunActivities::find(const ActivityRef& activity) const {
  const Location& of = locations_[activity.location];
  const std::uint64_t place = activity.number - of.first;
  return activity.number >= of.first && place < of.activities.size() ? &of.activities[place] : nullptr;
}

void RunActivities::mark_unknown(const ActivityRef& activity) {
  if (Activity* const of = changeable(activity)) of->awaits_unknown = true;
}

void RunActivities::mark_unfollowed(const ActivityRef& activity) {
  if (Activity* const of = changeable(activity)) of->awaits_unfollowed = true;
}

void RunActivities::link(const Dependency& dependency) {
  if (find(dependency.waiting) == nullptr) return;
  if (find(dependency.cause) != nullptr && links_ < limits_.links) {
    dependencies_.push_back(dependency);
    ++links_;
    return;
  }
  if (links_ >= limits_.links) ++left_out_;
  mark_unknown(dependency.waiting);
}

// If one member was dropped, the last one is not known.
void RunActivities::meet(Meeting meeting) {
  const bool is_whole = std::ranges::all_of(
      meeting.members, [this](const Meeting::Member& member) { return find(member.comes) != nullptr; });
  const bool has_room = links_ + meeting.members.size() <= limits_.links;
  if (is_whole && has_room) {
    links_ += meeting.members.size();
    meetings_.push_back(std::move(meeting));
    return;
  }
  if (!has_room) ++left_out_;
  for (const Meeting::Member& member : meeting.members)
    if (member.waits) mark_unknown(member.leaves);
}

Moment RunActivities::moment(std::uint32_t location, std::int64_t ns) const {
  const Clock& clock = locations_[location].clock;
  return {.ns = ns, .error_ns = clock.error_ns, .clock = clock.number, .own_ns = ns};
}

// --- the bound of memory ----------------------------------------------------------------------------------

std::int64_t RunActivities::median_end() const {
  constexpr std::size_t every = 16;  // a sample is enough
  std::vector<std::int64_t> ends;
  for (const Location& of : locations_)
    for (std::size_t i = 0; i < of.activities.size(); i += every) ends.push_back(of.activities[i].end_ns);
  if (ends.empty()) return 0;
  const auto half = ends.begin() + static_cast<std::ptrdiff_t>(ends.size() / 2);
  std::ranges::nth_element(ends, half);
  return *half;
}

void RunActivities::drop_older_half() {
  const std::int64_t until = median_end();
  for (Location& of : locations_) {
    bool has_dropped = false;
    while (!of.activities.empty() && of.activities.front().end_ns <= until) {
      of.activities.pop_front();
      ++of.first;
      ++left_out_;
      --activities_;
      has_dropped = true;
    }
    if (!has_dropped) continue;
    if (of.activities.empty())
      of.has_gap = true;
    else
      of.activities.front().follows_gap = true;
  }
  drop_links();
}

void RunActivities::drop_links() {
  std::vector<Dependency> links = std::exchange(dependencies_, {});
  std::vector<Meeting> meetings = std::exchange(meetings_, {});
  links_ = 0;
  for (const Dependency& one : links) link(one);
  for (Meeting& one : meetings) meet(std::move(one));
}

}  // namespace eventspace

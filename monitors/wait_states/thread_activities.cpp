#include "monitors/wait_states/thread_activities.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "tuplespace/system/saturating.h"

namespace eventspace {
namespace {

Activity activity_of(const exports::Slice& slice, std::uint32_t site) {
  Activity activity;
  activity.begin_ns = slice.begin_ns;
  activity.end_ns = slice.end_ns;
  activity.site = site;
  activity.is_in_flight = slice.in_flight;
  return activity;
}

}  // namespace

// Times of processes of one node that use the counter of the processor are of one clock (exports::ClockMaps).
RunActivities::Clock ThreadActivities::clock_of(const exports::Slice& slice, const exports::Track& track) {
  const ProcessReport* const process = slice.event.process;
  const bool is_shared = process != nullptr && process->clock.source == ClockSource::tsc;
  const std::string name =
      is_shared ? fmt::format("node {}", track.node) : fmt::format("process {}", track.process);
  return {.number = clocks_.try_emplace(name, static_cast<std::uint32_t>(clocks_.size())).first->second,
          .error_ns = slice.error_ns.value_or(Moment::unbounded)};
}

std::uint32_t ThreadActivities::location(const exports::Slice& slice, const exports::Track& track,
                                         std::uint32_t number) {
  const auto [known, is_new] = threads_.try_emplace(number);
  Thread& thread = known->second;
  if (is_new)
    thread.location = run_->add_location(std::string(names_->thread_name(number)), clock_of(slice, track));
  if (const auto gap = gaps_.find(track.first); gap != gaps_.end()) {
    release(thread.location);
    run_->mark_gap(thread.location, gap->second);
    gaps_.erase(gap);
  }
  return thread.location;
}

// A loss also counts for events of the thread in other trace elements, since the order of all is not known.
void ThreadActivities::lose(const exports::Track& track, const exports::LostEvents& lost) {
  const auto [gap, is_new] = gaps_.try_emplace(track.first, lost.begin_ns);
  if (!is_new) gap->second = std::min(gap->second, lost.begin_ns);
}

// --- regions ----------------------------------------------------------------------------------------------

void ThreadActivities::add_region(const exports::Slice& slice, const exports::Track& track) {
  if (slice.is_instant) return;
  const std::uint32_t number = slice.event.header().thread;
  const std::uint32_t of = location(slice, track, number);
  Thread& thread = threads_.at(number);
  end_regions(thread, slice.begin_ns);
  const std::uint32_t name = run_->region(std::string(slice.name));
  thread.regions.push_back({slice.end_ns, name});
  run_->change_region(of, {slice.begin_ns, name});
}

void ThreadActivities::end_regions(Thread& thread, std::int64_t before) {
  while (!thread.regions.empty() && thread.regions.back().end_ns <= before) {
    const std::int64_t end = thread.regions.back().end_ns;
    thread.regions.pop_back();
    run_->change_region(thread.location, {end, thread.regions.empty() ? 0 : thread.regions.back().name});
  }
}

// --- calls ------------------------------------------------------------------------------------------------

// Whether the thread spent at least half of the time until then in the calls.
bool ThreadActivities::Held::lasts_until(std::int64_t begin_ns) const noexcept {
  return saturating::subtract(saturating::subtract(begin_ns, activity.begin_ns), polled_ns) <= polled_ns;
}

ActivityRef ThreadActivities::append(const exports::Slice& slice, std::uint32_t location, std::uint32_t site,
                                     bool finds) {
  Activity activity = activity_of(slice, site);
  if (const auto held = held_.find(location);
      held != held_.end() && finds && held->second.lasts_until(slice.begin_ns)) {
    activity.begin_ns = held->second.activity.begin_ns;
    held_.erase(held);
  }
  release(location);
  return run_->add(location, activity);
}

void ThreadActivities::hold(const exports::Slice& slice, std::uint32_t location, std::uint32_t site,
                            std::uint32_t by) {
  if (!holds(location, by) || !held_.at(location).lasts_until(slice.begin_ns)) release(location);
  const Activity activity = activity_of(slice, site);
  Held& held = held_.try_emplace(location, Held{activity, by}).first->second;
  held.activity.end_ns = std::max(held.activity.end_ns, activity.end_ns);
  held.polled_ns = saturating::add(held.polled_ns, saturating::subtract(activity.end_ns, activity.begin_ns));
}

bool ThreadActivities::holds(std::uint32_t location, std::uint32_t by) const {
  const auto held = held_.find(location);
  return held != held_.end() && held->second.by == by;
}

void ThreadActivities::release(std::uint32_t location) {
  const auto held = held_.find(location);
  if (held == held_.end()) return;
  run_->add(location, held->second.activity);
  held_.erase(held);
}

void ThreadActivities::finish() {
  for (auto& [number, thread] : threads_) {
    release(thread.location);
    end_regions(thread, std::numeric_limits<std::int64_t>::max());
  }
}

}  // namespace eventspace

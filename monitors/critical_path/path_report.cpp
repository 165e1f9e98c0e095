#include "monitors/critical_path/path_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "monitors/text/counted.h"
#include "monitors/text/text_format.h"

namespace eventspace {
namespace {

std::string percent(double part, double whole) {
  return fmt::format("{:.0f}%", whole > 0 ? 100 * part / whole : 0);
}

bool has_regions(const RunActivities& run) {
  for (std::uint32_t location = 0; location < run.locations(); ++location)
    if (!run.regions_of(location).empty()) return true;
  return false;
}

// Whether the activity is named with one location.
bool is_of_one(const ActivityProfile& activity) {
  return 2 * activity.location_excess_ns >= activity.imbalance_ns() ||
         2 * activity.location_path_ns >= activity.path_ns;
}

// "rank 3's computation", or "computation of 5 ranks".
std::string subject_of(const PathReport& report, const ActivityProfile& activity) {
  const std::string name = name_of(*report.run, activity.of);
  if (!is_of_one(activity)) {
    const auto is_its = [&](const auto& sum) { return sum.first.first == activity.of; };
    return fmt::format(
        "{} of {}", name,
        counted(static_cast<std::uint64_t>(std::ranges::count_if(report.path.sums, is_its)), report.word));
  }
  const std::string& location = report.run->name_of(activity.location);
  return activity.of.is_call ? fmt::format("{} of {}", name, location)
                             : fmt::format("{}'s {}", location, name);
}

double time_of(const ActivityProfile& activity) {
  return is_of_one(activity) ? activity.location_path_ns : activity.path_ns;
}

std::string duration(std::int64_t ns) { return duration_of_ns(static_cast<double>(ns)); }

std::string reason_of(CriticalPath::Break breaks, const std::string& location) {
  switch (breaks) {
    case CriticalPath::Break::none:
      break;
    case CriticalPath::Break::gap:
      return fmt::format("records of {} are missing before", location);
    case CriticalPath::Break::unknown:
      return fmt::format("{} is then in a call whose partner's records are missing", location);
    case CriticalPath::Break::first_call:
      return fmt::format("no earlier call of {} is recorded", location);
  }
  return "";
}

std::string break_of(const PathReport& report) {
  const CriticalPath& path = report.path;
  return fmt::format("the path is known only for the last {}, {} of the run: {}", duration(path.ns()),
                     percent(path.covered(), 1),
                     reason_of(path.breaks, report.run->name_of(path.begin_location)));
}

// What the path does not cover, to be appended to the answer.
std::string limits_of(const PathReport& report) {
  const CriticalPath& path = report.path;
  std::string text;
  if (path.breaks != CriticalPath::Break::none)
    text = fmt::format("; only the last {} of the run are known", percent(path.covered(), 1));
  const auto behind = static_cast<double>(path.behind_ns());
  if (behind > 0 && behind >= CriticalPath::least_share * (behind + static_cast<double>(path.run_ns())))
    text += fmt::format("; the path ends {} before the recording, in calls of {} that had not ended",
                        duration_of_ns(behind), counted(path.in_flight, report.word));
  return text;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : "; ") + part;
  return text;
}

void add_path(const PathReport& report, std::vector<std::string>& all) {
  const CriticalPath& path = report.path;
  if (path.breaks != CriticalPath::Break::none) all.push_back(break_of(report));
  if (path.unclear > 0)
    all.push_back(
        fmt::format("the path does not follow {}, {} in total, that may be an error of the clocks: the time "
                    "counts as work",
                    counted(path.unclear, "wait"), duration(path.unclear_ns)));
  if (path.unfollowed_ns > 0)
    all.push_back(fmt::format(
        "{} of the path are calls that may wait in ways that are not analysed, such as one-sided ones",
        duration(path.unfollowed_ns)));
  if (path.left_out > 0)
    all.push_back(fmt::format("the oldest {} of the path are not listed; the sums include them",
                              counted(path.left_out, "segment")));
  if (report.profile.unknown_ns > 0)
    all.push_back(
        fmt::format("means leave out {} of {}s, whose records are missing or whose calls had not ended",
                    duration_of_ns(report.profile.unknown_ns), report.word));
}

void add_waits(const PathReport& report, std::vector<std::string>& all) {
  const WaitTotals& waits = report.waits;
  if (waits.all.unclear > 0)
    all.push_back(
        fmt::format("{}, {} in total, may be an error of the clocks: counted apart, without an origin",
                    counted(waits.all.unclear, "wait"), duration_of_ns(waits.all.unclear_ns)));
  if (waits.unknown_ns >= CriticalPath::least_share * waits.all.ns && waits.unknown_ns > 0)
    all.push_back(
        fmt::format("it is not known where {} of the waits began", duration_of_ns(waits.unknown_ns)));
  if (waits.left_out > 0)
    all.push_back(fmt::format("{} left out, because tables are full", counted(waits.left_out, "origin")));
  if (report.found.contradictions > 0)
    all.push_back(fmt::format("{} ignored, because the times of their two ends contradict each other",
                              counted(report.found.contradictions, "dependency")));
}

}  // namespace

PathReport::PathReport(const RunActivities& of, const ActivitySink::Reservations& limits,
                       std::string_view location)
    : run(&of),
      reservations(limits),
      word(location),
      found(find_waits(of)),
      waits(sum_waits(of, found)),
      path(find_critical_path(of, found)),
      profile(profile_path(of, found, path)) {}

std::string name_of(const RunActivities& run, const PathActivity& activity) {
  if (activity.is_call) return run.site_name(activity.number);
  if (activity.number != 0)
    return fmt::format("computation in region '{}'", run.region_name(activity.number));
  return has_regions(run) ? "computation outside of regions" : "computation";
}

std::vector<std::string> doubts_of(const PathReport& report) {
  std::vector<std::string> all;
  const CriticalPath& path = report.path;
  const auto length = static_cast<double>(path.ns());
  const auto is_considerable = [length](std::int64_t ns) {
    return ns > 0 && static_cast<double>(ns) >= CriticalPath::least_share * length;
  };
  const auto share = [length](std::int64_t ns) {
    return fmt::format("{} of the critical path, {}", percent(static_cast<double>(ns), length), duration(ns));
  };
  if (const std::uint64_t thinned = report.reservations.thinned_processes; thinned > 0)
    all.push_back(fmt::format("{} did not record all calls", counted(thinned, "process")));
  if (is_considerable(path.unclear_ns))
    all.push_back(
        fmt::format("{}, may be waits, but the clocks are not exact enough", share(path.unclear_ns)));
  if (is_considerable(path.unfollowed_ns))
    all.push_back(fmt::format("{}, are calls whose waits are not analysed", share(path.unfollowed_ns)));
  return all;
}

const ActivityProfile* costliest_of(const PathReport& report) {
  return doubts_of(report).empty() ? report.profile.costliest() : nullptr;
}

std::string answer_of(const PathReport& report) {
  const auto length = static_cast<double>(report.path.ns());
  const ActivityProfile* const costliest = report.profile.costliest();
  if (costliest == nullptr)
    return report.path.in_flight == 0
               ? "no critical path: the recorded calls take no time"
               : fmt::format("no critical path: {} had not ended, and the calls before take no time",
                             counted(report.path.in_flight, "call"));
  if (const std::vector<std::string> doubts = doubts_of(report); !doubts.empty())
    return fmt::format("no activity can be named: {}{}", joined(doubts), limits_of(report));
  if (costliest->imbalance_ns() >= CriticalPath::least_share * length)
    return fmt::format("{} makes up {} of the critical path; evening it out would save at most {} of {}{}",
                       subject_of(report, *costliest), percent(time_of(*costliest), length),
                       duration_of_ns(costliest->imbalance_ns()), duration_of_ns(length), limits_of(report));
  const ActivityProfile& longest = report.profile.activities.front();
  return fmt::format(
      "the critical path is balanced: {} makes up {} of it, and evening out any activity would save less "
      "than {} of {}{}",
      name_of(*report.run, longest.of), percent(longest.path_ns, length),
      percent(CriticalPath::least_share, 1), duration_of_ns(length), limits_of(report));
}

std::vector<std::string> evidence_of(const PathReport& report) {
  const CriticalPath& path = report.path;
  double computing = 0;
  for (const ActivityProfile& activity : report.profile.activities)
    computing += activity.of.is_call ? 0 : activity.path_ns;
  const auto length = static_cast<double>(path.ns());
  std::vector<std::string> all{
      fmt::format("critical path: {}: computing {}, calls {}, of these {} after waits; it changes the {} {}",
                  duration_of_ns(length), percent(computing, length), percent(length - computing, length),
                  duration(path.transfer_ns), report.word, counted(path.jumps, "time"))};
  const WaitTotals& waits = report.waits;
  if (waits.all.waits == 0) {
    all.emplace_back("waits: none");
    return all;
  }
  const auto most = std::ranges::max_element(waits.locations, {}, &LocationWaits::caused_ns);
  std::string text =
      fmt::format("waits: {} in {}", duration_of_ns(waits.all.ns), counted(waits.all.waits, "call"));
  const bool are_known = report.reservations.thinned_processes == 0;
  if (are_known && most != waits.locations.end() && most->caused_ns > 0)
    text += fmt::format("; {} of this began with {}", percent(most->caused_ns, waits.all.ns),
                        report.run->name_of(static_cast<std::uint32_t>(most - waits.locations.begin())));
  all.push_back(std::move(text));
  return all;
}

std::vector<std::string> reservations_of(const PathReport& report) {
  std::vector<std::string> all;
  if (!report.path.is_empty()) add_path(report, all);
  add_waits(report, all);
  const ActivitySink::Reservations& limits = report.reservations;
  const auto note = [&all](std::uint64_t count, std::string_view noun, std::string_view text) {
    if (count > 0) all.push_back(fmt::format("{} {}", counted(count, noun), text));
  };
  if (limits.thinned_processes > 0)
    all.push_back(
        fmt::format("{} did not record all calls (switch, --budget): the others may be matched wrongly, and "
                    "waits and path are not reliable",
                    counted(limits.thinned_processes, "process")));
  if (report.path.in_flight > 0)
    all.push_back(fmt::format("{} in calls that had not ended, the longest for {}",
                              counted(report.path.in_flight, report.word),
                              duration(report.path.longest_in_flight_ns)));
  note(limits.lost_records, "record", "lost before they were recorded, or damaged");
  note(limits.damaged_chunks, "part", "of the recording damaged");
  note(limits.likely_ends, "end", "of messages matched by likelihood, because records before were lost");
  note(limits.left_out, "item", "left out (calls, links between them, names), because of limits of memory");
  note(limits.pvm_calls, "call", "of PVM not analysed");
  note(limits.other_jobs_calls, "call", "of spawned jobs not analysed");
  return all;
}

}  // namespace eventspace

#include "monitors/efficiency/ideal_run.h"

#include <algorithm>
#include <limits>

#include <eventspace/error.h>
#include "monitors/efficiency/bounded_time.h"
#include "monitors/whatif/actions/consistency.h"
#include "monitors/whatif/actions/faulty_input.h"
#include "monitors/whatif/asking/answer.h"
#include "monitors/whatif/networks/network.h"
#include "monitors/whatif/simulation/simulate.h"

namespace eventspace::efficiency {
namespace {

using whatif::Picoseconds;

double in_ns(Picoseconds time) noexcept {
  return static_cast<double>(time) / static_cast<double>(whatif::ps_per_ns);
}

bool may_wait(const whatif::Action& action) noexcept {
  return action.kind != whatif::ActionKind::compute && action.kind != whatif::ActionKind::idle &&
         action.kind != whatif::ActionKind::overhead;
}

/// A cause of waiting at a moment of the simulated run.
struct Cause {
  std::uint32_t task{0};
  Picoseconds at{0};
};

// The task that `first` waited for may have waited itself until the same moment, as in the tree of a
// collective operation. Follows such waits to the task that came last by its own work.
std::uint32_t origin_of(const whatif::SimulationTrace& trace, const Cause& first) {
  constexpr int most_steps = 64;  // the depth of a tree of operations; more are a chain without work
  Cause cause = first;
  for (int step = 0; step < most_steps; ++step) {
    const auto& waits = trace.waits[cause.task];
    auto wait = std::ranges::upper_bound(waits, cause.at, {}, &whatif::SimulationTrace::Wait::until);
    if (wait == waits.begin()) break;
    --wait;
    if (wait->until != cause.at || wait->cause == cause.task) break;
    cause = {wait->cause, wait->since};
  }
  return cause.task;
}

}  // namespace

IdealRun::IdealRun(const whatif::RecordedProgram& recorded, const whatif::Outcome& outcome)
    : points_(recorded.program.tasks.size()), functions_(recorded.program.functions), notes_(recorded.notes) {
  for (std::uint32_t task = 0; task < recorded.program.tasks.size(); ++task) {
    names_.push_back(recorded.program.tasks[task].name);
    add_task(recorded, *outcome.trace, task);
  }
  for (std::uint32_t task = 0; task < recorded.program.tasks.size(); ++task)
    add_waits(recorded, *outcome.trace, task);
  if (!recorded.program.cut) return;
  std::int64_t begin = std::numeric_limits<std::int64_t>::max();
  for (const auto& times : recorded.times)
    if (!times.empty()) begin = std::min(begin, times.front().begin_ns);
  known_until_ = bounded_ns(begin) + recorded.program.cut->at / whatif::ps_per_ns;
  why_not_known_ = recorded.program.cut->reason;
}

// All actions of a call have its recorded times, but follow one another on the ideal network.
void IdealRun::add_task(const whatif::RecordedProgram& recorded, const whatif::SimulationTrace& trace,
                        std::uint32_t task) {
  const auto& actions = recorded.program.tasks[task].actions;
  const auto& times = recorded.times[task];
  const auto& ideal = trace.times[task];
  std::vector<Point>& points = points_[task];
  const std::size_t count = std::min({actions.size(), times.size(), ideal.size()});
  for (std::size_t i = 0; i < count;) {
    std::size_t last = i;
    while (last + 1 < count && times[last + 1].begin_ns == times[i].begin_ns &&
           times[last + 1].end_ns == times[i].end_ns)
      ++last;
    const double begin = in_ns(ideal[i].first);
    const double end = in_ns(ideal[last].second);
    const std::int64_t begin_ns = bounded_ns(times[i].begin_ns);
    const std::int64_t end_ns = bounded_ns(times[i].end_ns);
    points.push_back({begin_ns, begin});
    points.push_back({end_ns, end});
    if (actions[i].function != 0)
      calls_.push_back({begin_ns, end_ns, end - begin, actions[i].function,
                        static_cast<std::uint32_t>(actions[i].calls())});
    i = last + 1;
  }
  std::ranges::stable_sort(points, {}, &Point::recorded_ns);
}

void IdealRun::add_waits(const whatif::RecordedProgram& recorded, const whatif::SimulationTrace& trace,
                         std::uint32_t task) {
  const auto& actions = recorded.program.tasks[task].actions;
  const auto& times = trace.times[task];
  std::size_t action = 0;
  Picoseconds until = 0;  // waits of one action follow one another
  for (const auto& wait : trace.waits[task]) {
    while (action < times.size() && (times[action].second < wait.until || !may_wait(actions[action])))
      ++action;
    if (action == times.size()) return;
    const Picoseconds since = std::max(until, times[action].first);
    until = wait.until;
    if (wait.cause == task || wait.until <= since) continue;
    const double waited = in_ns(wait.until - since);
    const std::uint32_t origin = origin_of(trace, {wait.cause, wait.since});
    waits_.push_back({recorded.times[task][action].begin_ns, waited, task, origin});
  }
}

std::vector<IdealRun::Site> IdealRun::sites(const Interval& interval) const {
  std::vector<Site> sites(functions_.size());
  for (const Call& call : calls_) {
    if (!interval.has(call.begin_ns)) continue;
    Site& site = sites[call.function];
    site.calls += call.calls;
    site.serialisation_ns += call.ideal_ns;
    site.transfer_ns += std::max(static_cast<double>(call.end_ns - call.begin_ns) - call.ideal_ns, 0.0);
  }
  for (std::size_t function = 0; function < sites.size(); ++function)
    sites[function].name = functions_[function];
  std::erase_if(sites, [](const Site& site) { return site.calls == 0; });
  std::ranges::stable_sort(sites, std::greater(), &Site::transfer_ns);
  return sites;
}

std::vector<IdealRun::Waited> IdealRun::waits(const Interval& interval) const {
  std::vector<Waited> waits(points_.size());
  for (const Wait& wait : waits_) {
    if (!interval.has(wait.begin_ns)) continue;
    waits[wait.task].waited_ns += wait.waited_ns;
    if (wait.origin != wait.task) waits[wait.origin].caused_ns += wait.waited_ns;
  }
  return waits;
}

std::optional<std::uint32_t> IdealRun::task_of_rank(std::uint32_t rank) const {
  if (rank >= points_.size() || points_[rank].empty()) return std::nullopt;
  return rank;
}

std::optional<std::uint32_t> IdealRun::task_named(std::string_view name) const {
  const auto place = std::ranges::find(names_, name);
  if (place == names_.end()) return std::nullopt;
  return task_of_rank(static_cast<std::uint32_t>(place - names_.begin()));
}

double IdealRun::ideal_at(std::uint32_t task, std::int64_t recorded_ns) const {
  const auto& points = points_[task];
  if (points.empty()) return 0;
  const auto after = std::ranges::upper_bound(points, recorded_ns, {}, &Point::recorded_ns);
  if (after == points.begin()) return after->ideal_ns - static_cast<double>(after->recorded_ns - recorded_ns);
  const Point& before = *(after - 1);
  const auto since = static_cast<double>(recorded_ns - before.recorded_ns);
  if (after == points.end()) return before.ideal_ns + since;
  const auto whole = static_cast<double>(after->recorded_ns - before.recorded_ns);
  return before.ideal_ns + (after->ideal_ns - before.ideal_ns) * since / whole;
}

std::optional<IdealRun> ideal_run_of(const Watched& watched, const std::function<bool()>& goes_on,
                                     std::string& why_not) {
  why_not.clear();
  try {
    auto recorded = whatif::read_recorded_program(
        watched,
        {.recorder_ns = 0, .progress = [&goes_on](double) { return goes_on(); }, .is_detailed = true});
    if (!recorded) return std::nullopt;
    whatif::require_consistent(recorded->program);
    whatif::SimulationSettings settings{.overhead = 0, .traces = true, .times = true};
    settings.goes_on = goes_on;
    const auto outcome = whatif::simulate(recorded->program, *whatif::shipped_network("infinite"), settings);
    if (!outcome) return std::nullopt;
    if (const std::string limits = whatif::limits_of(*outcome); !limits.empty())
      recorded->notes.push_back("the program may run differently on an ideal network: " + limits);
    return IdealRun(*recorded, *outcome);
  } catch (const whatif::FaultyInput& faulty) {
    why_not = faulty.lines().empty() ? faulty.what() : faulty.lines().front();
  } catch (const ConfigurationError& error) {
    why_not = error.what();
  }
  return std::nullopt;
}

}  // namespace eventspace::efficiency

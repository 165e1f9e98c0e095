#include "monitors/collectives/collective_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include <eventspace/error.h>
#include "monitors/collectives/collective_plan.h"
#include "monitors/watching/under_way_numbers.h"
#include "pathmaps/plan/plan_lookup.h"

namespace eventspace {
namespace {

constexpr std::size_t max_early = 10'000;

bool has_records(const CollectiveShape& shape) {
  return std::ranges::any_of(
      shape.edges, [](const CollectiveShape::Edge& edge) { return edge.at_thread || edge.at_joint; });
}

/// Whether a record that was kept because it came too early belongs to the current run.
bool is_in_time(const EdgeRecord& record, const RunBoundary& boundary, const CollectiveAnalysis& analysis) {
  return boundary.is_current(record.start) && !analysis.is_reported(record.operation);
}
bool is_in_time(const ProcessPart& part, const RunBoundary& boundary,
                const CollectiveAnalysis& /*analysis*/) {
  return boundary.is_current(part.first.at);
}

std::vector<const CollectivePlan*> chosen(const Plan& plan, const std::vector<std::string>& only) {
  std::vector<const CollectivePlan*> found;
  found.reserve(only.size());
  for (const std::string& name : only) found.push_back(&require_collective(plan, name));
  if (!only.empty()) return found;
  for (const CollectivePlan& collective : plan.collectives) found.push_back(&collective);
  return found;
}

}  // namespace

CollectiveWatch::CollectiveWatch(const Plan& plan, const PlanNames& names, const ScopeTree& tree,
                                 const std::vector<std::string>& only, CollectiveAnalysis::Config config)
    : processes_(plan.processes.size()), reports_(names) {
  const auto traces = traces_read_by(tree);
  const auto layouts = collective_layouts(names);
  for (const CollectivePlan* const collective : chosen(plan, only)) {
    const CollectiveIndex number = plan.collectives.index_of(*collective);
    CollectiveShape shape = shape_of(plan, *collective, traces);
    add_layouts(shape, number, layouts);
    if (has_records(shape)) {
      collectives_.push_back(std::make_unique<Collective>(number, std::move(shape), config));
    } else if (!only.empty()) {
      throw ConfigurationError(fmt::format(
          "scope {} reads no event collector of collective {}; add event collectors to its paths with "
          "`collect: points:`, or include these paths in the scope's `paths` and `at`",
          tree.scope, collective->name));
    }
  }
  if (!collectives_.empty()) return;
  throw ConfigurationError(
      plan.collectives.empty()
          ? fmt::format("pathmap {} has no collectives", plan.name)
          : fmt::format("scope {} reads no event collector of a collective", tree.scope));
}

std::vector<CollectiveWatch::Operation> CollectiveWatch::observe(const View& view, Time at) {
  std::vector<Operation> told;
  const std::int64_t begun = boundary_.begun_ns();
  for (const ProcessReport& process : view.processes) {
    if (process.process < processes_ && boundary_.learn(process)) begin_anew(told);
  }
  if (boundary_.begun_ns() != begun) try_early_ones();
  reports_.learn(view);
  for (const TraceTuple& tuple : view.records) add(decode(tuple));
  for (const CollectivePart& part : view.collective_parts) add(part);
  for (const CollectiveSum& sum : view.collective_sums) add(sum, view);
  for (const ProcessReport& process : view.processes) {
    if (process.process < processes_) run_time_.see_process(process);  // servers outlive the application
  }
  settle(at, told);
  return told;
}

// If no operation has ended at a trace element, the sequence number of the one in flight is its number.
void CollectiveWatch::observe_under_way(const View& newest) {
  reports_.learn(newest);
  const UnderWayNumbers numbers(newest);
  for (const TraceTuple& tuple : newest.records) {
    const EventRecord record = decode(tuple);
    if (!record.in_flight()) continue;
    const auto number = numbers.has_ended_one(record) ? numbers.of(record) : record.sequence;
    if (number) add(record, *number);
  }
  for (const auto& collective : collectives_) collective->analysis.place_under_way();
}

void CollectiveWatch::add(const EventRecord& record, std::uint64_t under_way_as) {
  const ProcessReport* const process = reports_.of(record);
  if (process == nullptr) return;
  for (std::size_t number = 0; number < collectives_.size(); ++number) {
    CollectiveAnalysis& analysis = collectives_[number]->analysis;
    auto found = edge_record(collectives_[number]->shape, record, *process);
    if (!found) continue;
    if (!found->end) found->operation = under_way_as;
    const bool is_current = boundary_.is_current(found->start);
    if (is_current) see(*process, record);
    if (found->end && (!is_current || analysis.is_reported(found->operation))) {
      keep({number, *found});
    } else if (is_current) {
      analysis.add(*found);
    }
    return;
  }
}

void CollectiveWatch::see(const ProcessReport& process, const EventRecord& record) {
  run_time_.see_event(process, record.start);
  if (!record.in_flight()) run_time_.see_event(process, record.end);
}

void CollectiveWatch::keep(const Early& early) {
  early_.push_back(early);
  if (early_.size() > max_early) early_.pop_front();
}

void CollectiveWatch::try_early_ones() {
  for (const Early& early : std::exchange(early_, {})) {
    CollectiveAnalysis& analysis = collectives_[early.collective]->analysis;
    const auto try_again = [&](const auto& what) {
      if (!is_in_time(what, boundary_, analysis)) return false;
      analysis.add(what);
      return true;
    };
    if (!std::visit(try_again, early.what)) early_.push_back(early);
  }
}

void CollectiveWatch::add(const CollectivePart& part) {
  EventRecord last;
  last.path = part.last.path;
  last.start = part.last.ticks;
  const ProcessReport* const process = reports_.of(last);
  const auto collective = std::ranges::find_if(
      collectives_, [&](const auto& one) { return one->number == CollectiveIndex(part.collective); });
  if (process == nullptr || collective == collectives_.end()) return;
  const auto found = process_part((*collective)->shape, part, *process);
  if (!found) return;
  if (boundary_.is_current(found->first.at)) {
    run_time_.see_event(*process, part.first.ticks);
    run_time_.see_event(*process, part.last.ticks);
    return (*collective)->analysis.add(*found);
  }
  keep({static_cast<std::size_t>(collective - collectives_.begin()), *found});
}

void CollectiveWatch::add(const CollectiveSum& sum, const View& view) {
  const auto process = std::ranges::find(view.processes, sum.process, &ProcessReport::process);
  if (process == view.processes.end()) return;
  const Difference whole =
      same_clock_sum(static_cast<double>(sum.ticks) * process->clock.ns_per_tick, sum.count);
  const TimeSum time{sum.count, static_cast<double>(whole.ns), static_cast<double>(whole.error_ns),
                     static_cast<double>(sum.most) * process->clock.ns_per_tick};
  for (const auto& collective : collectives_) {
    const bool is_of_path = sum.time <= CollectiveTime::waited;
    const auto& numbers = is_of_path ? collective->shape.edge_of_path : collective->shape.joint_of_number;
    const auto found = numbers.find(sum.of);
    if (found == numbers.end()) continue;
    if (is_of_path) return collective->totals.add_edge(found->second, sum.time, time);
    return collective->totals.add_joint(found->second, sum.time, time);
  }
}

}  // namespace eventspace

#include "monitors/collectives/collective_totals.h"

#include <algorithm>
#include <functional>

#include "tuplespace/system/saturating.h"

namespace eventspace {
namespace {

void add_if_known(TimeSum& sum, const std::optional<Difference>& time) noexcept {
  if (time) sum.add(*time);
}

// The indices with a weight above 0, the greatest first.
std::vector<std::size_t> ranked(std::size_t count, const std::function<double(std::size_t)>& weight) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < count; ++i) {
    if (weight(i) > 0) places.push_back(i);
  }
  std::stable_sort(places.begin(), places.end(),
                   [&](std::size_t a, std::size_t b) { return weight(a) > weight(b); });
  return places;
}

}  // namespace

void TimeSum::add(const Difference& time) noexcept {
  ++count;
  ns += static_cast<double>(time.ns);
  error_ns += static_cast<double>(time.error_ns);
  most_ns = std::max(most_ns, static_cast<double>(time.ns));
}

void TimeSum::add(const TimeSum& other) noexcept {
  count += other.count;
  ns += other.ns;
  error_ns += other.error_ns;
  most_ns = std::max(most_ns, other.most_ns);
}

CollectiveTotals::CollectiveTotals(const CollectiveShape& shape)
    : shape_(&shape),
      threads_(shape.edges.size()),
      stages_(shape.edges.size()),
      joints_(shape.joints.size()),
      at_edges_(shape.edges.size()),
      passing_(shape.joints.size()) {}

void CollectiveTotals::add(const OperationReport& report) {
  if (report.state == OperationState::open || report.state == OperationState::broken) {
    ++(report.state == OperationState::open ? open_ : broken_);
    return;
  }
  ++(report.state == OperationState::complete ? complete_ : incomplete_);
  missing_records_ += report.missing;
  for (std::size_t edge = 0; edge < stages_.size(); ++edge) {
    add_if_known(stages_[edge].up, report.edges[edge].up);
    add_if_known(stages_[edge].down, report.edges[edge].down);
    add_if_known(stages_[edge].both, report.edges[edge].both);
  }
  for (std::size_t joint = 0; joint < joints_.size(); ++joint) {
    const JointView& view = report.joints[joint];
    add_if_known(joints_[joint].gathering, view.gathering);
    add_if_known(joints_[joint].passing_up, view.passing_up);
    add_if_known(joints_[joint].above, view.above);
    add_if_known(joints_[joint].handing_down, view.handing_down);
    add_if_known(passing_[joint], view.passing_up);
    add_if_known(passing_[joint], view.handing_down);
  }
  add_waiting(report);
}

void CollectiveTotals::add_waiting(const OperationReport& report) {
  for (std::size_t edge = 0; edge < threads_.size(); ++edge) {
    if (!report.waited[edge]) continue;
    threads_[edge].waited.add(*report.waited[edge]);
    at_edges_[edge].waited.add(*report.waited[edge]);
  }
  for (const GroupWaiting& group : report.groups) add_group(group);
  if (const auto last = report.last.name()) return add_cost(report, *last);
  for (const std::size_t edge : report.last.candidates) ++threads_[edge].perhaps_last;
  for (const auto& waited : report.waited) add_if_known(unattributed_, waited);
  for (const GroupWaiting& group : report.groups) unattributed_.add(group.waited);
}

// Adds only the time after the last thread of the group came. The time before that arrives with the sums of
// the process, which also count the operations.
void CollectiveTotals::add_group(const GroupWaiting& group) {
  const CollectiveShape::Within& within = shape_->within[group.within];
  for (const std::size_t edge : within.edges) {
    if (!shape_->edges[edge].is_thread()) continue;
    TimeSum sum;
    sum.add(group.after_last);
    sum.count = 0;
    sum.most_ns = 0;
    threads_[edge].waited.add(sum);
  }
  at_edges_[group.last].waited.add(group.waited);
}

void CollectiveTotals::add_edge(std::size_t edge, CollectiveTime time, const TimeSum& sum) {
  Stage& stage = stages_[edge];
  if (time == CollectiveTime::waited) return threads_[edge].waited.add(sum);
  (time == CollectiveTime::up ? stage.up : stage.down).add(sum);
  TimeSum both = sum;
  // up and down belong to the same operations: count them once
  if (time == CollectiveTime::down) both.count = 0;
  both.most_ns = stage.up.most_ns + stage.down.most_ns;
  stage.both.add(both);
}

void CollectiveTotals::add_joint(std::size_t joint, CollectiveTime time, const TimeSum& sum) {
  Joint& of = joints_[joint];
  if (time == CollectiveTime::gathering) return of.gathering.add(sum);
  if (time == CollectiveTime::above) return of.above.add(sum);
  (time == CollectiveTime::passing_up ? of.passing_up : of.handing_down).add(sum);
  passing_[joint].add(sum);
}

void CollectiveTotals::add_cost(const OperationReport& report, std::size_t last) {
  Thread& thread = threads_[last];
  ++thread.last;
  Difference cost;
  std::int64_t others = 0;
  for (std::size_t edge = 0; edge < threads_.size(); ++edge) {
    if (edge == last || !report.waited[edge]) continue;
    ++others;
    cost.ns = saturating::add(cost.ns, report.waited[edge]->ns);
    cost.error_ns = saturating::add(cost.error_ns, report.waited[edge]->error_ns);
  }
  for (const GroupWaiting& group : report.groups) {
    others += static_cast<std::int64_t>(shape_->within[group.within].threads) - (group.last == last ? 1 : 0);
    cost.ns = saturating::add(cost.ns, group.waited.ns);
    cost.error_ns = saturating::add(cost.error_ns, group.waited.error_ns);
  }
  thread.cost.add(cost);
  at_edges_[last].cost.add(cost);
  const auto times = [others](std::int64_t ns) {
    return saturating::round(static_cast<double>(ns) * static_cast<double>(others));
  };
  if (const auto& lead = report.last.after_second) {
    Difference avoidable{times(lead->ns), times(lead->error_ns)};
    // Threads that left before all had come did not wait for the whole time.
    if (shape_->can_leave_early && cost.ns < avoidable.ns) avoidable = cost;
    thread.avoidable.add(avoidable);
  }
}

std::map<std::string, CollectiveTotals::Node> CollectiveTotals::nodes() const {
  std::map<std::string, Node> nodes;
  for (std::size_t edge = 0; edge < at_edges_.size(); ++edge) {
    const AtEdge& of = at_edges_[edge];
    if (of.cost.count == 0 && of.waited.count == 0) continue;
    Node& node = nodes[shape_->edges[edge].node];
    node.cost.add(of.cost);
    node.waited.add(of.waited);
  }
  const bool has_operations = complete_ + incomplete_ > 0;
  for (std::size_t joint = 0; joint < passing_.size(); ++joint)
    if (has_operations || passing_[joint].count > 0)
      nodes[shape_->joints[joint].node].passing.add(passing_[joint]);
  return nodes;
}

std::vector<std::size_t> CollectiveTotals::costliest() const {
  return ranked(threads_.size(), [this](std::size_t edge) { return threads_[edge].cost.ns; });
}

std::vector<std::size_t> CollectiveTotals::slowest_stages() const {
  return ranked(stages_.size(), [this](std::size_t edge) { return stages_[edge].both.ns; });
}

std::vector<std::size_t> CollectiveTotals::slowest_joints() const {
  return ranked(joints_.size(), [this](std::size_t joint) {
    return joints_[joint].passing_up.ns + joints_[joint].handing_down.ns;
  });
}

}  // namespace eventspace

#include "monitors/collectives/operation_report.h"

#include <algorithm>

#include "tuplespace/system/saturating.h"

namespace eventspace {
namespace {

using Time = std::optional<Moment> (*)(const EdgeRecord&);

std::optional<Moment> start_of(const EdgeRecord& record) { return record.start; }
std::optional<Moment> end_of(const EdgeRecord& record) { return record.end; }

std::optional<Difference> span(const std::optional<Moment>& from, const std::optional<Moment>& to) {
  if (!from || !to) return std::nullopt;
  return between(*from, *to);
}

std::optional<Difference> duration(const EdgeRecord* record) {
  return record != nullptr ? span(record->start, record->end) : std::nullopt;
}

std::optional<Difference> shorter(const std::optional<Difference>& a, const std::optional<Difference>& b) {
  if (!a || !b) return a ? a : b;
  return b->ns < a->ns ? b : a;
}

/// Computes the times of a report from the records of one operation.
class Story {
 public:
  Story(const CollectiveShape& shape, const CollectiveOperation& operation)
      : shape_(shape), operation_(operation) {}

  [[nodiscard]] std::optional<Moment> time(std::size_t edge, EdgeEnd at, Time which) const {
    const EdgeRecord* const record = operation_.find(edge, at);
    return record != nullptr ? which(*record) : std::nullopt;
  }

  // A contribution without its own record was made before its arrival at the joint, if that is recorded.
  [[nodiscard]] LastOf last_contribution() const {
    std::vector<Coming> all;
    for (std::size_t edge = 0; edge < shape_.edges.size(); ++edge) {
      if (!shape_.edges[edge].is_thread() || operation_.is_in_part(edge)) continue;
      all.push_back({edge, time(edge, EdgeEnd::lower, start_of), time(edge, EdgeEnd::upper, start_of)});
    }
    bool has_middle = true;
    for (const ProcessPart& part : operation_.parts()) {
      const std::size_t threads = shape_.within[part.within].threads;
      all.push_back({part.last.edge, part.last.at, {}});
      if (threads > 1) all.push_back({part.second.edge, part.second.at, {}});
      if (threads > 2) all.push_back({part.first.edge, part.first.at, {}});
      has_middle = has_middle && threads <= 3;
    }
    LastOf last = last_of(all);
    if (!has_middle) last.after_median.reset();
    return last;
  }

  // The time that the participant was in the operation, by one clock.
  [[nodiscard]] std::optional<Difference> stay(std::size_t edge) const {
    return duration(operation_.find(edge, EdgeEnd::lower));
  }

  [[nodiscard]] EdgeTimes edge_times(std::size_t edge) const {
    EdgeTimes times;
    times.up = span(time(edge, EdgeEnd::lower, start_of), time(edge, EdgeEnd::upper, start_of));
    times.down = span(time(edge, EdgeEnd::upper, end_of), time(edge, EdgeEnd::lower, end_of));
    const auto whole = duration(operation_.find(edge, EdgeEnd::lower));
    const auto inner = duration(operation_.find(edge, EdgeEnd::upper));
    if (whole && inner) times.both = Difference{whole->ns - inner->ns, whole->error_ns + inner->error_ns};
    if (!times.up || !times.down) return times;
    // If both ends have one clock, the two measured ways are more exact than the difference of durations.
    const Difference parts{times.up->ns + times.down->ns,
                           saturating::add(times.up->error_ns, times.down->error_ns)};
    if (!times.both || parts.error_ns < times.both->error_ns) times.both = parts;
    return times;
  }

  [[nodiscard]] JointView joint_view(std::size_t number) const {
    const CollectiveShape::Joint& joint = shape_.joints[number];
    JointView view;
    view.arrivals = passages(joint, start_of);
    view.departures = passages(joint, end_of);
    view.last = last_arrival(joint);
    view.gathering = view.last.after_first;
    const bool all_arrived = view.last.after_first.has_value();
    std::optional<Moment> result = all_arrived ? view.last.all_here : std::nullopt;
    if (joint.uplink) {
      const auto sent = time(*joint.uplink, EdgeEnd::lower, start_of);
      view.passing_up = span(result, sent);
      view.above = duration(operation_.find(*joint.uplink, EdgeEnd::lower));
      result = time(*joint.uplink, EdgeEnd::lower, end_of);
    }
    if (view.departures.size() == joint.edges.size() && !joint.edges.empty())
      view.handing_down = span(result, time(view.departures.back().edge, EdgeEnd::upper, end_of));
    return view;
  }

 private:
  [[nodiscard]] LastOf last_arrival(const CollectiveShape::Joint& joint) const {
    std::vector<Coming> all;
    for (const std::size_t edge : joint.edges)
      all.push_back({edge, time(edge, EdgeEnd::upper, start_of), {}});
    return last_of(all);
  }

  [[nodiscard]] std::vector<JointView::Passage> passages(const CollectiveShape::Joint& joint,
                                                         Time which) const {
    std::vector<std::pair<Moment, std::size_t>> known;
    std::vector<Moment> moments;
    for (const std::size_t edge : joint.edges) {
      const auto moment = time(edge, EdgeEnd::upper, which);
      if (!moment) continue;
      known.emplace_back(*moment, edge);
      moments.push_back(*moment);
    }
    const auto key = are_of_one_clock(moments) ? &Moment::own_ns : &Moment::ns;
    std::stable_sort(known.begin(), known.end(),
                     [key](const auto& a, const auto& b) { return a.first.*key < b.first.*key; });
    std::vector<JointView::Passage> order;
    order.reserve(known.size());
    for (const auto& [moment, edge] : known) order.push_back({edge, between(known.front().first, moment)});
    return order;
  }

  const CollectiveShape& shape_;
  const CollectiveOperation& operation_;
};

GroupWaiting waiting_of(const ProcessPart& part, std::size_t threads, const Moment& all_here) {
  const Difference after_last = between(part.last.at, all_here);
  const auto all = [&](std::int64_t ns) {
    return saturating::round(static_cast<double>(ns) * static_cast<double>(threads));
  };
  return {part.within,
          part.last.edge,
          {saturating::add(part.waited.ns, all(after_last.ns)),
           saturating::add(part.waited.error_ns, all(after_last.error_ns))},
          after_last};
}

// Each node once, in the order of the edges.
std::vector<std::string> nodes_missing(const CollectiveShape& shape, const CollectiveOperation& operation) {
  std::vector<std::string> nodes;
  const auto note = [&](bool is_recorded, std::size_t edge, EdgeEnd at, const std::string& node) {
    const EdgeRecord* const record = operation.find(edge, at);
    const bool is_here = !is_recorded || operation.is_in_part(edge) || (record != nullptr && record->end);
    if (!is_here && std::ranges::find(nodes, node) == nodes.end()) nodes.push_back(node);
  };
  for (std::size_t number = 0; number < shape.edges.size(); ++number) {
    const CollectiveShape::Edge& edge = shape.edges[number];
    note(edge.at_thread, number, EdgeEnd::lower, edge.node);
    note(edge.at_joint, number, EdgeEnd::upper, shape.joints[edge.joint].node);
  }
  return nodes;
}

OperationState state_of(const CollectiveOperation& operation, bool is_over) {
  if (operation.has_failed()) return OperationState::broken;
  if (operation.missing() == 0) return OperationState::complete;
  return is_over || operation.has_ended() ? OperationState::incomplete : OperationState::open;
}

}  // namespace

std::string_view to_string(OperationState state) noexcept {
  switch (state) {
    case OperationState::complete:
      return "complete";
    case OperationState::incomplete:
      return "incomplete";
    case OperationState::open:
      return "open";
    case OperationState::broken:
      return "broken";
  }
  return "?";
}

OperationReport report_on(const CollectiveShape& shape, const CollectiveOperation& operation, bool is_over) {
  const Story story(shape, operation);
  const bool has_result = operation.has_ended() || (is_over && !operation.has_failed());
  OperationReport report;
  report.number = operation.number();
  report.state = state_of(operation, is_over);
  report.missing = operation.missing();
  if (report.missing > 0) report.missing_on = nodes_missing(shape, operation);
  report.last = story.last_contribution();
  report.waited.resize(shape.edges.size());
  for (std::size_t edge = 0; edge < shape.edges.size(); ++edge) {
    report.edges.push_back(story.edge_times(edge));
    if (!shape.edges[edge].is_thread()) continue;
    const auto came = story.time(edge, EdgeEnd::lower, start_of);
    if (has_result) {
      report.waited[edge] = span(came, report.last.all_here);
      if (shape.can_leave_early) report.waited[edge] = shorter(report.waited[edge], story.stay(edge));
    } else if (!operation.is_in_part(edge) && !came && !story.time(edge, EdgeEnd::upper, start_of)) {
      report.absent.push_back(edge);
    }
  }
  if (has_result && report.last.all_here) {
    for (const ProcessPart& part : operation.parts())
      report.groups.push_back(waiting_of(part, shape.within[part.within].threads, *report.last.all_here));
  }
  for (std::size_t joint = 0; joint < shape.joints.size(); ++joint)
    report.joints.push_back(story.joint_view(joint));
  return report;
}

}  // namespace eventspace

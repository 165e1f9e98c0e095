#include "monitors/tune/tree_work.h"

#include <algorithm>

namespace eventspace::tune {
namespace {

// Written by one server, sent, read by another.
constexpr double copies_between_servers = 3;

double& at(Counts& counts, Cost cost) { return counts.at(static_cast<std::size_t>(cost)); }

Counts& operator+=(Counts& sum, const Counts& more) {
  for (std::size_t i = 0; i < costs; ++i) sum.at(i) += more.at(i);
  return sum;
}

Counts divided(Counts counts, double by) {
  for (double& count : counts) count /= by;
  return counts;
}

double usual_time(const Counts& counts) {
  double time = 0;
  for (std::size_t i = 0; i < costs; ++i) time += counts.at(i) * usual_seconds.at(i);
  return time;
}

struct Part {
  TreeWork work;
  double yields{0};  // records
};

double kept_by(const ScopeNode& node, double records) {
  const auto most = optional_parameter<std::int64_t>(node.parameters, "most");
  if (node.wrapper == "reduce") return std::min(records, static_cast<double>(most.value_or(1)));
  return node.wrapper == "aggregate" ? std::min(records, 1.0) : records;
}

/// Adds the work of asking `child` and of receiving its records to its own work.
Part as_asked(const ScopeNode& child, Part part) {
  const bool remote = !child.endpoint.empty();
  const double stations = 1.0 + static_cast<double>(child.route.size());
  Counts asking{};
  if (remote) {
    at(asking, Cost::hop) = stations;
    at(asking, Cost::message) = stations;
    at(asking, Cost::record) = copies_between_servers * stations * part.yields;
  } else {
    at(asking, Cost::child) = 1;
    at(asking, Cost::record) = part.yields;
  }
  part.work.on_the_way += asking;
  part.work.in_all += asking;
  return part;
}

Part work_of(const ScopeNode& node) {
  Part sum;
  if (node.children.empty()) {
    sum.yields = static_cast<double>(node.sources.size());
    at(sum.work.on_the_way, Cost::record) = sum.yields;
    sum.work.in_all = sum.work.on_the_way;
    return sum;
  }
  Counts here{};
  Counts longest{};
  for (const ScopeNode& child : node.children) {
    const Part part = as_asked(child, work_of(child));
    sum.yields += part.yields;
    sum.work.in_all += part.work.in_all;
    if (child.endpoint.empty() || node.asking == Asking::in_turn) {
      here += part.work.on_the_way;
    } else {
      // The parent writes this request and reads its answer itself, while the children work in parallel.
      at(here, Cost::message) += 1.0;
      if (usual_time(part.work.on_the_way) > usual_time(longest)) longest = part.work.on_the_way;
    }
  }
  const bool crew = node.asking == Asking::threads;
  sum.work.on_the_way = crew ? divided(here, node.threads) : here;
  sum.work.on_the_way += longest;
  if (crew) {
    at(sum.work.on_the_way, Cost::crew) += 1.0;
    at(sum.work.in_all, Cost::crew) += 1.0;
  }
  sum.yields = kept_by(node, sum.yields);
  return sum;
}

}  // namespace

std::string_view to_string(Cost cost) noexcept {
  constexpr std::array<std::string_view, costs> words{"pull", "hop", "message", "child", "record", "crew"};
  return words.at(static_cast<std::size_t>(cost));
}

TreeWork work_of(const ScopeTree& tree) {
  TreeWork work = work_of(tree.root).work;
  at(work.on_the_way, Cost::pull) = 1;
  at(work.in_all, Cost::pull) = 1;
  return work;
}

}  // namespace eventspace::tune

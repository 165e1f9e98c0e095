#include "monitors/metrics/divided_metrics.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

namespace eventspace {

namespace {

void let_pass(ScopeNode& node, const std::string& condition) {
  const auto where = node.parameters.find("where");
  const bool is_that = node.wrapper == "filter" && where != node.parameters.end() &&
                       where->second == ParameterValue(condition);
  if (is_that) where->second = std::string("true");
  for (ScopeNode& child : node.children) let_pass(child, condition);
}

}  // namespace

void DividedMetrics::put_on(ScopeTree& tree, const std::string& condition) const {
  let_pass(tree.root, condition);
  metrics::evaluate_at_servers(tree, description_);
}

DividedMetrics::DividedMetrics(const std::vector<metrics::Definition>& metrics,
                               const std::vector<metrics::MeasurementChoice>& choices, bool centralised) {
  if (centralised) return;
  std::vector<metrics::ServerPart> parts;
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    auto made = divide(metrics[i], choices[i].objects, choices[i].cut);
    if (const auto* const reason = std::get_if<metrics::Reason>(&made)) {
      reasons_.push_back(fmt::format("{} is evaluated here: {}", metrics[i].name, to_string(*reason)));
      continue;
    }
    auto& division = std::get<metrics::Division>(made);
    parts.push_back(std::move(division.server));
    front_ends_.push_back(std::move(division.front_end));
  }
  // Events that one metric needs here are available to all of them.
  if (reasons_.empty()) {
    shared_ = metrics::SharedParts(parts);
    description_ = metrics::description_of(parts, shared_);
  } else {
    front_ends_.clear();
  }
}

}  // namespace eventspace

#include "scopes/metrics/language/name_scope.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace eventspace::metrics {
namespace {

/// Replaces variables in a graph. Each shared node is visited once, so that the time is proportional to the
/// size of the graph, not to the number of paths through it.
class Substitution {
 public:
  Substitution(NameScope& scope, std::vector<std::uint32_t> variables, std::vector<Typed> values)
      : scope_(scope), variables_(std::move(variables)), values_(std::move(values)) {}

  Typed of(const Typed& node) {
    if (!node || !concerns(*node)) return node;
    const auto known = done_.find(node.get());
    if (known != done_.end()) return known->second;
    Typed made = node->kind == TypedNode::Kind::variable ? value_of(*node) : copy(*node);
    done_.emplace(node.get(), made);
    return made;
  }

 private:
  [[nodiscard]] bool concerns(const TypedNode& node) const {
    return std::ranges::any_of(variables_, [&node](std::uint32_t variable) {
      return std::ranges::binary_search(node.free_variables, variable);
    });
  }

  [[nodiscard]] bool is_in_a_value(std::uint32_t variable) const {
    return std::ranges::any_of(values_, [variable](const Typed& value) {
      return std::ranges::binary_search(value->free_variables, variable);
    });
  }

  [[nodiscard]] Typed value_of(const TypedNode& node) const {
    const auto at = std::ranges::find(variables_, node.index) - variables_.begin();
    return values_[static_cast<std::size_t>(at)];
  }

  Typed copy(TypedNode made) {
    const bool captures =
        std::ranges::any_of(made.bound, [this](std::uint32_t each) { return is_in_a_value(each); });
    if (captures) return renamed(std::move(made));
    for (Typed& operand : made.operands) operand = of(operand);
    made.condition = of(made.condition);
    return scope_.nodes().make(std::move(made));
  }

  /// Replaces in an aggregate whose variables also occur in the values: its own variables get new numbers.
  Typed renamed(TypedNode aggregate) {
    Substitution inner(scope_, variables_, values_);
    for (std::uint32_t& variable : aggregate.bound) {
      const Parameter old = scope_.variables()[variable];
      inner.variables_.push_back(variable);
      variable = scope_.add_variable(old.name, old.type);
      inner.values_.push_back(scope_.variable_node(variable));
    }
    for (Typed& operand : aggregate.operands) operand = inner.of(operand);
    aggregate.condition = inner.of(aggregate.condition);
    return scope_.nodes().make(std::move(aggregate));
  }

  NameScope& scope_;
  std::vector<std::uint32_t> variables_;
  std::vector<Typed> values_;
  std::unordered_map<const TypedNode*, Typed> done_;
};

}  // namespace

const Symbol* NameScope::add(std::string_view name, Symbol&& symbol) {
  const auto [at, is_new] = symbols_.try_emplace(std::string(name), std::move(symbol));
  return is_new ? nullptr : &at->second;
}

Symbol* NameScope::find(std::string_view name) {
  const auto found = symbols_.find(name);
  return found == symbols_.end() ? nullptr : &found->second;
}

std::uint32_t NameScope::add_variable(std::string name, const MetricType& type) {
  variables_.push_back({std::move(name), type});
  return static_cast<std::uint32_t>(variables_.size() - 1);
}

std::vector<std::string_view> NameScope::names() const {
  std::vector<std::string_view> all;
  for (const auto& [name, symbol] : symbols_) all.push_back(name);
  return all;
}

Typed NameScope::substitute(const Typed& node, const std::vector<std::uint32_t>& variables,
                            const std::vector<Typed>& values) {
  return Substitution(*this, variables, values).of(node);
}

Typed NameScope::variable_node(std::uint32_t number) {
  return nodes_.make(metrics::variable_node(number, variables_[number].type));
}

}  // namespace eventspace::metrics

#include "scopes/metrics/compiler/partial_evaluation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "paths/parameters/glob.h"
#include "scopes/expressions/operators.h"

namespace eventspace::metrics {
namespace {

using Kind = TypedNode::Kind;
using Role = GraphNode::Role;

constexpr std::uint32_t nothing = 0xffffffff;
constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

class PartialEvaluation {
 public:
  PartialEvaluation(const MeasuredObjects& objects, const Graph& graph, const Definition& definition)
      : objects_(objects),
        graph_(graph),
        definition_(definition),
        bound_(definition.variables.size(), nothing),
        known_(graph.nodes.size()) {
    find_free_variables();
    made_.nodes.reserve(graph.nodes.size());
  }

  Graph take() {
    choose(0);
    return std::move(made_);
  }

 private:
  /// The nodes made from one node: for each object of its one variable, or for no variables or several.
  struct Known {
    std::uint32_t alone{nothing};
    std::vector<std::uint32_t> by_object{};
    std::map<std::vector<std::uint32_t>, std::uint32_t> by_objects{};
  };

  [[nodiscard]] bool is_of_objects(std::uint32_t variable) const {
    return is_object(definition_.variables[variable].type.base);
  }

  /// The object variables on which each node depends.
  void find_free_variables() {
    free_.resize(graph_.nodes.size());
    for (std::uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      const GraphNode& node = graph_.nodes[i];
      std::vector<std::uint32_t>& free = free_[i];
      const bool is_variable = node.role == Role::part && node.what->kind == Kind::variable;
      if (is_variable && is_of_objects(node.what->index)) free.push_back(node.what->index);
      for (const std::uint32_t operand : graph_.operands_of(i))
        free.insert(free.end(), free_[operand].begin(), free_[operand].end());
      std::ranges::sort(free);
      free.erase(std::unique(free.begin(), free.end()), free.end());
      if (node.role == Role::part && node.what->kind == Kind::aggregate)
        std::erase_if(free,
                      [&](std::uint32_t each) { return std::ranges::count(node.what->bound, each) > 0; });
    }
  }

  /// Chooses an object for each parameter that takes one, from parameter `parameter` on.
  void choose(std::uint32_t parameter) {
    if (parameter == definition_.parameters.size()) {
      made_.roots.push_back(put(graph_.roots[0]));
      made_.root_names.push_back(chosen_names());
      return;
    }
    const auto given = definition_.given.find(parameter);
    // Regions are not known before they are passed; they keep their names from the text.
    const bool is_chosen = given != definition_.given.end() && is_of_objects(given->second);
    if (!is_chosen) return choose(parameter + 1);
    for (const std::uint32_t object : objects_.chosen[parameter]) {
      bound_[given->second] = object;
      choose(parameter + 1);
    }
  }

  [[nodiscard]] std::string chosen_names() const {
    std::string names;
    for (const auto& [parameter, variable] : definition_.given) {
      if (!is_of_objects(variable)) continue;
      names += names.empty() ? "" : ", ";
      names += objects_.all->name(definition_.variables[variable].type.base, bound_[variable]);
    }
    return names;
  }

  std::uint32_t put(std::uint32_t node) {
    std::uint32_t* const known = &place_of(node);
    if (*known != nothing) return *known;
    const std::uint32_t made = made_from(node);
    return place_of(node) = made;  // `known` may have moved
  }

  std::uint32_t& place_of(std::uint32_t node) {
    Known& known = known_[node];
    const std::vector<std::uint32_t>& free = free_[node];
    if (free.empty()) return known.alone;
    if (free.size() == 1) {
      const std::uint32_t object = bound_[free[0]];
      if (known.by_object.size() <= object) known.by_object.resize(object + 1, nothing);
      return known.by_object[object];
    }
    std::vector<std::uint32_t> key;
    key.reserve(free.size());
    for (const std::uint32_t variable : free) key.push_back(bound_[variable]);
    return known.by_objects.try_emplace(std::move(key), nothing).first->second;
  }

  std::uint32_t made_from(std::uint32_t number) {
    const GraphNode& node = graph_.nodes[number];
    if (node.role != Role::part) return made_.add(node, {});
    switch (node.what->kind) {
      case Kind::variable:
        return variable(node);
      case Kind::aggregate:
        return aggregate(number);
      case Kind::built_in:
        return built_in(number);
      default:
        break;
    }
    const auto operands = put_all(graph_.operands_of(number));
    if (const auto computed = compute(node, operands)) return *computed;
    return made_.add(node, operands);
  }

  std::vector<std::uint32_t> put_all(std::span<const std::uint32_t> nodes) {
    std::vector<std::uint32_t> all;
    for (const std::uint32_t node : nodes) all.push_back(put(node));
    return all;
  }

  std::uint32_t variable(const GraphNode& node) {
    if (!is_of_objects(node.what->index)) return made_.add(node, {});
    return object(node.what, bound_[node.what->index]);
  }

  std::uint32_t object(const TypedNode* what, std::uint32_t number) {
    return made_.add({.role = Role::object, .what = what, .index = number}, {});
  }

  // --- over objects ---

  std::uint32_t aggregate(std::uint32_t number) {
    const GraphNode& node = graph_.nodes[number];
    std::vector<std::uint32_t> over;
    std::ranges::copy_if(node.what->bound, std::back_inserter(over),
                         [this](std::uint32_t variable) { return is_of_objects(variable); });
    const auto of = graph_.operands_of(number);
    if (over.empty()) return made_.add(node, put_all(of));
    std::vector<std::uint32_t> members;
    bool is_known = true;
    range(over, 0, [&] {
      const auto member = chosen(of, is_known);
      if (member) members.push_back(*member);
    });
    const bool is_unique =
        node.what->aggregate == Aggregate::unique && is_known && over.size() == node.what->bound.size();
    if (is_unique && members.size() == 1) return members[0];
    return made_.add({.role = Role::joined, .what = node.what}, members);
  }

  template <class Use>
  void range(const std::vector<std::uint32_t>& over, std::size_t at, const Use& use) {
    if (at == over.size()) return use();
    const std::uint32_t variable = over[at];
    const auto count =
        static_cast<std::uint32_t>(objects_.all->count(definition_.variables[variable].type.base));
    for (std::uint32_t object = 0; object < count; ++object) {
      bound_[variable] = object;
      range(over, at + 1, use);
    }
  }

  /// Returns the value where the condition holds, or nothing where it never holds. `is_known` becomes false
  /// if that is not known before events arrive.
  std::optional<std::uint32_t> chosen(std::span<const std::uint32_t> value_and_condition, bool& is_known) {
    if (value_and_condition.size() == 1) return put(value_and_condition[0]);
    const std::uint32_t condition = put(value_and_condition[1]);
    if (const auto holds = constant(condition)) {
      if (*holds == 0.0 || std::isnan(*holds)) return std::nullopt;
      return put(value_and_condition[0]);
    }
    is_known = false;
    const std::array guarded{put(value_and_condition[0]), condition};
    return made_.add({.role = Role::guard}, guarded);
  }

  /// Over several objects, it is the sum over them.
  std::uint32_t built_in(std::uint32_t number) {
    const GraphNode& node = graph_.nodes[number];
    auto of = std::vector(graph_.operands_of(number).begin(), graph_.operands_of(number).end());
    if (node.what->index == Definition::the_clock) return made_.add(node, put_all(of));
    const TypedNode& owner = *node.what->operands[0];
    if (owner.kind != Kind::parameter) return made_.add(node, put_all(of));
    const std::uint32_t parameter = owner.index;
    auto operands = put_all(std::span(of).subspan(1));
    operands.insert(operands.begin(), 0);
    std::vector<std::uint32_t> members;
    for (const std::uint32_t each : objects_.chosen[parameter]) {
      operands[0] = object(&owner, each);
      members.push_back(made_.add(node, operands));
    }
    return made_.add({.role = Role::joined, .what = node.what}, members);
  }

  // --- known values ---

  [[nodiscard]] std::optional<double> constant(std::uint32_t node) const {
    const GraphNode& made = made_.nodes[node];
    if (made.role == Role::constant) return made.number;
    const bool is_number = made.role == Role::part && made.what->kind == Kind::number;
    return is_number ? std::optional(made.what->value) : std::nullopt;
  }
  [[nodiscard]] std::optional<std::string_view> text(std::uint32_t node) const {
    const GraphNode& made = made_.nodes[node];
    if (made.role == Role::text) return made_.texts[made.index];
    const bool is_text = made.role == Role::part && made.what->kind == Kind::text;
    return is_text ? std::optional<std::string_view>(made.what->text) : std::nullopt;
  }
  /// A number that is equal for equal objects or numbers.
  [[nodiscard]] std::optional<double> comparable(std::uint32_t node) const {
    const GraphNode& made = made_.nodes[node];
    return made.role == Role::object ? std::optional<double>(made.index) : constant(node);
  }

  std::uint32_t constant_node(double number) {
    return made_.add({.role = Role::constant, .number = number}, {});
  }

  std::optional<std::uint32_t> compute(const GraphNode& node, std::span<const std::uint32_t> operands) {
    switch (node.what->kind) {
      case Kind::attribute:
        return attribute(*node.what, operands[0]);
      case Kind::unary:
        return unary(*node.what, operands[0]);
      case Kind::binary:
        return binary(*node.what, operands);
      case Kind::within:
        return within(*node.what, operands[0]);
      default:
        return std::nullopt;
    }
  }

  std::optional<std::uint32_t> attribute(const TypedNode& what, std::uint32_t owner) {
    const GraphNode& of = made_.nodes[owner];
    if (of.role != Role::object) return std::nullopt;
    const Base base = of.what->type.base;
    if (what.attribute == Attribute::name) {
      made_.texts.emplace_back(objects_.all->name(base, of.index));
      return made_.add({.role = Role::text, .index = static_cast<std::uint32_t>(made_.texts.size() - 1)}, {});
    }
    if (base == Base::region) return std::nullopt;
    if (base == Base::node) return object(&what, objects_.all->site_of_node(of.index));
    const std::uint32_t process = base == Base::thread ? objects_.all->threads()[of.index].process : of.index;
    if (what.attribute == Attribute::process) return object(&what, process);
    const std::uint32_t node = objects_.all->processes()[process].node;
    if (what.attribute == Attribute::node) return object(&what, node);
    if (what.attribute == Attribute::site) return object(&what, objects_.all->site_of_node(node));
    if (what.attribute != Attribute::rank) return std::nullopt;
    const auto rank = objects_.all->processes()[process].rank;
    return constant_node(rank ? *rank : no_number);
  }

  std::optional<std::uint32_t> unary(const TypedNode& what, std::uint32_t operand) {
    const auto number = constant(operand);
    if (!number) return std::nullopt;
    return constant_node(what.op == Operator::negates ? (*number == 0.0 ? 1.0 : 0.0) : -*number);
  }

  std::optional<std::uint32_t> binary(const TypedNode& what, std::span<const std::uint32_t> operands) {
    if (what.op <= Operator::all_of) return logic(what.op, operands);
    if (const auto left = text(operands[0]), right = text(operands[1]); left && right) {
      const bool holds = what.op == Operator::matches ? glob_match(*right, *left)
                                                      : (*left == *right) == (what.op == Operator::equal);
      return constant_node(holds ? 1.0 : 0.0);
    }
    const auto left = comparable(operands[0]);
    const auto right = comparable(operands[1]);
    if (!left || !right) return std::nullopt;
    if (what.op < Operator::matches)
      return constant_node(expressions::compare(what.op, *left, *right) ? 1.0 : 0.0);
    const double result = expressions::calculate(what.op, *left, *right);
    // An error stays in the graph, so that the value has its reason.
    return std::isfinite(result) ? std::optional(constant_node(result)) : std::nullopt;
  }

  std::optional<std::uint32_t> logic(Operator op, std::span<const std::uint32_t> operands) {
    const double deciding = op == Operator::all_of ? 0.0 : 1.0;
    for (std::size_t i = 0; i < 2; ++i) {
      const auto number = constant(operands[i]);
      if (!number) continue;
      return *number == deciding ? constant_node(deciding) : operands[1 - i];
    }
    return std::nullopt;
  }

  std::optional<std::uint32_t> within(const TypedNode& what, std::uint32_t member) {
    const TypedNode& all = *what.operands[1];
    if (made_.nodes[member].role != Role::object || all.kind != Kind::parameter) return std::nullopt;
    const auto& chosen = objects_.chosen[all.index];
    const bool holds = std::ranges::binary_search(chosen, made_.nodes[member].index);
    return constant_node(holds ? 1.0 : 0.0);
  }

  const MeasuredObjects& objects_;
  const Graph& graph_;
  const Definition& definition_;
  std::vector<std::uint32_t> bound_;  // the objects of the variables
  std::vector<std::vector<std::uint32_t>> free_;
  std::vector<Known> known_;
  Graph made_;
};

/// Drops the nodes that no root needs.
Graph without_unused(const Graph& graph) {
  std::vector<char> is_used(graph.nodes.size());
  for (const std::uint32_t root : graph.roots) is_used[root] = 1;
  for (std::size_t i = graph.nodes.size(); i-- > 0;) {
    if (is_used[i] == 0) continue;
    for (const std::uint32_t operand : graph.operands_of(static_cast<std::uint32_t>(i))) is_used[operand] = 1;
  }
  Graph made;
  made.texts = graph.texts;
  std::vector<std::uint32_t> number(graph.nodes.size());
  std::vector<std::uint32_t> operands;
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
    if (is_used[i] == 0) continue;
    operands.clear();
    for (const std::uint32_t operand : graph.operands_of(i)) operands.push_back(number[operand]);
    number[i] = made.add(graph.nodes[i], operands);
  }
  for (const std::uint32_t root : graph.roots) made.roots.push_back(number[root]);
  made.root_names = graph.root_names;
  return made;
}

}  // namespace

Graph defined_for(const MeasuredObjects& objects, const Graph& graph, const Definition& definition) {
  return without_unused(PartialEvaluation(objects, graph, definition).take());
}

}  // namespace eventspace::metrics

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "scopes/metrics/history/datum.h"
#include "scopes/metrics/history/samples.h"
#include "scopes/metrics/language/definition.h"

namespace eventspace::metrics {

/// The values of the variables of a definition, by number: objects, or virtual times. Plain data.
struct Binding {
  explicit Binding(const Definition& definition)
      : objects(definition.variables.size()), steps(definition.variables.size()) {}

  std::vector<std::uint32_t> objects;
  std::vector<Step> steps;
};

/// A node of the expressions of a definition, with its properties and its last values. Plain data.
struct ValueNode {
  static constexpr std::uint32_t nothing = 0xffffffff;

  const TypedNode* what{nullptr};
  std::vector<ValueNode*> operands{};
  ValueNode* condition{nullptr};
  /// For an aggregate: whether its condition is only that the value's own time is in the interval.
  bool is_by_own_time{false};
  bool is_shared{false};  ///< has several parents: its last value is cached
  /// Samplers whose values it needs, in ascending order.
  std::vector<std::uint32_t> samplers{};
  /// The same, with the shifts of the virtual times that it needs.
  std::vector<std::pair<std::uint32_t, std::int64_t>> asked{};
  /// For an aggregate: the first aggregate over the same values, with which it takes them, and its own
  /// place among the aggregates that do so.
  ValueNode* leader{nullptr};
  std::size_t place{0};
  std::vector<const TypedNode*> together{};  ///< for the leader: all of them
  /// The variable whose object passes all the probes that it needs; `nothing` if there are several objects.
  std::uint32_t passer{nothing};
  /// For an AT: the variable of its virtual time, and the shift of that.
  std::uint32_t when{nothing};
  std::int64_t shift{0};
  bool is_duration{false};  ///< the later less the earlier value of something that never decreases
  /// Whether its value depends only on its operands, so that ExpressionValues::column() may compute it ahead.
  bool has_column{false};

  std::uint64_t given_up{0};   ///< virtual times that were given up
  std::uint64_t unmatched{0};  ///< values that were left out
  // The cached value: for these objects and virtual times, in this reading or sample.
  std::uint64_t known_in{0};
  std::vector<std::int64_t> known_for{};
  Datum known{};
  // Its last column, the number of that column, and a buffer for one.
  std::span<const Datum> column{};
  std::uint64_t column_in{0};
  std::vector<Datum> made{};
};

/// Calls `use` with the numbers of the values of a node's free variables.
template <class Use>
void for_free_variables(const Definition& definition, const ValueNode& node, const Binding& binding,
                        const Use& use) {
  for (const std::uint32_t variable : node.what->free_variables) {
    if (definition.variables[variable].type.base == Base::virtual_time) {
      use(binding.steps[variable].epoch);
      use(binding.steps[variable].virtual_time);
    } else {
      use(static_cast<std::int64_t>(binding.objects[variable]));
    }
  }
}

/// The nodes of the expressions of a definition.
///
/// 1. An expression has one node, which keeps its address.
/// 2. The properties of a node depend only on the definition. Only its leader gets more entries in
/// `together`.
/// 3. Aggregates over the same values have one leader, which is the first of them.
///
/// Not thread-safe.
class ValueNodes {
 public:
  /// `definition` must outlive it.
  explicit ValueNodes(const Definition& definition) noexcept : definition_(definition) {}

  /// The node of an expression, which is made if it is new, and shared otherwise.
  ValueNode& make(const Typed& expression);
  /// The node of an expression for which make() was called.
  [[nodiscard]] ValueNode& of(const Typed& expression) const { return *nodes_.at(expression.get()); }
  /// The largest number of values that a node left out.
  [[nodiscard]] std::uint64_t unmatched() const noexcept;

 private:
  void join_others(ValueNode& aggregate) const;
  /// Finds the samplers that a node needs, and whether they all sample one object.
  static void find_passer(ValueNode& node);
  [[nodiscard]] bool is_duration(const ValueNode& node) const;
  [[nodiscard]] bool never_goes_back(const TypedNode& value) const;

  const Definition& definition_;
  std::unordered_map<const TypedNode*, std::unique_ptr<ValueNode>> nodes_;
};

}  // namespace eventspace::metrics

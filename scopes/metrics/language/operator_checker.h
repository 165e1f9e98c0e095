#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "scopes/metrics/language/syntax.h"
#include "scopes/metrics/language/typed_tree.h"

namespace eventspace::metrics {

/// The checked nodes of one metric, and its faults. A function returns null, or false, after a fault, so that
/// the expressions around it add no faults of their own. Not thread-safe.
class CheckedNodes {
 public:
  /// Both must outlive it.
  CheckedNodes(NodeTable& nodes, std::vector<Fault>& faults) noexcept : nodes_(nodes), faults_(faults) {}

  /// Adds a node, unless the metric has too many of them or is nested too deeply.
  Typed finished(TypedNode node, std::size_t begin);
  /// Adds a fault if a rule does not hold.
  bool require(bool holds, std::size_t offset, std::string text);
  Typed fail(std::size_t offset, std::string text);

 private:
  NodeTable& nodes_;
  std::vector<Fault>& faults_;
};

/// Checks operators, attributes and intervals: the types and units of their operands.
///
/// 1. The operands have been checked, and are not null.
/// 2. The result depends on the operands and the operator alone, not on names.
///
/// Not thread-safe.
class OperatorChecker {
 public:
  /// `checked` must outlive it.
  explicit OperatorChecker(CheckedNodes& checked) noexcept : checked_(checked) {}

  /// Returns the checked node, or null after a fault. `operands`: a node with the checked operands.
  Typed of(const Syntax& syntax, TypedNode operands);

 private:
  Typed attribute(const Syntax& syntax, TypedNode made);
  Typed interval(const Syntax& syntax, TypedNode made);
  Typed unary(const Syntax& syntax, TypedNode made);
  Typed binary(const Syntax& syntax, TypedNode made);
  /// Adds a node that is true or false.
  Typed truth(const Syntax& syntax, TypedNode made);
  Typed logic(const Syntax& syntax, TypedNode made);
  Typed comparison(const Syntax& syntax, TypedNode made);
  Typed pattern(const Syntax& syntax, TypedNode made);
  Typed arithmetic(const Syntax& syntax, TypedNode made);
  Typed shifted(const Syntax& syntax, const TypedNode& made);
  Typed within(const Syntax& syntax, TypedNode made);
  Typed rate(const Syntax& syntax, TypedNode made);

  CheckedNodes& checked_;
};

/// Returns source text in quotes for a message, shortened if it is long.
std::string shown(std::string_view source);
/// Returns "'SOURCE' is TYPE" for a message.
std::string described(const Typed& node, const Syntax& syntax);

}  // namespace eventspace::metrics

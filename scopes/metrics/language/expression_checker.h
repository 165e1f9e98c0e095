#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scopes/metrics/language/name_scope.h"
#include "scopes/metrics/language/operator_checker.h"
#include "scopes/metrics/language/syntax.h"
#include "scopes/metrics/language/typed_tree.h"

namespace eventspace::metrics {

/// The metrics that a metric can use: the ones before it. Plain data, not owned.
struct KnownMetrics {
  std::span<const Metric> of_library;
  const std::vector<Metric>* of_file{nullptr};
  const FileSyntax* file{nullptr};  ///< for messages about metrics that come later, or have faults
  std::string_view current{};       ///< the metric that is being checked

  [[nodiscard]] const Metric* find(std::string_view name, std::uint32_t& number) const;
  [[nodiscard]] std::vector<std::string_view> names() const;
};

/// Checks the expressions of one metric: names, calls, probes and aggregates. After a fault, functions return
/// null, and the expressions around it add no faults of their own. Not thread-safe.
class ExpressionChecker {
 public:
  ExpressionChecker(NameScope& names, const std::vector<Probe>& probes, const KnownMetrics& metrics,
                    std::vector<Fault>& faults)
      : names_(names),
        probes_(probes),
        metrics_(metrics),
        checked_(names.nodes(), faults),
        operators_(checked_) {}
  ExpressionChecker(const ExpressionChecker&) = delete;
  ExpressionChecker& operator=(const ExpressionChecker&) = delete;

  /// Checks the value of a variable with the indices `indices`, which stay free in it; or the value of a
  /// result, or of a variable without indices. Returns null after a fault.
  Typed value(const Syntax& syntax, std::vector<std::uint32_t> indices);

 private:
  /// A variable that stands for each of several objects given where one is needed.
  struct Expanded {
    std::uint32_t variable{0};
    Typed is_member;
  };

  Typed node(const Syntax& syntax);
  Typed constant(const Syntax& syntax);
  Typed name(const Syntax& syntax);
  Typed moment(const Syntax& syntax);
  Typed value_of(const Syntax& syntax, const Symbol& symbol);
  Typed unknown_name(const Syntax& syntax);
  Typed index(const Syntax& syntax);
  Typed operation(const Syntax& syntax);

  Typed at(const Syntax& syntax);
  /// Whether a value can stand before AT; if not, adds the fault.
  bool is_taken_at(const TypedNode& value, const Syntax& syntax, const Probe& probe);
  const Probe* probe_of(const Syntax& syntax, std::uint32_t& number);
  bool bind_probe_values(const Syntax& syntax, const Probe& probe);

  Typed call(const Syntax& syntax);
  Typed unknown_metric(const Syntax& syntax);
  Typed metric_call(const Syntax& syntax, const Metric& metric, std::uint32_t number);
  Typed argument(const Syntax& syntax, const Parameter& parameter, const Metric& metric);
  Typed each_of(const Typed& several, const Syntax& syntax);
  Typed built_in_call(const Syntax& syntax, std::uint32_t number);

  Typed aggregate(const Syntax& syntax);
  Typed combination(const Syntax& syntax, TypedNode made);
  bool take_percentage(const Syntax& syntax, TypedNode& made);
  bool bind_variables(const Syntax& syntax, TypedNode& made);
  bool bind_named(const Syntax& syntax, TypedNode& made);
  void bind_expanded(TypedNode& made);
  Typed both(const Typed& left, const Typed& right);
  bool is_bounded(const Syntax& syntax, const TypedNode& made);
  Typed typed_aggregate(const Syntax& syntax, TypedNode made);

  /// Checks all operands. Returns a node with them, and false after a fault.
  std::pair<TypedNode, bool> with_operands(const Syntax& syntax, TypedNode::Kind kind);

  NameScope& names_;
  const std::vector<Probe>& probes_;
  const KnownMetrics& metrics_;
  CheckedNodes checked_;
  OperatorChecker operators_;                                       // adds to checked_
  std::vector<std::uint32_t> indices_;                              // of the statement
  std::vector<Expanded> expanded_;                                  // not yet bound
  std::map<std::string, std::uint32_t, std::less<>> probe_values_;  // of the AT that is being checked
};

/// Returns "; did you mean 'NEAREST'?" if a candidate is near; otherwise an empty text.
std::string suggestion(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace eventspace::metrics

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "scopes/metrics/language/syntax.h"
#include "scopes/metrics/language/typed_tree.h"

namespace eventspace::metrics {

/// A name that a metric declares, and its meaning.
struct Symbol {
  enum class Kind : std::uint8_t {
    parameter,
    variable,   ///< has no value: it is free until an aggregate or a probe binds it
    definition  ///< stands for `value`, which may use the variables `indices`
  };

  Kind kind{Kind::variable};
  MetricType type;
  std::uint32_t number{0};  ///< of the parameter or variable
  std::size_t begin{0};     ///< of its declaration
  bool is_array{false};     ///< declared with dimensions: an indexed assignment gives it its value
  std::vector<std::uint32_t> indices{};
  Typed value{};
};

/// The names of one metric, and the nodes of its expressions. Not thread-safe.
class NameScope {
 public:
  /// Adds a name. Returns null, or the symbol that already has the name.
  const Symbol* add(std::string_view name, Symbol&& symbol);
  [[nodiscard]] Symbol* find(std::string_view name);
  /// Returns the number of a new variable.
  std::uint32_t add_variable(std::string name, const MetricType& type);

  /// Returns `node` with each of the `variables` replaced by the node at its place in `values`. Variables
  /// that aggregates in it bind are renamed if a value uses the same variable.
  Typed substitute(const Typed& node, const std::vector<std::uint32_t>& variables,
                   const std::vector<Typed>& values);

  /// Returns a node for variable `number`.
  Typed variable_node(std::uint32_t number);
  NodeTable& nodes() noexcept { return nodes_; }

  [[nodiscard]] const std::vector<Parameter>& variables() const noexcept { return variables_; }
  [[nodiscard]] std::vector<std::string_view> names() const;

 private:
  std::map<std::string, Symbol, std::less<>> symbols_;
  std::vector<Parameter> variables_;
  NodeTable nodes_;
};

}  // namespace eventspace::metrics

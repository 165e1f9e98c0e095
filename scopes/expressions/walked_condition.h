#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "scopes/expressions/syntax.h"

namespace eventspace {

/// A condition of the language of expressions (docs/expressions.md) over the fields of things other than
/// events, such as end-points and processes. It is evaluated by walking its syntax, which suits conditions
/// that run once for each thing, not for each event.
///
///     const WalkedCondition is_upper("rank >= 4 and host matches 'n*'", fields, "processes");
///     if (is_upper.holds([&](std::string_view field) { return value_of(field, process); })) ...
///
/// Immutable, so thread-safe.
class WalkedCondition {
 public:
  enum class Type : std::uint8_t { truth, number, text };
  /// The first alternative is a field that the thing lacks. Comparisons with it are false.
  using Value = std::variant<std::monostate, bool, double, std::string_view>;
  struct Field {
    std::string name;  ///< a name that ends in '*' stands for all names with that beginning
    Type type{Type::number};
  };

  /// Checks all types. `things` is the noun for messages, in the plural. Throws ExpressionError.
  WalkedCondition(std::string_view condition, std::vector<Field> fields, std::string things);

  /// `value_of` returns the value of a field, of the field's type. Texts are valid until it is called again
  /// for another thing.
  [[nodiscard]] bool holds(const std::function<Value(std::string_view field)>& value_of) const;
  /// Whether the condition reads this field.
  [[nodiscard]] bool has_field(std::string_view field) const;

 private:
  using Syntax = expressions::Syntax;
  using Lookup = std::function<Value(std::string_view field)>;

  [[nodiscard]] Type type_of(const Syntax& syntax) const;
  [[nodiscard]] Type type_of_field(const Syntax& syntax) const;
  [[nodiscard]] Type type_of_binary(const Syntax& syntax) const;
  void require(const Syntax& syntax, Type type) const;
  [[nodiscard]] static bool reads(const Syntax& syntax, std::string_view field);
  [[nodiscard]] static Value evaluate(const Syntax& syntax, const Lookup& value_of);
  [[nodiscard]] static Value evaluate_binary(const Syntax& syntax, const Lookup& value_of);

  std::shared_ptr<const std::string> text_;  // owns the text that the syntax refers to
  std::vector<Field> fields_;
  std::string things_;
  std::shared_ptr<const Syntax> syntax_;
};

}  // namespace eventspace

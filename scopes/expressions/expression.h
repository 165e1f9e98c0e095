#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <eventspace/error.h>
#include <eventspace/extend.h>
#include "collectors/kinds/event_field.h"
#include "scopes/tree/observed_event.h"
#include "scopes/tree/plan_names.h"

namespace eventspace {

namespace expressions {
class Program;
}

/// Thrown for an expression that is malformed or has a wrong type. The text has the column, the fault and the
/// allowed input: "column 6: 'verb' is text and '20ms' is a duration: '==' compares values of one type".
class ExpressionError : public ConfigurationError {
 public:
  ExpressionError(std::size_t offset, const std::string& text);
  /// Position of the fault in the expression, in bytes from 0.
  [[nodiscard]] std::size_t offset() const noexcept { return offset_; }
  /// The text without its column, for messages that give the place in another way. Valid as long as this.
  [[nodiscard]] std::string_view without_column() const noexcept;

 private:
  std::size_t offset_;
};

/// The constructor checks types and compiles. Evaluation does not throw or allocate, and takes time at most
/// proportional to the length of the expression. If an event lacks a field, as an operation in flight lacks a
/// duration, numbers that need it are missing, and comparisons with them are false. Used by one thread at a
/// time.
class Expression {
 public:
  static constexpr std::size_t longest = 1000;  ///< bytes
  static constexpr int deepest = 32;            ///< levels of nested parentheses, `not` and unary minus

  /// Throws ExpressionError if `text` is not an expression of one of the `allowed` types. `names` must
  /// outlive this object; `text` need not.
  Expression(std::string_view text, std::span<const ValueType> allowed, const PlanNames& names);
  ~Expression();
  Expression(Expression&& other) noexcept;
  Expression& operator=(Expression&& other) noexcept;

  [[nodiscard]] ValueType type() const noexcept;
  /// Returns the value. Requires type() == ValueType::boolean.
  [[nodiscard]] bool holds(const ObservedEvent& event) const;
  /// Returns the value, or nothing if a field that it needs is missing, or if it is not finite, as after a
  /// division by zero. Requires that type() is number or duration.
  [[nodiscard]] std::optional<double> number(const ObservedEvent& event) const;

  /// Returns the fault of `text`, with the column in its message, or nothing if the constructor would not
  /// throw. For ParameterSpec::check.
  static std::optional<TextFault> fault(std::string_view text, std::span<const ValueType> allowed);

 private:
  std::unique_ptr<const expressions::Program> program_;
};

}  // namespace eventspace

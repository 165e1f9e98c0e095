#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "paths/parameters/parameters.h"
#include "scopes/tree/observed_event.h"
#include "scopes/tree/plan_names.h"
#include "tuplespace/system/error.h"

namespace eventspace {

namespace expressions {
class Program;
}

/// What an expression can be. The numbers of a duration are nanoseconds.
enum class ValueType : std::uint8_t { boolean, number, duration, text };
std::string_view to_string(ValueType type) noexcept;  ///< "true or false", "a number" ...

/// An expression that is malformed, or uses a type where another is needed. The text says what was found and
/// what is allowed: "column 6: 'verb' is text and '20ms' is a duration: == compares two of one type".
class ExpressionError : public ConfigurationError {
 public:
  ExpressionError(std::size_t offset, const std::string& text);
  [[nodiscard]] std::size_t offset() const noexcept { return offset_; }  ///< in the expression, from 0

 private:
  std::size_t offset_;
};

/// An expression over the fields of one event and the names behind its numbers, such as
///
///     verb == 'take' and duration > 20ms and path matches 'receive/**'
///
/// docs/expressions.md is its reference. It is typed and compiled once; evaluating it takes time in
/// proportion to its length at most, cannot fail and allocates nothing. A field that an event lacks (the
/// duration of an operation in flight, say) makes a number missing and a comparison false. Used by one thread
/// at a time.
class Expression {
 public:
  static constexpr std::size_t longest = 1000;  ///< bytes
  static constexpr int deepest = 32;            ///< parentheses, `not` and unary minus in each other

  /// Throws ExpressionError when `text` is no expression of one of the `allowed` types. `names` must outlive
  /// it.
  Expression(std::string_view text, std::span<const ValueType> allowed, const PlanNames& names);
  ~Expression();
  Expression(Expression&& other) noexcept;
  Expression& operator=(Expression&& other) noexcept;

  [[nodiscard]] ValueType type() const noexcept;
  /// Of an expression that is true or false.
  [[nodiscard]] bool holds(const ObservedEvent& event) const;
  /// Of a number or a duration; nothing when something that it needs is missing, or it divides by zero.
  [[nodiscard]] std::optional<double> number(const ObservedEvent& event) const;

  /// What is wrong with `text`; for ParameterSpec::check. The fault's text names the column.
  static std::optional<TextFault> fault(std::string_view text, std::span<const ValueType> allowed);

 private:
  std::unique_ptr<const expressions::Program> program_;
};

}  // namespace eventspace

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace eventspace::expressions {

enum class Operator : std::uint8_t {
  any_of,   ///< or
  all_of,   ///< and
  negates,  ///< not
  equal,
  unequal,
  less,
  at_most,
  greater,
  at_least,
  matches,
  plus,
  minus,
  times,
  divided,
  modulo,
  negative  ///< unary -
};
std::string_view to_string(Operator op) noexcept;  ///< as written in expressions

/// A node of the syntax tree of an expression, before types are checked. Refers to the text of the
/// expression, which must outlive it.
struct Syntax {
  enum class Kind : std::uint8_t { boolean, number, duration, text, field, unary, binary };

  Kind kind{Kind::boolean};
  Operator op{Operator::any_of};  ///< of unary and binary
  double value{0.0};              ///< of number, duration and boolean (1: true)
  std::size_t begin{0};           ///< offset in the expression
  std::size_t operator_begin{0};  ///< of unary and binary
  std::string_view source;        ///< the whole part as written, with parentheses
  std::string_view token;         ///< of a value or field: its token
  std::unique_ptr<Syntax> left;   ///< the operand of unary
  std::unique_ptr<Syntax> right;

  /// Returns the content of a text, without quotes. Requires Kind::text.
  [[nodiscard]] std::string_view text() const noexcept { return token.substr(1, token.size() - 2); }
};

/// Parses an expression; `text` must outlive the result. Throws ExpressionError if it is malformed,
/// longer than Expression::longest or nested deeper than Expression::deepest.
std::unique_ptr<Syntax> parse(std::string_view text);

}  // namespace eventspace::expressions

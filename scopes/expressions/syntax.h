#pragma once

// Private to scopes/.

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
std::string_view to_string(Operator op) noexcept;  ///< as it is written

/// A node of an expression as it is written, before types are looked at.
struct Syntax {
  enum class Kind : std::uint8_t { boolean, number, duration, text, field, unary, binary };

  Kind kind{Kind::boolean};
  Operator op{Operator::any_of};  ///< of unary and binary
  double value{0.0};              ///< of number, duration and boolean (1: true)
  std::size_t begin{0};           ///< in the expression
  std::size_t operator_begin{0};  ///< of unary and binary
  std::string_view source;        ///< all of it, as it stands there, parentheses included
  std::string_view token;         ///< of a value: the value itself
  std::unique_ptr<Syntax> left;   ///< the only one of unary
  std::unique_ptr<Syntax> right;

  /// Of a text, without its quotes.
  [[nodiscard]] std::string_view text() const noexcept { return token.substr(1, token.size() - 2); }
};

/// Reads a whole expression; `text` must outlive what it yields. Throws ExpressionError when it is malformed,
/// longer than Expression::longest or nested deeper than Expression::deepest.
std::unique_ptr<Syntax> parse(std::string_view text);

}  // namespace eventspace::expressions

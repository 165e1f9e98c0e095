#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "scopes/metrics/language/syntax.h"
#include "scopes/metrics/language/token_reader.h"

namespace eventspace::metrics {

/// A recursive-descent parser of expressions, with one function for each level of precedence. Limits the
/// nesting, so that no input exhausts the stack. Functions throw Abandoned after a fault. Not thread-safe.
class ExpressionParser {
 public:
  using Node = std::unique_ptr<Syntax>;

  /// `tokens` must outlive it.
  explicit ExpressionParser(TokenReader& tokens) noexcept : tokens_(tokens) {}

  /// The parts of a statement are limited; they count from here.
  void begin_statement() noexcept { parts_ = 0; }
  /// Consumes an expression.
  Node expression();

 private:
  class Level;
  using Rule = Node (ExpressionParser::*)();

  Node conjunction();
  Node negation();
  Node comparison();
  Node sum();
  Node product();
  Node signed_term();
  Node sampled_term();
  Node term();
  Node primary();
  Node literal(Syntax::Kind kind, double scale);
  Node moment();
  Node parenthesis();
  Node interval();
  Node variable_or_call();
  Node aggregate();
  Node rate();
  void arguments(Syntax& call);
  Node unary(Operator op, Rule operand);
  Node binary(Operator op, Node left, Rule operand);
  Node node_at(Syntax::Kind kind, std::size_t begin);
  [[nodiscard]] Node ended(Node node) const;
  [[nodiscard]] std::optional<Operator> comparison_here() const noexcept;

  TokenReader& tokens_;
  int depth_{0};
  int parts_{0};  // of the current statement
};

}  // namespace eventspace::metrics

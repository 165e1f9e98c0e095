#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "scopes/expressions/expression.h"
#include "scopes/expressions/lexer.h"
#include "scopes/expressions/syntax.h"

namespace eventspace::expressions {
namespace {

using Node = std::unique_ptr<Syntax>;
using Spelling = std::pair<std::string_view, Operator>;

// In the order of Operator.
constexpr std::array<Spelling, 16> spellings{{{"or", Operator::any_of},
                                              {"and", Operator::all_of},
                                              {"not", Operator::negates},
                                              {"==", Operator::equal},
                                              {"!=", Operator::unequal},
                                              {"<", Operator::less},
                                              {"<=", Operator::at_most},
                                              {">", Operator::greater},
                                              {">=", Operator::at_least},
                                              {"matches", Operator::matches},
                                              {"+", Operator::plus},
                                              {"-", Operator::minus},
                                              {"*", Operator::times},
                                              {"/", Operator::divided},
                                              {"%", Operator::modulo},
                                              {"-", Operator::negative}}};

/// A recursive-descent parser with one function for each level of precedence, lowest first.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text), lexer_(text), token_(lexer_.next()) {}

  Node whole() {
    auto node = disjunction();
    if (token_.kind != TokenKind::end) fail_here("an operator or the end");
    return node;
  }

 private:
  /// Limits the nesting, so that no input exhausts the stack.
  class Level {
   public:
    explicit Level(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > Expression::deepest)
        throw ExpressionError(parser_.token_.begin,
                              fmt::format("nested deeper than {} levels", Expression::deepest));
    }
    ~Level() { --parser_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Parser& parser_;
  };

  Node disjunction() {
    auto node = conjunction();
    while (const auto op = operator_among(Operator::any_of, Operator::any_of))
      node = binary(*op, std::move(node), &Parser::conjunction);
    return node;
  }

  Node conjunction() {
    auto node = negation();
    while (const auto op = operator_among(Operator::all_of, Operator::all_of))
      node = binary(*op, std::move(node), &Parser::negation);
    return node;
  }

  Node negation() {
    if (!is("not")) return comparison();
    return unary(Operator::negates, &Parser::negation);
  }

  Node comparison() {
    auto node = sum();
    const auto op = operator_among(Operator::equal, Operator::matches);
    if (!op) return node;
    node = binary(*op, std::move(node), &Parser::sum);
    if (operator_among(Operator::equal, Operator::matches))
      throw ExpressionError(token_.begin, "comparisons cannot follow each other; join them with 'and'");
    return node;
  }

  Node sum() {
    auto node = product();
    while (const auto op = operator_among(Operator::plus, Operator::minus))
      node = binary(*op, std::move(node), &Parser::product);
    return node;
  }

  Node product() {
    auto node = signed_value();
    while (const auto op = operator_among(Operator::times, Operator::modulo))
      node = binary(*op, std::move(node), &Parser::signed_value);
    return node;
  }

  Node signed_value() {
    if (!is("-")) return value();
    return unary(Operator::negative, &Parser::signed_value);
  }

  Node value() {
    switch (token_.kind) {
      case TokenKind::number:
      case TokenKind::size:
        return leaf(Syntax::Kind::number, token_.value);
      case TokenKind::duration:
        return leaf(Syntax::Kind::duration, token_.value);
      case TokenKind::text:
        return leaf(Syntax::Kind::text, 0.0);
      case TokenKind::word:
        if (is("true") || is("false")) return leaf(Syntax::Kind::boolean, is("true") ? 1.0 : 0.0);
        if (!is_reserved(token_.source)) return leaf(Syntax::Kind::field, 0.0);
        break;
      case TokenKind::symbol:
        if (is("(")) return parenthesis();
        break;
      case TokenKind::end:
        break;
    }
    fail_here("a field or a value");
  }

  Node parenthesis() {
    const Level level(*this);
    const auto open = advance();
    auto node = disjunction();
    if (!is(")")) fail_here(fmt::format("')' for the '(' in column {}", open.begin + 1));
    advance();
    node->begin = open.begin;
    node->source = text_.substr(open.begin, end_ - open.begin);
    return node;
  }

  Node leaf(Syntax::Kind kind, double value) {
    const auto token = advance();
    auto node = std::make_unique<Syntax>();
    node->kind = kind;
    node->value = value;
    node->begin = token.begin;
    node->source = token.source;
    node->token = token.source;
    return node;
  }

  Node unary(Operator op, Node (Parser::*operand)()) {
    const Level level(*this);
    const auto token = advance();
    auto node = std::make_unique<Syntax>();
    node->kind = Syntax::Kind::unary;
    node->op = op;
    node->operator_begin = token.begin;
    node->left = (this->*operand)();
    return spanned(std::move(node), token.begin);
  }

  Node binary(Operator op, Node left, Node (Parser::*operand)()) {
    auto node = std::make_unique<Syntax>();
    node->kind = Syntax::Kind::binary;
    node->op = op;
    node->operator_begin = advance().begin;
    node->left = std::move(left);
    node->right = (this->*operand)();
    const auto begin = node->left->begin;
    return spanned(std::move(node), begin);
  }

  [[nodiscard]] Node spanned(Node node, std::size_t begin) const {
    node->begin = begin;
    node->source = text_.substr(begin, end_ - begin);
    return node;
  }

  Token advance() {
    const auto token = token_;
    end_ = token.begin + token.source.size();
    token_ = lexer_.next();
    return token;
  }

  /// Compares the source with quotes, so that a quoted word is never a keyword.
  [[nodiscard]] bool is(std::string_view spelling) const noexcept { return token_.source == spelling; }

  /// Returns the operator of the current token, if it is one of `first` to `last`.
  [[nodiscard]] std::optional<Operator> operator_among(Operator first, Operator last) const noexcept {
    for (auto i = static_cast<std::size_t>(first); i <= static_cast<std::size_t>(last); ++i) {
      if (is(spellings[i].first)) return spellings[i].second;
    }
    return std::nullopt;
  }

  static bool is_reserved(std::string_view word) noexcept {
    return std::ranges::find(spellings, word, &Spelling::first) != spellings.end();
  }

  [[noreturn]] void fail_here(std::string_view expected) const {
    const auto found = token_.kind == TokenKind::end ? "the end" : fmt::format("'{}'", token_.source);
    throw ExpressionError(token_.begin, fmt::format("found {}; expected {}", found, expected));
  }

  std::string_view text_;
  Lexer lexer_;
  Token token_;         // the current one, not consumed
  std::size_t end_{0};  // end of the last consumed token
  int depth_{0};
};

}  // namespace

std::string_view to_string(Operator op) noexcept { return spellings[static_cast<std::size_t>(op)].first; }

std::unique_ptr<Syntax> parse(std::string_view text) {
  if (text.size() > Expression::longest)
    throw ExpressionError(Expression::longest, fmt::format("longer than {} bytes", Expression::longest));
  return Parser(text).whole();
}

}  // namespace eventspace::expressions

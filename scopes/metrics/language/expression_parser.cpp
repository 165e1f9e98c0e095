#include "scopes/metrics/language/expression_parser.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "scopes/metrics/language/keywords.h"

namespace eventspace::metrics {
namespace {

using expressions::Token;
using expressions::TokenKind;
using Node = std::unique_ptr<Syntax>;

struct Comparison {
  std::string_view spelling;
  Operator op;
};
constexpr std::array<Comparison, 7> comparisons{{{"==", Operator::equal},
                                                 {"!=", Operator::unequal},
                                                 {"<", Operator::less},
                                                 {"<=", Operator::at_most},
                                                 {">", Operator::greater},
                                                 {">=", Operator::at_least},
                                                 {"MATCHES", Operator::matches}}};

}  // namespace

/// One level of nesting.
class ExpressionParser::Level {
 public:
  explicit Level(ExpressionParser& parser) : parser_(parser) {
    if (++parser_.depth_ <= deepest_nesting) return;
    --parser_.depth_;
    parser_.tokens_.fail(parser_.tokens_.token().begin,
                         fmt::format("nested deeper than {} levels", deepest_nesting));
  }
  ~Level() { --parser_.depth_; }
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;

 private:
  ExpressionParser& parser_;
};

Node ExpressionParser::expression() {
  auto node = conjunction();
  while (tokens_.is_keyword_here("OR"))
    node = binary(Operator::any_of, std::move(node), &ExpressionParser::conjunction);
  return node;
}

Node ExpressionParser::conjunction() {
  auto node = negation();
  while (tokens_.is_keyword_here("AND"))
    node = binary(Operator::all_of, std::move(node), &ExpressionParser::negation);
  return node;
}

Node ExpressionParser::negation() {
  if (tokens_.is_keyword_here("NOT")) return unary(Operator::negates, &ExpressionParser::negation);
  return comparison();
}

Node ExpressionParser::comparison() {
  auto node = sum();
  if (tokens_.is_keyword_here("IN")) {
    tokens_.advance();
    auto made = node_at(Syntax::Kind::within, node->begin);
    made->operands.push_back(std::move(node));
    made->operands.push_back(sum());
    node = ended(std::move(made));
  } else if (const auto op = comparison_here()) {
    node = binary(*op, std::move(node), &ExpressionParser::sum);
  }
  if (comparison_here() || tokens_.is_keyword_here("IN"))
    tokens_.fail(tokens_.token().begin, "comparisons cannot follow each other; join them with AND");
  return node;
}

Node ExpressionParser::sum() {
  auto node = product();
  while (tokens_.is("+") || tokens_.is("-"))
    node = binary(tokens_.is("+") ? Operator::plus : Operator::minus, std::move(node),
                  &ExpressionParser::product);
  return node;
}

Node ExpressionParser::product() {
  auto node = signed_term();
  for (;;) {
    if (tokens_.is("*")) {
      node = binary(Operator::times, std::move(node), &ExpressionParser::signed_term);
    } else if (tokens_.is("/")) {
      node = binary(Operator::divided, std::move(node), &ExpressionParser::signed_term);
    } else if (tokens_.is("%")) {
      node = binary(Operator::modulo, std::move(node), &ExpressionParser::signed_term);
    } else {
      return node;
    }
  }
}

Node ExpressionParser::signed_term() {
  if (tokens_.is("-")) return unary(Operator::negative, &ExpressionParser::signed_term);
  if (tokens_.accept("+")) {
    const Level level(*this);
    return signed_term();
  }
  return sampled_term();
}

Node ExpressionParser::sampled_term() {
  auto node = term();
  while (tokens_.is_keyword_here("AT")) {
    tokens_.advance();
    auto made = node_at(Syntax::Kind::at, node->begin);
    made->name = tokens_.name("the name of a probe after AT");
    made->operands.push_back(std::move(node));
    tokens_.expect("(", fmt::format("'(' after the probe '{}'", made->name.text));
    arguments(*made);
    node = ended(std::move(made));
  }
  return node;
}

Node ExpressionParser::term() {
  auto node = primary();
  while (tokens_.is(".")) {
    tokens_.advance();
    auto made = node_at(Syntax::Kind::attribute, node->begin);
    made->name = tokens_.name("the name of an attribute after '.'");
    made->operands.push_back(std::move(node));
    // a.F(b) is F(a, b).
    if (tokens_.accept("(")) {
      made->kind = Syntax::Kind::call;
      arguments(*made);
    }
    node = ended(std::move(made));
  }
  return node;
}

Node ExpressionParser::primary() {
  switch (tokens_.token().kind) {
    case TokenKind::number:
      return literal(Syntax::Kind::number, 1.0);
    case TokenKind::duration:
      return literal(Syntax::Kind::duration, 1e-9);
    case TokenKind::size:
      return literal(Syntax::Kind::bytes, 1.0);
    case TokenKind::text:
      return literal(Syntax::Kind::text, 1.0);
    case TokenKind::symbol:
      if (tokens_.is("(")) return parenthesis();
      if (tokens_.is("[")) return interval();
      break;
    case TokenKind::word:
      if (aggregate_named(tokens_.token().source)) return aggregate();
      if (tokens_.is_keyword_here("RATE")) return rate();
      if (moment_named(tokens_.token().source)) return moment();
      if (!is_keyword(tokens_.token().source)) return variable_or_call();
      break;
    case TokenKind::end:
      break;
  }
  tokens_.fail_here("a value, a variable, a metric or '('");
}

Node ExpressionParser::literal(Syntax::Kind kind, double scale) {
  const Token token = tokens_.advance();
  auto node = node_at(kind, token.begin);
  node->value = token.value * scale;
  if (kind == Syntax::Kind::text)
    node->name = {token.source.substr(1, token.source.size() - 2), token.begin + 1};
  return ended(std::move(node));
}

Node ExpressionParser::moment() {
  const Token token = tokens_.advance();
  auto node = node_at(Syntax::Kind::name, token.begin);
  node->name = {token.source, token.begin};
  return ended(std::move(node));
}

Node ExpressionParser::parenthesis() {
  const Level level(*this);
  const Token open = tokens_.advance();
  auto node = expression();
  if (!tokens_.accept(")"))
    tokens_.fail_here(fmt::format("')' for the '(' in {}", tokens_.place(open.begin)));
  node->begin = open.begin;
  return ended(std::move(node));
}

Node ExpressionParser::interval() {
  const Level level(*this);
  auto node = node_at(Syntax::Kind::interval, tokens_.advance().begin);
  node->operands.push_back(sum());
  tokens_.expect(",", "',' between the begin and the end of an interval");
  node->operands.push_back(sum());
  tokens_.expect("]", "']' at the end of an interval");
  return ended(std::move(node));
}

Node ExpressionParser::variable_or_call() {
  const Token token = tokens_.advance();
  auto node = node_at(Syntax::Kind::name, token.begin);
  node->name = {token.source, token.begin};
  if (tokens_.accept("(")) {
    node->kind = Syntax::Kind::call;
    arguments(*node);
    return ended(std::move(node));
  }
  node = ended(std::move(node));
  if (!tokens_.is("[")) return node;
  const Level level(*this);
  auto indexed = node_at(Syntax::Kind::index, token.begin);
  indexed->name = node->name;
  indexed->operands.push_back(std::move(node));
  while (tokens_.accept("[")) {
    indexed->operands.push_back(sum());
    tokens_.expect("]", "']' after the index");
  }
  return ended(std::move(indexed));
}

Node ExpressionParser::aggregate() {
  const Level level(*this);
  const Token keyword = tokens_.advance();
  auto node = node_at(Syntax::Kind::aggregate, keyword.begin);
  node->aggregate = *aggregate_named(keyword.source);
  node->name = {keyword.source, keyword.begin};
  node->indices = tokens_.indices();
  tokens_.expect("(", fmt::format("'(' after {}", to_string(node->aggregate)));
  do node->operands.push_back(expression());
  while (tokens_.accept(","));
  if (tokens_.accept_keyword("WHERE")) node->condition = expression();
  tokens_.expect(")", node->condition ? "')' after the condition" : "',', WHERE or ')'");
  return ended(std::move(node));
}

Node ExpressionParser::rate() {
  const Level level(*this);
  auto node = node_at(Syntax::Kind::rate, tokens_.advance().begin);
  tokens_.expect("(", "'(' after RATE");
  node->operands.push_back(expression());
  tokens_.expect(")", "')' after the value whose rate is taken");
  return ended(std::move(node));
}

void ExpressionParser::arguments(Syntax& call) {
  const Level level(*this);
  if (tokens_.accept(")")) return;
  do call.operands.push_back(expression());
  while (tokens_.accept(","));
  tokens_.expect(")", "',' or ')' after an argument");
}

Node ExpressionParser::unary(Operator op, Rule operand) {
  const Level level(*this);
  auto node = node_at(Syntax::Kind::unary, tokens_.advance().begin);
  node->op = op;
  node->operands.push_back((this->*operand)());
  return ended(std::move(node));
}

Node ExpressionParser::binary(Operator op, Node left, Rule operand) {
  auto node = node_at(Syntax::Kind::binary, left->begin);
  const Token token = tokens_.advance();
  node->op = op;
  node->name = {token.source, token.begin};
  node->operands.push_back(std::move(left));
  node->operands.push_back((this->*operand)());
  return ended(std::move(node));
}

// Also limits the parts of a statement: the tree of a long sum is as deep as the sum is long.
Node ExpressionParser::node_at(Syntax::Kind kind, std::size_t begin) {
  if (++parts_ > max_parts)
    tokens_.fail(begin, fmt::format("the statement has more than {} parts; divide it", max_parts));
  auto node = std::make_unique<Syntax>();
  node->kind = kind;
  node->begin = begin;
  return node;
}

Node ExpressionParser::ended(Node node) const {
  node->source = tokens_.text_from(node->begin);
  return node;
}

std::optional<Operator> ExpressionParser::comparison_here() const noexcept {
  for (const auto& [spelling, op] : comparisons) {
    if (tokens_.is(spelling) || tokens_.is_keyword_here(spelling)) return op;
  }
  return std::nullopt;
}

}  // namespace eventspace::metrics

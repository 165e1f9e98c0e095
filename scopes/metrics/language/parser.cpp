#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "scopes/expressions/expression.h"
#include "scopes/metrics/language/keywords.h"
#include "scopes/metrics/language/syntax.h"
#include "scopes/metrics/language/token_reader.h"

namespace eventspace::metrics {
namespace {

using expressions::Lexer;
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

/// A recursive-descent parser with one function for each rule, and for each level of precedence.
class Parser : private TokenReader {
 public:
  using TokenReader::TokenReader;

  FileSyntax file() {
    while (!is_end() && !has_enough()) metric();
    if (file_.metrics.empty() && faults().empty())
      fault(token().begin, "the file has no metric; expected 'NAME(TYPE NAME, ...) { ... RETURN ...; }'");
    file_.faults = std::move(faults());
    std::ranges::stable_sort(file_.faults, {}, &Fault::offset);
    return std::move(file_);
  }

 private:
  /// Limits the nesting, so that no input exhausts the stack.
  class Level {
   public:
    explicit Level(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ <= deepest_nesting) return;
      --parser_.depth_;
      parser_.fail(parser_.token().begin, fmt::format("nested deeper than {} levels", deepest_nesting));
    }
    ~Level() { --parser_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Parser& parser_;
  };

  // --- metrics and statements --------------------------------------------------------------------

  void metric() {
    MetricSyntax metric;
    const std::size_t before = faults().size();
    begin_statement();
    try {
      metric.name = name("the name of a metric");
      expect("(", fmt::format("'(' after the name of the metric '{}'", metric.name.text));
      metric.parameters = parameters(false);
      if (accept(":")) metric.unit = unit();
      expect("{", "'{' before the statements of the metric");
      body(metric);
    } catch (const Abandoned&) {
      skip_to("}");
      accept("}");
    }
    if (before == faults().size()) {
      file_.metrics.push_back(std::move(metric));
    } else if (!metric.name.text.empty()) {
      file_.broken.push_back(metric.name);
    }
  }

  void body(MetricSyntax& metric) {
    while (!is("}")) {
      if (is_end() || is_next_metric())
        fail_here(fmt::format("'}}' at the end of the metric '{}'", metric.name.text));
      if (has_enough()) throw Abandoned();
      try {
        metric.statements.push_back(statement());
      } catch (const Abandoned&) {
        skip_to(";");
        accept(";");
      }
    }
    metric.end = token().begin;
    advance();
  }

  /// Whether the next metric begins here: statements do not begin with a name and a parenthesis.
  [[nodiscard]] bool is_next_metric() const {
    if (token().kind != TokenKind::word || is_keyword(token().source)) return false;
    Lexer ahead = this->ahead();
    try {
      return ahead.next().source == "(";
    } catch (const ExpressionError&) {
      return false;
    }
  }

  Statement statement() {
    Statement made;
    made.begin = token().begin;
    parts_ = 0;
    begin_statement();
    if (accept_keyword("RETURN")) {
      made.kind = Statement::Kind::result;
      made.value = expression();
    } else if (accept_keyword("PROBE")) {
      made.kind = Statement::Kind::probe;
      made.names = {name("the name of a probe")};
      expect("(", fmt::format("'(' after the name of the probe '{}'", made.names[0].text));
      made.parameters = parameters(true);
    } else {
      declaration_or_assignment(made);
    }
    expect(";", "';' at the end of the statement");
    return made;
  }

  void declaration_or_assignment(Statement& made) {
    const Word first = name("a declaration, an assignment, PROBE or RETURN");
    if (is("=") || (is("[") && !is_dimension())) {
      made.kind = Statement::Kind::assignment;
      made.names = {first};
      made.indices = indices();
      expect("=", fmt::format("'=' and the value of '{}'", first.text));
      made.value = expression();
      return;
    }
    made.type = {first, dimensions()};
    made.names = {name(fmt::format("the name of a variable after the type '{}'", first.text))};
    if (accept("=")) {
      made.kind = Statement::Kind::definition;
      made.value = expression();
      return;
    }
    while (accept(",")) made.names.push_back(name("the name of a variable"));
  }

  std::vector<ParameterSyntax> parameters(bool of_probe) {
    std::vector<ParameterSyntax> made;
    do {
      ParameterSyntax parameter;
      parameter.type.name = name("the type of a parameter");
      parameter.type.dimensions = dimensions();
      const bool is_unnamed = is(",") || is(")");
      if (is_unnamed && !of_probe)
        fault(token().begin, fmt::format("the parameter of type '{}' has no name", parameter.type.name.text));
      if (!is_unnamed) parameter.name = name("the name of the parameter");
      made.push_back(parameter);
    } while (accept(","));
    expect(")", "',' or ')' after a parameter");
    return made;
  }

  Word unit() {
    if (token().kind != TokenKind::word || !is_same_word(token().source, "Unit"))
      fail_here("Unit(\"...\") after ':'");
    advance();
    expect("(", "'(' after Unit");
    if (token().kind != TokenKind::text) fail_here("the unit in quotes");
    const Token text = advance();
    expect(")", "')' after the unit");
    return {text.source.substr(1, text.source.size() - 2), text.begin};
  }

  [[nodiscard]] bool is_dimension() const {
    Lexer ahead = this->ahead();
    try {
      return ahead.next().source == "]";
    } catch (const ExpressionError&) {
      return false;
    }
  }

  std::uint8_t dimensions() {
    constexpr std::uint8_t most = 4;
    std::uint8_t count = 0;
    while (is("[")) {
      if (++count > most) fail(token().begin, fmt::format("more than {} dimensions", most));
      advance();
      expect("]", "']' of an array's type");
    }
    return count;
  }

  std::vector<Word> indices() {
    std::vector<Word> made;
    while (accept("[")) {
      made.push_back(name("the name of a variable as index"));
      expect("]", "']' after the index");
    }
    return made;
  }

  // --- expressions, lowest precedence first ------------------------------------------------------

  Node expression() {
    auto node = conjunction();
    while (is_keyword_here("OR")) node = binary(Operator::any_of, std::move(node), &Parser::conjunction);
    return node;
  }

  Node conjunction() {
    auto node = negation();
    while (is_keyword_here("AND")) node = binary(Operator::all_of, std::move(node), &Parser::negation);
    return node;
  }

  Node negation() {
    if (is_keyword_here("NOT")) return unary(Operator::negates, &Parser::negation);
    return comparison();
  }

  Node comparison() {
    auto node = sum();
    if (is_keyword_here("IN")) {
      advance();
      auto made = node_at(Syntax::Kind::within, node->begin);
      made->operands.push_back(std::move(node));
      made->operands.push_back(sum());
      node = ended(std::move(made));
    } else if (const auto op = comparison_here()) {
      node = binary(*op, std::move(node), &Parser::sum);
    }
    if (comparison_here() || is_keyword_here("IN"))
      fail(token().begin, "comparisons cannot follow each other; join them with AND");
    return node;
  }

  Node sum() {
    auto node = product();
    while (is("+") || is("-"))
      node = binary(is("+") ? Operator::plus : Operator::minus, std::move(node), &Parser::product);
    return node;
  }

  Node product() {
    auto node = signed_term();
    for (;;) {
      if (is("*")) {
        node = binary(Operator::times, std::move(node), &Parser::signed_term);
      } else if (is("/")) {
        node = binary(Operator::divided, std::move(node), &Parser::signed_term);
      } else if (is("%")) {
        node = binary(Operator::modulo, std::move(node), &Parser::signed_term);
      } else {
        return node;
      }
    }
  }

  Node signed_term() {
    if (is("-")) return unary(Operator::negative, &Parser::signed_term);
    if (accept("+")) {
      const Level level(*this);
      return signed_term();
    }
    return sampled_term();
  }

  Node sampled_term() {
    auto node = term();
    while (is_keyword_here("AT")) {
      advance();
      auto made = node_at(Syntax::Kind::at, node->begin);
      made->name = name("the name of a probe after AT");
      made->operands.push_back(std::move(node));
      expect("(", fmt::format("'(' after the probe '{}'", made->name.text));
      arguments(*made);
      node = ended(std::move(made));
    }
    return node;
  }

  Node term() {
    auto node = primary();
    while (is(".")) {
      advance();
      auto made = node_at(Syntax::Kind::attribute, node->begin);
      made->name = name("the name of an attribute after '.'");
      made->operands.push_back(std::move(node));
      // a.F(b) is F(a, b).
      if (accept("(")) {
        made->kind = Syntax::Kind::call;
        arguments(*made);
      }
      node = ended(std::move(made));
    }
    return node;
  }

  Node primary() {
    switch (token().kind) {
      case TokenKind::number:
        return literal(Syntax::Kind::number, 1.0);
      case TokenKind::duration:
        return literal(Syntax::Kind::duration, 1e-9);
      case TokenKind::size:
        return literal(Syntax::Kind::bytes, 1.0);
      case TokenKind::text:
        return literal(Syntax::Kind::text, 1.0);
      case TokenKind::symbol:
        if (is("(")) return parenthesis();
        if (is("[")) return interval();
        break;
      case TokenKind::word:
        if (aggregate_named(token().source)) return aggregate();
        if (is_keyword_here("RATE")) return rate();
        if (moment_named(token().source)) return moment();
        if (!is_keyword(token().source)) return variable_or_call();
        break;
      case TokenKind::end:
        break;
    }
    fail_here("a value, a variable, a metric or '('");
  }

  Node literal(Syntax::Kind kind, double scale) {
    const Token token = advance();
    auto node = node_at(kind, token.begin);
    node->value = token.value * scale;
    if (kind == Syntax::Kind::text)
      node->name = {token.source.substr(1, token.source.size() - 2), token.begin + 1};
    return ended(std::move(node));
  }

  Node moment() {
    const Token token = advance();
    auto node = node_at(Syntax::Kind::name, token.begin);
    node->name = {token.source, token.begin};
    return ended(std::move(node));
  }

  Node parenthesis() {
    const Level level(*this);
    const Token open = advance();
    auto node = expression();
    if (!accept(")")) fail_here(fmt::format("')' for the '(' in {}", place(open.begin)));
    node->begin = open.begin;
    return ended(std::move(node));
  }

  Node interval() {
    const Level level(*this);
    auto node = node_at(Syntax::Kind::interval, advance().begin);
    node->operands.push_back(sum());
    expect(",", "',' between the begin and the end of an interval");
    node->operands.push_back(sum());
    expect("]", "']' at the end of an interval");
    return ended(std::move(node));
  }

  Node variable_or_call() {
    const Token token = advance();
    auto node = node_at(Syntax::Kind::name, token.begin);
    node->name = {token.source, token.begin};
    if (accept("(")) {
      node->kind = Syntax::Kind::call;
      arguments(*node);
      return ended(std::move(node));
    }
    node = ended(std::move(node));
    if (!is("[")) return node;
    const Level level(*this);
    auto indexed = node_at(Syntax::Kind::index, token.begin);
    indexed->name = node->name;
    indexed->operands.push_back(std::move(node));
    while (accept("[")) {
      indexed->operands.push_back(sum());
      expect("]", "']' after the index");
    }
    return ended(std::move(indexed));
  }

  Node aggregate() {
    const Level level(*this);
    const Token keyword = advance();
    auto node = node_at(Syntax::Kind::aggregate, keyword.begin);
    node->aggregate = *aggregate_named(keyword.source);
    node->name = {keyword.source, keyword.begin};
    node->indices = indices();
    expect("(", fmt::format("'(' after {}", to_string(node->aggregate)));
    do node->operands.push_back(expression());
    while (accept(","));
    if (accept_keyword("WHERE")) node->condition = expression();
    expect(")", node->condition ? "')' after the condition" : "',', WHERE or ')'");
    return ended(std::move(node));
  }

  Node rate() {
    const Level level(*this);
    auto node = node_at(Syntax::Kind::rate, advance().begin);
    expect("(", "'(' after RATE");
    node->operands.push_back(expression());
    expect(")", "')' after the value whose rate is taken");
    return ended(std::move(node));
  }

  void arguments(Syntax& call) {
    const Level level(*this);
    if (accept(")")) return;
    do call.operands.push_back(expression());
    while (accept(","));
    expect(")", "',' or ')' after an argument");
  }

  Node unary(Operator op, Node (Parser::*operand)()) {
    const Level level(*this);
    auto node = node_at(Syntax::Kind::unary, advance().begin);
    node->op = op;
    node->operands.push_back((this->*operand)());
    return ended(std::move(node));
  }

  Node binary(Operator op, Node left, Node (Parser::*operand)()) {
    auto node = node_at(Syntax::Kind::binary, left->begin);
    const Token token = advance();
    node->op = op;
    node->name = {token.source, token.begin};
    node->operands.push_back(std::move(left));
    node->operands.push_back((this->*operand)());
    return ended(std::move(node));
  }

  /// Also limits the parts of a statement: the tree of a long sum is as deep as the sum is long.
  Node node_at(Syntax::Kind kind, std::size_t begin) {
    if (++parts_ > max_parts)
      fail(begin, fmt::format("the statement has more than {} parts; divide it", max_parts));
    auto node = std::make_unique<Syntax>();
    node->kind = kind;
    node->begin = begin;
    return node;
  }

  [[nodiscard]] Node ended(Node node) const {
    node->source = text_from(node->begin);
    return node;
  }

  [[nodiscard]] std::optional<Operator> comparison_here() const noexcept {
    for (const auto& [spelling, op] : comparisons) {
      if (is(spelling) || is_keyword_here(spelling)) return op;
    }
    return std::nullopt;
  }

  int depth_{0};
  int parts_{0};  // of the current statement
  FileSyntax file_;
};

}  // namespace

FileSyntax parse_metrics(std::string_view text) {
  if (text.size() <= longest_file) return Parser(text).file();
  FileSyntax refused;
  refused.faults.push_back(
      {longest_file, fmt::format("the file is longer than {} KiB", longest_file / 1024)});
  return refused;
}

}  // namespace eventspace::metrics

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "scopes/expressions/expression.h"
#include "scopes/metrics/language/expression_parser.h"
#include "scopes/metrics/language/keywords.h"
#include "scopes/metrics/language/syntax.h"
#include "scopes/metrics/language/token_reader.h"

namespace eventspace::metrics {
namespace {

using expressions::Lexer;
using expressions::Token;
using expressions::TokenKind;

/// A recursive-descent parser of metrics and their statements, with one function for each rule.
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
    begin_statement();
    expressions_.begin_statement();
    if (accept_keyword("RETURN")) {
      made.kind = Statement::Kind::result;
      made.value = expressions_.expression();
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
      made.value = expressions_.expression();
      return;
    }
    made.type = {first, dimensions()};
    made.names = {name(fmt::format("the name of a variable after the type '{}'", first.text))};
    if (accept("=")) {
      made.kind = Statement::Kind::definition;
      made.value = expressions_.expression();
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

  ExpressionParser expressions_{*this};
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

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scopes/expressions/syntax.h"

// The output of the parser of metrics: definitions as written, before names are resolved and types checked.
// It refers to the text of the file, which must outlive it.

namespace eventspace::metrics {

using expressions::Operator;

/// A fault in a file of metrics: its position, in bytes from 0, and text with the wrong input and the allowed
/// ones.
struct Fault {
  std::size_t offset{0};
  std::string text;
};

/// A word of the file and its place.
struct Word {
  std::string_view text;
  std::size_t begin{0};
};

/// MATHFUNC of the grammar, and PERCENTILE.
enum class Aggregate : std::uint8_t {
  sum,
  product,
  least,
  greatest,
  mean,
  deviation,
  count,
  unique,
  percentile
};
std::string_view to_string(Aggregate aggregate) noexcept;  ///< the keyword, in capitals

enum class Moment : std::uint8_t {
  now,    ///< when a value is read, or when the event of AT happened
  start,  ///< of the measurement
  last    ///< when the value was read last
};
std::string_view to_string(Moment moment) noexcept;  ///< the keyword, in capitals

/// A node of an expression.
struct Syntax {
  enum class Kind : std::uint8_t {
    number,
    duration,  ///< 20ms; `value` in seconds
    bytes,     ///< 4KiB; `value` in bytes
    text,
    name,       ///< of a variable, parameter, or NOW, START, LAST
    index,      ///< operands: the variable, then its indices
    attribute,  ///< `name` of operands[0]
    call,       ///< of the metric `name` with the operands
    interval,   ///< operands: its begin and end
    unary,      ///< `op` on operands[0]
    binary,     ///< `op` on operands[0] and [1]
    within,     ///< operands[0] IN operands[1]
    at,         ///< operands[0] AT the probe `name`, whose arguments follow
    aggregate,  ///< `aggregate` over `indices` of the operands, where `condition`
    rate        ///< RATE(operands[0])
  };

  Kind kind{Kind::number};
  Operator op{Operator::any_of};
  Aggregate aggregate{Aggregate::sum};
  double value{0.0};
  Word name;
  std::size_t begin{0};
  std::string_view source;  ///< all of the node's text, as written
  std::vector<std::unique_ptr<Syntax>> operands;
  std::vector<Word> indices;
  std::unique_ptr<Syntax> condition;  ///< null: none
};

/// A type as written.
struct TypeSyntax {
  Word name;
  std::uint8_t dimensions{0};
};

/// A parameter of a metric, or of a probe, where the name may be missing.
struct ParameterSyntax {
  TypeSyntax type;
  Word name;
};

struct Statement {
  enum class Kind : std::uint8_t {
    declaration,  ///< TYPE a, b;
    definition,   ///< TYPE a = EXPRESSION;
    assignment,   ///< a[i] = EXPRESSION;
    probe,        ///< PROBE a(TYPE NAME, ...);
    result        ///< RETURN EXPRESSION;
  };

  Kind kind{Kind::declaration};
  std::size_t begin{0};
  TypeSyntax type;          ///< of a declaration or definition
  std::vector<Word> names;  ///< the declared names; for other kinds the one name; empty for a result
  std::vector<Word> indices;
  std::vector<ParameterSyntax> parameters;  ///< of a probe
  std::unique_ptr<Syntax> value;
};

/// A metric as it is written.
struct MetricSyntax {
  Word name;
  std::vector<ParameterSyntax> parameters;
  std::optional<Word> unit;  ///< the text in Unit("..."), without quotes
  std::vector<Statement> statements;
  std::size_t end{0};  ///< of its closing brace
};

struct FileSyntax {
  std::vector<MetricSyntax> metrics;  ///< metrics without a fault
  std::vector<Word> broken;           ///< names of metrics with a fault
  std::vector<Fault> faults;          ///< in the order of the text
};

inline constexpr std::size_t longest_file = std::size_t{256} * 1024;  ///< bytes
inline constexpr int deepest_nesting = 32;
inline constexpr int max_parts = 500;          ///< values and operators of a statement
inline constexpr std::size_t max_faults = 50;  ///< the parser stops reporting after this many

/// Parses a file of metrics (docs/metrics.md has the grammar). After a fault, it continues with the next
/// statement, or with the next metric. `text` must outlive the result. Does not throw.
FileSyntax parse_metrics(std::string_view text);

}  // namespace eventspace::metrics

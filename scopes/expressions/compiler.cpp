#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "paths/parameters/glob.h"
#include "paths/parameters/nearest.h"
#include "scopes/expressions/expression.h"
#include "scopes/expressions/program.h"

namespace eventspace::expressions {
namespace {

/// A compiled part of an expression: its type, and the step that yields its value.
struct Part {
  const Syntax* syntax;
  ValueType type;
  std::uint32_t step;

  [[nodiscard]] bool is(ValueType wanted) const noexcept { return type == wanted; }
  [[nodiscard]] bool is_quantity() const noexcept { return is(ValueType::number) || is(ValueType::duration); }
  [[nodiscard]] bool is_literal() const noexcept { return syntax->kind == Syntax::Kind::text; }
  [[nodiscard]] bool is_field() const noexcept { return syntax->kind == Syntax::Kind::field; }
};

/// Returns the text of a part as the user wrote it, in quotes, shortened if it is long.
std::string shown(const Syntax& syntax) {
  constexpr std::size_t most = 40;
  const auto source = syntax.source;
  if (source.size() > most) return fmt::format("'{}...'", source.substr(0, most));
  const bool quoted = source.front() == '\'' || source.front() == '"';
  return quoted ? std::string(source) : fmt::format("'{}'", source);
}

/// Returns a text such as "'verb' is text".
std::string described(const Part& part) {
  return fmt::format("{} is {}", shown(*part.syntax), to_string(part.type));
}

class Compiler {
 public:
  explicit Compiler(const PlanNames& names) : program_(names) {}

  Program run(const Syntax& syntax, std::span<const ValueType> allowed) {
    const Part whole = part(syntax);
    if (std::ranges::find(allowed, whole.type) == allowed.end()) {
      std::vector<std::string_view> types;
      for (const ValueType type : allowed) types.push_back(to_string(type));
      fail(syntax.begin, "{}; expected {}", described(whole), fmt::join(types, " or "));
    }
    program_.set_type(whole.type);
    return std::move(program_);
  }

 private:
  Part part(const Syntax& syntax) {
    switch (syntax.kind) {
      case Syntax::Kind::boolean:
        return constant(syntax, ValueType::boolean, Code::truth);
      case Syntax::Kind::number:
        return constant(syntax, ValueType::number, Code::constant);
      case Syntax::Kind::duration:
        return constant(syntax, ValueType::duration, Code::constant);
      case Syntax::Kind::text:
        return {&syntax, ValueType::text, program_.add_text(syntax.text())};
      case Syntax::Kind::field:
        return field(syntax);
      case Syntax::Kind::unary:
        return unary(syntax);
      case Syntax::Kind::binary:
        break;
    }
    const Part left = part(*syntax.left);
    const Part right = part(*syntax.right);
    if (syntax.op <= Operator::all_of) return logic(syntax, left, right);
    if (syntax.op <= Operator::matches) return comparison(syntax, left, right);
    return arithmetic(syntax, left, right);
  }

  Part constant(const Syntax& syntax, ValueType type, Code code) {
    Step step{code};
    step.value = syntax.value;
    return {&syntax, type, program_.add(step)};
  }

  Part field(const Syntax& syntax) {
    const FieldReader field(field_named(syntax));
    const ValueType type = field.field().type;
    if (type == ValueType::boolean) return {&syntax, type, program_.add({Code::in_flight})};
    const Code code = type == ValueType::text ? Code::text_field : Code::number_field;
    return {&syntax, type, program_.add_field(code, field)};
  }

  static FieldId field_named(const Syntax& syntax) {
    const EventKinds& kinds = EventKinds::instance();
    const auto found = kinds.field_named(syntax.token);
    if (found && kinds.field(*found).in_expressions) return *found;
    std::vector<std::string_view> known;
    for (const EventField& field : kinds.fields()) {
      if (field.in_expressions) known.push_back(field.name);
    }
    fail(syntax.begin, "unknown field '{}'{}", syntax.token, hint(syntax.token, known, known.size()));
  }

  Part unary(const Syntax& syntax) {
    const Part operand = part(*syntax.left);
    const bool negates = syntax.op == Operator::negates;
    if (negates && !operand.is(ValueType::boolean))
      fail(syntax.left->begin, "{}: 'not' takes true or false", described(operand));
    if (!negates && !operand.is_quantity())
      fail(syntax.left->begin, "{}: '-' takes a number or a duration", described(operand));
    Step step{negates ? Code::negates : Code::negative};
    step.left = operand.step;
    return {&syntax, operand.type, program_.add(step)};
  }

  Part logic(const Syntax& syntax, const Part& left, const Part& right) {
    for (const Part* operand : {&left, &right}) {
      if (!operand->is(ValueType::boolean))
        fail(operand->syntax->begin, "{}: '{}' takes true or false", described(*operand),
             to_string(syntax.op));
    }
    return joined(syntax, ValueType::boolean, syntax.op == Operator::any_of ? Code::any_of : Code::all_of,
                  left, right);
  }

  Part comparison(const Syntax& syntax, const Part& left, const Part& right) {
    const auto op = syntax.op;
    if (op == Operator::matches) return matching(syntax, left, right);
    if (left.type != right.type)
      fail(syntax.operator_begin, "{} and {}: '{}' compares values of one type", described(left),
           described(right), to_string(op));
    if (left.is_quantity()) return joined(syntax, ValueType::boolean, Code::compare, left, right);
    if (op != Operator::equal && op != Operator::unequal)
      fail(syntax.operator_begin, "{}: '{}' compares numbers and durations", described(left), to_string(op));
    if (left.is(ValueType::text)) return text_comparison(syntax, left, right);
    const Part same = joined(syntax, ValueType::boolean, Code::same_truth, left, right);
    if (op == Operator::equal) return same;
    Step step{Code::negates};
    step.left = same.step;
    return {&syntax, ValueType::boolean, program_.add(step)};
  }

  Part matching(const Syntax& syntax, const Part& left, const Part& right) {
    if (!left.is(ValueType::text))
      fail(left.syntax->begin, "{}: 'matches' compares text with a pattern", described(left));
    if (!right.is_literal())
      fail(right.syntax->begin, "found {}; 'matches' takes a pattern in quotes, such as 'receive/**'",
           shown(*right.syntax));
    const auto pattern = right.syntax->text();
    if (const auto fault = glob_fault(pattern); !fault.empty())
      fail(right.syntax->begin, "pattern '{}' {}", pattern, fault);
    return text_comparison(syntax, left, right);
  }

  /// A comparison of a field with a literal becomes a test by the field's number, so that texts are compared
  /// rarely or never when the program runs.
  Part text_comparison(const Syntax& syntax, const Part& left, const Part& right) {
    if (left.is_literal() && right.is_field()) return text_comparison(syntax, right, left);
    if (!left.is_field() || !right.is_literal())
      return joined(syntax, ValueType::boolean, Code::compare_texts, left, right);
    const FieldId id = field_named(*left.syntax);
    const FieldReader field(id);
    if (has_words(field.field())) return word_comparison(syntax, id, *right.syntax);
    return {&syntax, ValueType::boolean,
            program_.add_name_test(NameTest(field, syntax.op, right.syntax->text()))};
  }

  static bool has_words(const EventField& field) noexcept {
    return field.names == NumberNames::words || field.source == FieldSource::kind;
  }

  Part word_comparison(const Syntax& syntax, FieldId field, const Syntax& literal) {
    const std::vector<std::string_view> known = words_of(field);
    const bool meant = std::ranges::any_of(known, [&](std::string_view word) {
      return syntax.op == Operator::matches ? compare_texts(syntax.op, word, literal.text())
                                            : word == literal.text();
    });
    if (!meant)
      fail(literal.begin, "unknown value {} for '{}'{}", shown(literal),
           EventKinds::instance().field(field).name, hint(literal.text(), known));
    return {&syntax, ValueType::boolean, program_.add_word_test(WordTest(field, syntax.op, literal.text()))};
  }

  Part arithmetic(const Syntax& syntax, const Part& left, const Part& right) {
    const auto type = arithmetic_type(syntax.op, left, right);
    if (!type)
      fail(syntax.operator_begin, "{} and {}: '{}' takes {}", described(left), described(right),
           to_string(syntax.op), arithmetic_rule(syntax.op));
    return joined(syntax, *type, Code::arithmetic, left, right);
  }

  /// Returns the type of the result; none if the operator does not take operands of these types.
  static std::optional<ValueType> arithmetic_type(Operator op, const Part& left, const Part& right) {
    if (!left.is_quantity() || !right.is_quantity()) return std::nullopt;
    const bool durations = left.is(ValueType::duration) && right.is(ValueType::duration);
    if (left.type == right.type) {
      if (op == Operator::divided) return ValueType::number;
      if (op == Operator::times && durations) return std::nullopt;
      return left.type;
    }
    if (op == Operator::times || (op == Operator::divided && left.is(ValueType::duration)))
      return ValueType::duration;
    return std::nullopt;
  }

  static std::string_view arithmetic_rule(Operator op) noexcept {
    if (op == Operator::times) return "two numbers, or a duration and a number";
    if (op == Operator::divided) return "two numbers, two durations, or a duration by a number";
    return "two numbers or two durations";
  }

  Part joined(const Syntax& syntax, ValueType type, Code code, const Part& left, const Part& right) {
    Step step{code};
    step.op = syntax.op;
    step.left = left.step;
    step.right = right.step;
    return {&syntax, type, program_.add(step)};
  }

  template <class... Args>
  [[noreturn]] static void fail(std::size_t at, fmt::format_string<Args...> form, Args&&... args) {
    throw ExpressionError(at, fmt::format(form, std::forward<Args>(args)...));
  }

  Program program_;
};

}  // namespace

Program compile(const Syntax& syntax, std::span<const ValueType> allowed, const PlanNames& names) {
  return Compiler(names).run(syntax, allowed);
}

}  // namespace eventspace::expressions

#include <algorithm>

#include "paths/parameters/glob.h"
#include "paths/parameters/nearest.h"
#include "scopes/expressions/expression.h"
#include "scopes/expressions/program.h"
#include "scopes/expressions/type_rules.h"

namespace eventspace::expressions {
namespace {

/// A compiled part of an expression: its type, and the step that yields its value.
struct Part {
  const Syntax* syntax;
  ValueType type;
  std::uint32_t step;

  [[nodiscard]] bool is(ValueType wanted) const noexcept { return type == wanted; }
  [[nodiscard]] bool is_literal() const noexcept { return syntax->kind == Syntax::Kind::text; }
  [[nodiscard]] bool is_field() const noexcept { return syntax->kind == Syntax::Kind::field; }
};

std::string described(const Part& part) { return described(*part.syntax, part.type); }

class Compiler {
 public:
  explicit Compiler(const PlanNames& names) : program_(names) {}

  Program run(const Syntax& syntax, std::span<const ValueType> allowed) {
    const Part whole = part(syntax);
    require_type(syntax, whole.type, allowed);
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
    check_unary(syntax, operand.type);
    Step step{syntax.op == Operator::negates ? Code::negates : Code::negative};
    step.left = operand.step;
    return {&syntax, operand.type, program_.add(step)};
  }

  Part logic(const Syntax& syntax, const Part& left, const Part& right) {
    check_logic(syntax, left.type, right.type);
    return joined(syntax, ValueType::boolean, syntax.op == Operator::any_of ? Code::any_of : Code::all_of,
                  left, right);
  }

  Part comparison(const Syntax& syntax, const Part& left, const Part& right) {
    const auto op = syntax.op;
    if (op == Operator::matches) return matching(syntax, left, right);
    check_comparison(syntax, left.type, right.type);
    if (is_quantity(left.type)) return joined(syntax, ValueType::boolean, Code::compare, left, right);
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
    return joined(syntax, arithmetic_type(syntax, left.type, right.type), Code::arithmetic, left, right);
  }

  Part joined(const Syntax& syntax, ValueType type, Code code, const Part& left, const Part& right) {
    Step step{code};
    step.op = syntax.op;
    step.left = left.step;
    step.right = right.step;
    return {&syntax, type, program_.add(step)};
  }

  Program program_;
};

}  // namespace

Program compile(const Syntax& syntax, std::span<const ValueType> allowed, const PlanNames& names) {
  return Compiler(names).run(syntax, allowed);
}

}  // namespace eventspace::expressions

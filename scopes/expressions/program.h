#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scopes/expressions/name_test.h"
#include "scopes/expressions/syntax.h"
#include "scopes/expressions/word_test.h"
#include "scopes/tree/field_reader.h"

namespace eventspace::expressions {

/// The kinds of steps of a program.
enum class Code : std::uint8_t {
  // These yield true or false.
  truth,      ///< the constant `value`
  in_flight,  ///< whether the event is in flight
  any_of,
  all_of,
  negates,
  same_truth,     ///< whether two truth values are equal
  compare,        ///< two numbers, by the step's operator; false when one is missing
  word_test,      ///< word_tests_[left]
  name_test,      ///< tests_[left]
  compare_texts,  ///< two texts, by the step's operator; false when one is missing
  // These yield a number, or nothing if it is missing.
  constant,
  number_field,  ///< fields_[left]
  arithmetic,    ///< on two numbers, by the step's operator
  negative,
  // These yield a text, or nothing if it is missing.
  text,       ///< texts_[left]
  text_field  ///< fields_[left]
};

struct Step {
  Code code{Code::truth};
  Operator op{Operator::equal};
  std::uint32_t left{0};  ///< index of an earlier step, or as the code says
  std::uint32_t right{0};
  double value{0.0};
};

/// A compiled expression: a list of steps, each of which refers to earlier steps only. The last step yields
/// the value. Evaluation recurses; Expression::longest bounds its depth. Not thread-safe, because
/// NameTest is not.
class Program {
 public:
  explicit Program(const PlanNames& names) noexcept : names_(&names) {}

  std::uint32_t add(const Step& step);
  std::uint32_t add_field(Code code, FieldReader field);
  std::uint32_t add_name_test(NameTest test);
  std::uint32_t add_word_test(WordTest test);
  std::uint32_t add_text(std::string_view text);
  void set_type(ValueType type) noexcept { type_ = type; }

  [[nodiscard]] ValueType type() const noexcept { return type_; }
  [[nodiscard]] bool holds(const ObservedEvent& event) const { return holds(last(), event); }
  [[nodiscard]] std::optional<double> number(const ObservedEvent& event) const {
    return number(last(), event);
  }

 private:
  std::uint32_t add_reference(Code code, std::uint32_t to);
  [[nodiscard]] const Step& last() const { return steps_.back(); }
  [[nodiscard]] bool holds(const Step& step, const ObservedEvent& event) const;
  [[nodiscard]] bool compare(const Step& step, const ObservedEvent& event) const;
  [[nodiscard]] std::optional<double> number(const Step& step, const ObservedEvent& event) const;
  [[nodiscard]] std::optional<double> arithmetic(const Step& step, const ObservedEvent& event) const;
  [[nodiscard]] std::optional<std::string_view> text(const Step& step, const ObservedEvent& event) const;

  const PlanNames* names_;
  ValueType type_{ValueType::boolean};
  std::vector<Step> steps_;
  std::vector<FieldReader> fields_;
  std::vector<NameTest> tests_;
  std::vector<WordTest> word_tests_;
  std::vector<std::string> texts_;
};

/// Checks the types of a parsed expression and compiles it. Throws ExpressionError.
Program compile(const Syntax& syntax, std::span<const ValueType> allowed, const PlanNames& names);

}  // namespace eventspace::expressions

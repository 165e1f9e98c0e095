#pragma once

// Private to scopes/.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scopes/expressions/fields.h"
#include "scopes/expressions/name_test.h"
#include "scopes/expressions/syntax.h"

namespace eventspace::expressions {

/// What one step of a program does with its operands.
enum class Code : std::uint8_t {
  // yield true or false
  truth,      ///< a constant
  in_flight,  ///< of the event
  any_of,
  all_of,
  negates,
  same_truth,     ///< two of these are equal
  compare,        ///< two numbers, by the step's operator; false when one is missing
  word_among,     ///< the field's word is one of `words`
  name_test,      ///< names[left]
  compare_texts,  ///< two texts, by the step's operator; false when one is missing
  // yield a number, or nothing when it is missing
  constant,
  number_field,
  arithmetic,  ///< on two numbers, by the step's operator
  negative,
  // yield a text, or nothing when it is missing
  text,  ///< texts[left]
  text_field
};

struct Step {
  Code code{Code::truth};
  Operator op{Operator::equal};
  Field field{Field::duration};
  std::uint16_t words{0};  ///< bit n: the word of number n
  std::uint32_t left{0};   ///< an earlier step, or as the code says
  std::uint32_t right{0};
  double value{0.0};
};

/// A checked expression as steps; the last one yields its value. Every step leans on earlier ones only.
class Program {
 public:
  explicit Program(const PlanNames& names) noexcept : names_(&names) {}

  std::uint32_t add(const Step& step);
  std::uint32_t add_name_test(NameTest test);
  std::uint32_t add_text(std::string_view text);
  void set_type(ValueType type) noexcept { type_ = type; }

  [[nodiscard]] ValueType type() const noexcept { return type_; }
  [[nodiscard]] bool holds(const ObservedEvent& event) const { return holds(last(), event); }
  [[nodiscard]] std::optional<double> number(const ObservedEvent& event) const {
    return number(last(), event);
  }

 private:
  [[nodiscard]] const Step& last() const { return steps_.back(); }
  [[nodiscard]] bool holds(const Step& step, const ObservedEvent& event) const;
  [[nodiscard]] bool compare(const Step& step, const ObservedEvent& event) const;
  [[nodiscard]] std::optional<double> number(const Step& step, const ObservedEvent& event) const;
  [[nodiscard]] std::optional<double> arithmetic(const Step& step, const ObservedEvent& event) const;
  [[nodiscard]] std::optional<std::string_view> text(const Step& step, const ObservedEvent& event) const;
  [[nodiscard]] std::optional<std::string_view> field_text(Field field, const ObservedEvent& event) const;

  const PlanNames* names_;
  ValueType type_{ValueType::boolean};
  std::vector<Step> steps_;
  std::vector<NameTest> tests_;
  std::vector<std::string> texts_;
};

/// Checks the types of a parsed expression and makes it a program. Throws ExpressionError.
Program compile(const Syntax& syntax, std::span<const ValueType> allowed, const PlanNames& names);

}  // namespace eventspace::expressions

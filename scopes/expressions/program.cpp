#include "scopes/expressions/program.h"

#include <cmath>
#include <utility>

#include "scopes/expressions/operators.h"

namespace eventspace::expressions {
namespace {

std::uint32_t last_of(const auto& list) noexcept { return static_cast<std::uint32_t>(list.size() - 1); }

}  // namespace

std::uint32_t Program::add(const Step& step) {
  steps_.push_back(step);
  return last_of(steps_);
}

std::uint32_t Program::add_field(Code code, FieldReader field) {
  fields_.push_back(field);
  return add_reference(code, last_of(fields_));
}

std::uint32_t Program::add_name_test(NameTest test) {
  tests_.push_back(std::move(test));
  return add_reference(Code::name_test, last_of(tests_));
}

std::uint32_t Program::add_word_test(WordTest test) {
  word_tests_.push_back(std::move(test));
  return add_reference(Code::word_test, last_of(word_tests_));
}

std::uint32_t Program::add_text(std::string_view text) {
  texts_.emplace_back(text);
  return add_reference(Code::text, last_of(texts_));
}

std::uint32_t Program::add_reference(Code code, std::uint32_t to) {
  Step step{code};
  step.left = to;
  return add(step);
}

bool Program::holds(const Step& step, const ObservedEvent& event) const {
  switch (step.code) {
    case Code::truth:
      return step.value != 0.0;
    case Code::in_flight:
      return event.in_flight();
    case Code::any_of:
      return holds(steps_[step.left], event) || holds(steps_[step.right], event);
    case Code::all_of:
      return holds(steps_[step.left], event) && holds(steps_[step.right], event);
    case Code::negates:
      return !holds(steps_[step.left], event);
    case Code::same_truth:
      return holds(steps_[step.left], event) == holds(steps_[step.right], event);
    case Code::word_test:
      return word_tests_[step.left].holds(event);
    case Code::name_test:
      return tests_[step.left].holds(event, *names_);
    default:
      return compare(step, event);
  }
}

bool Program::compare(const Step& step, const ObservedEvent& event) const {
  const Step& left = steps_[step.left];
  const Step& right = steps_[step.right];
  if (step.code == Code::compare) {
    const auto a = number(left, event);
    const auto b = number(right, event);
    return a && b && expressions::compare(step.op, *a, *b);
  }
  const auto a = text(left, event);
  const auto b = text(right, event);
  return a && b && compare_texts(step.op, *a, *b);
}

std::optional<double> Program::number(const Step& step, const ObservedEvent& event) const {
  if (step.code == Code::constant) return step.value;
  if (step.code == Code::number_field) return fields_[step.left].number(event);
  if (step.code == Code::arithmetic) return arithmetic(step, event);
  const auto operand = number(steps_[step.left], event);
  if (!operand) return std::nullopt;
  return -*operand;
}

std::optional<double> Program::arithmetic(const Step& step, const ObservedEvent& event) const {
  const auto a = number(steps_[step.left], event);
  const auto b = number(steps_[step.right], event);
  if (!a || !b) return std::nullopt;
  const double result = calculate(step.op, *a, *b);
  if (!std::isfinite(result)) return std::nullopt;
  return result;
}

std::optional<std::string_view> Program::text(const Step& step, const ObservedEvent& event) const {
  if (step.code == Code::text) return texts_[step.left];
  return fields_[step.left].text(event, *names_);
}

}  // namespace eventspace::expressions

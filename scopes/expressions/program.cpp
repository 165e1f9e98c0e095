#include "scopes/expressions/program.h"

#include <cmath>
#include <utility>

namespace eventspace::expressions {
namespace {

std::uint32_t last_of(const auto& list) noexcept { return static_cast<std::uint32_t>(list.size() - 1); }

bool compare_numbers(Operator op, double left, double right) noexcept {
  switch (op) {
    case Operator::equal:
      return left == right;
    case Operator::unequal:
      return left != right;
    case Operator::less:
      return left < right;
    case Operator::at_most:
      return left <= right;
    case Operator::greater:
      return left > right;
    default:
      return left >= right;
  }
}

double calculate(Operator op, double left, double right) noexcept {
  switch (op) {
    case Operator::plus:
      return left + right;
    case Operator::minus:
      return left - right;
    case Operator::times:
      return left * right;
    case Operator::divided:
      return left / right;
    default:
      return std::fmod(left, right);
  }
}

}  // namespace

std::uint32_t Program::add(const Step& step) {
  steps_.push_back(step);
  return last_of(steps_);
}

std::uint32_t Program::add_name_test(NameTest test) {
  tests_.push_back(std::move(test));
  Step step{Code::name_test};
  step.left = last_of(tests_);
  return add(step);
}

std::uint32_t Program::add_text(std::string_view text) {
  texts_.emplace_back(text);
  Step step{Code::text};
  step.left = last_of(texts_);
  return add(step);
}

bool Program::holds(const Step& step, const ObservedEvent& event) const {
  switch (step.code) {
    case Code::truth:
      return step.value != 0.0;
    case Code::in_flight:
      return event.record.in_flight();
    case Code::any_of:
      return holds(steps_[step.left], event) || holds(steps_[step.right], event);
    case Code::all_of:
      return holds(steps_[step.left], event) && holds(steps_[step.right], event);
    case Code::negates:
      return !holds(steps_[step.left], event);
    case Code::same_truth:
      return holds(steps_[step.left], event) == holds(steps_[step.right], event);
    case Code::word_among: {
      const unsigned word = word_of(step.field, event.record);
      return word < 16 && ((step.words >> word) & 1) != 0;
    }
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
    return a && b && compare_numbers(step.op, *a, *b);
  }
  const auto a = text(left, event);
  const auto b = text(right, event);
  return a && b && compare_texts(step.op, *a, *b);
}

std::optional<double> Program::number(const Step& step, const ObservedEvent& event) const {
  if (step.code == Code::constant) return step.value;
  if (step.code == Code::number_field) return number_of(step.field, event);
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
  return field_text(step.field, event);
}

std::optional<std::string_view> Program::field_text(Field field, const ObservedEvent& event) const {
  const auto& words = info_of(field).words;
  if (!words.empty()) {
    const unsigned word = word_of(field, event.record);
    if (word >= words.size() || words[word].empty()) return std::nullopt;
    return words[word];
  }
  const auto name = name_number(field, event);
  if (!name) return std::nullopt;
  return name_of(field, *name, *names_);
}

}  // namespace eventspace::expressions

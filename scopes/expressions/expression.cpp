#include "scopes/expressions/expression.h"

#include <fmt/format.h>

#include "scopes/expressions/program.h"
#include "scopes/expressions/syntax.h"
#include "scopes/tree/unknown_names.h"

namespace eventspace {

ExpressionError::ExpressionError(std::size_t offset, const std::string& text)
    : ConfigurationError(fmt::format("column {}: {}", offset + 1, text)), offset_(offset) {}

std::string_view ExpressionError::without_column() const noexcept {
  const std::string_view whole = what();
  return whole.substr(whole.find(": ") + 2);
}

Expression::Expression(std::string_view text, std::span<const ValueType> allowed, const PlanNames& names)
    : program_(std::make_unique<const expressions::Program>(
          expressions::compile(*expressions::parse(text), allowed, names))) {}

Expression::~Expression() = default;
Expression::Expression(Expression&& other) noexcept = default;
Expression& Expression::operator=(Expression&& other) noexcept = default;

ValueType Expression::type() const noexcept { return program_->type(); }
bool Expression::holds(const ObservedEvent& event) const { return program_->holds(event); }
std::optional<double> Expression::number(const ObservedEvent& event) const { return program_->number(event); }

std::optional<TextFault> Expression::fault(std::string_view text, std::span<const ValueType> allowed) {
  try {
    const UnknownNames names;
    const Expression expression(text, allowed, names);
    return std::nullopt;
  } catch (const ExpressionError& error) {
    return TextFault{error.offset(), error.what()};
  }
}

}  // namespace eventspace

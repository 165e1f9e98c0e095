#include "scopes/metrics/events/event_condition.h"

#include <algorithm>
#include <array>

#include "scopes/expressions/lexer.h"

namespace eventspace::metrics {
namespace {

constexpr std::array condition_type{ValueType::boolean};

/// Whether the class of an event determines each field that the expression names.
bool asks_for_class_only(std::string_view text) {
  using expressions::TokenKind;
  constexpr std::array<std::string_view, 8> words{"kind", "verb", "point", "and",
                                                  "or",   "not",  "true",  "false"};
  expressions::Lexer lexer(text);
  for (expressions::Token token = lexer.next(); token.kind != TokenKind::end; token = lexer.next()) {
    if (token.kind == TokenKind::word && std::ranges::find(words, token.source) == words.end()) return false;
  }
  return true;
}

}  // namespace

EventCondition::EventCondition(std::string_view text, const PlanNames& names)
    : expression_(text, condition_type, names), is_of_class_(asks_for_class_only(text)) {}

}  // namespace eventspace::metrics

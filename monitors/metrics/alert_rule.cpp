#include "monitors/metrics/alert_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <eventspace/error.h>
#include "monitors/text/duration_text.h"
#include "tuplespace/parsing/number_in.h"
#include "tuplespace/parsing/words.h"

namespace eventspace {
namespace {

using Relation = AlertRule::Relation;

// Longer relations come first, so that "<=" is not taken for "<".
constexpr std::array<std::pair<std::string_view, Relation>, 6> relations{{{"<=", Relation::at_most},
                                                                          {">=", Relation::at_least},
                                                                          {"==", Relation::equal},
                                                                          {"!=", Relation::unequal},
                                                                          {"<", Relation::less},
                                                                          {">", Relation::more}}};

constexpr std::string_view form =
    "expected METRIC > NUMBER [UNIT] [for TIME], as in 'Imbalance > 0.3 for 5s'";

[[noreturn]] void refuse(const std::string& rule, const std::string& what) {
  throw ConfigurationError(fmt::format("--alert '{}': {}", rule, what));
}

std::string_view take_metric(std::string_view& rest, const std::string& rule) {
  const auto is_of_name = [](char c) { return is_letter_or_digit(c) || c == '_'; };
  const auto end = std::ranges::find_if_not(rest, is_of_name);
  const std::string_view name = rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
  if (name.empty()) refuse(rule, fmt::format("the name of the metric is missing; {}", form));
  rest = trimmed(rest.substr(name.size()));
  return name;
}

Relation take_relation(std::string_view& rest, const std::string& rule) {
  for (const auto& [symbol, relation] : relations) {
    if (!rest.starts_with(symbol)) continue;
    rest = trimmed(rest.substr(symbol.size()));
    return relation;
  }
  refuse(rule, fmt::format("found '{}' after the metric; expected one of < <= > >= == !=", rest));
}

double take_limit(std::string_view& rest, const std::string& rule) {
  const auto number = take_number<double>(rest);
  if (!number) refuse(rule, fmt::format("found '{}' after the relation; expected a number", rest));
  rest = trimmed(rest);
  return *number;
}

// Takes the part after the word "for"; empty if there is none.
std::string_view take_lasting(std::string_view& rest, const std::string& rule) {
  const std::string_view word = "for";
  const std::size_t at = rest.starts_with("for ") || rest == word ? 0 : rest.rfind(" for ");
  if (at == std::string_view::npos) return {};
  const std::string_view time = trimmed(rest.substr(rest.find(word, at) + word.size()));
  if (time.empty()) refuse(rule, "the time after 'for' is missing; expected one such as 5s or 500ms");
  rest = trimmed(rest.substr(0, at));
  return time;
}

std::chrono::nanoseconds lasting_from(std::string_view time, const std::string& rule) {
  const auto lasting = duration_from(time);
  if (!lasting)
    refuse(rule, fmt::format("'{}' after 'for' is not a time; expected one such as 5s or 500ms", time));
  return *lasting;
}

std::string named(const metrics::DisplayUnit& unit) {
  return unit.label.empty() ? "a plain number" : fmt::format("a value in {}", unit.label);
}

}  // namespace

bool AlertRule::holds(double value) const noexcept {
  switch (relation) {
    case Relation::less:
      return value < number;
    case Relation::at_most:
      return value <= number;
    case Relation::more:
      return value > number;
    case Relation::at_least:
      return value >= number;
    case Relation::equal:
      return value == number;
    case Relation::unequal:
      return value != number;
  }
  return false;
}

AlertRule alert_rule(const std::string& text) {
  AlertRule rule;
  rule.text = text;
  std::string_view rest = trimmed(text);
  rule.metric = take_metric(rest, text);
  rule.relation = take_relation(rest, text);
  const double number = take_limit(rest, text);
  const std::string_view time = take_lasting(rest, text);
  if (!time.empty()) rule.lasting = lasting_from(time, text);
  const auto unit = rest.empty() ? metrics::display_unit(metrics::no_unit) : metrics::display_unit(rest);
  if (!unit) refuse(text, fmt::format("'{}' after the number is not a unit", rest));
  rule.unit = *unit;
  rule.number = number * unit->scale;
  return rule;
}

void check_unit(const AlertRule& rule, const metrics::DisplayUnit& unit) {
  const bool is_label =
      rule.unit.unit == metrics::no_unit && rule.unit.scale == 1.0 && !rule.unit.label.empty();
  const bool is_other_label = is_label && rule.unit.label != unit.label && rule.unit.label != "1";
  if (rule.unit.unit == unit.unit && !is_other_label) return;
  refuse(
      rule.text,
      fmt::format("{} is {}, which cannot be compared with {}{}", rule.metric, named(unit), named(rule.unit),
                  unit.unit == metrics::no_unit
                      ? ""
                      : fmt::format("; write the number with a unit, as in '20 {}'", unit.label)));
}

}  // namespace eventspace

#include "scopes/requests/request_action.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include <eventspace/error.h>
#include "collectors/switching/switch_order.h"
#include "paths/parameters/glob.h"
#include "paths/parameters/nearest.h"
#include "scopes/expressions/expression.h"
#include "tuplespace/parsing/words.h"

namespace eventspace {
namespace {

using Kind = RequestAction::Kind;

struct Form {
  std::string_view word;
  Kind kind;
  std::string_view argument;  // the argument after the word; empty means none
};

constexpr std::array<Form, 7> forms{{{"count", Kind::count, ""},
                                     {"integrate", Kind::integrate, "EXPRESSION"},
                                     {"print", Kind::print, ""},
                                     {"collect", Kind::collect, "on|off|1/N [PROCESSES]"},
                                     {"stop", Kind::stop, ""},
                                     {"continue", Kind::go_on, ""},
                                     {"run", Kind::run, "COMMAND"}}};

[[noreturn]] void fail(const std::string& text, const std::string& what) {
  throw ConfigurationError(fmt::format("--do '{}': {}", text, what));
}

const Form& form_of(std::string_view word, const std::string& text) {
  const auto* const found = std::ranges::find(forms, word, &Form::word);
  if (found != forms.end()) return *found;
  std::vector<std::string_view> known;
  known.reserve(forms.size());
  for (const Form& form : forms) known.push_back(form.word);
  fail(text, fmt::format("unknown action '{}'{}", word, hint(std::string(word), known, known.size())));
}

void check_quantity(RequestAction& action) {
  constexpr std::array time{ValueType::duration};
  if (const auto fault = Expression::fault(action.argument, request_quantity)) fail(action.text, fault->text);
  action.is_time = !Expression::fault(action.argument, time);
}

// "off 'solver*'": the setting, followed by the processes.
void split_collect(RequestAction& action) {
  const std::size_t blank = action.argument.find(' ');
  if (blank != std::string::npos) {
    action.processes = trimmed(std::string_view(action.argument).substr(blank));
    action.argument.resize(blank);
  }
  try {
    (void)period_of(action.argument);
  } catch (const ConfigurationError& error) {
    fail(action.text, error.what());
  }
  const auto fault = action.processes.empty() ? std::string_view() : glob_fault(action.processes);
  if (!fault.empty()) fail(action.text, fmt::format("the pattern '{}' {}", action.processes, fault));
}

}  // namespace

RequestAction request_action(const std::string& text) {
  const std::string_view whole = trimmed(text);
  const std::string_view word = whole.substr(0, whole.find(' '));
  const Form& form = form_of(word, text);
  RequestAction action{form.kind, std::string(trimmed(whole.substr(word.size()))), "", std::string(whole)};
  if (form.argument.empty() && !action.argument.empty())
    fail(text, fmt::format("found '{}' behind '{}', which takes nothing", action.argument, word));
  if (!form.argument.empty() && action.argument.empty())
    fail(text, fmt::format("there is nothing behind '{}'; expected {} {}", word, word, form.argument));
  if (form.kind == Kind::integrate) check_quantity(action);
  if (form.kind == Kind::collect) split_collect(action);
  return action;
}

bool is_steering(RequestAction::Kind kind) noexcept {
  switch (kind) {
    case Kind::collect:
    case Kind::stop:
    case Kind::go_on:
      return true;
    case Kind::count:
    case Kind::integrate:
    case Kind::print:
    case Kind::run:
      break;
  }
  return false;
}

}  // namespace eventspace

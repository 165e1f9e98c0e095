#include "monitors/probing/groups/group_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include <eventspace/error.h>
#include "monitors/probing/groups/process_options.h"
#include "monitors/probing/variables/program_variable.h"
#include "pathmaps/plan/session_plan.h"
#include "tuplespace/system/plain_text.h"

namespace eventspace {
namespace {

struct NamedState {
  std::string_view name;
  ProbeState state;
};
constexpr std::array states{NamedState{"on", ProbeState::on}, NamedState{"off", ProbeState::off},
                            NamedState{"removed", ProbeState::removed}};

}  // namespace

ProbeState probe_state_of(const std::string& setting) {
  const auto found = std::ranges::find(states, setting, &NamedState::name);
  if (found != states.end()) return found->state;
  throw ConfigurationError(fmt::format("'{}' is not a state of a probe", escaped(setting)));
}

std::string setting_of(ProbeState state) {
  return std::string(std::ranges::find(states, state, &NamedState::state)->name);
}

SwitchOrder switch_order_of(const std::string& setting) {
  std::array<std::string, 3> words;
  std::string_view rest = setting;
  for (std::string& word : words) {
    word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    if (word == "-") word.clear();
  }
  if (!rest.empty())
    throw ConfigurationError(
        fmt::format("'{}' has more than a setting, a kind and a class: found '{}' after them",
                    escaped(setting), escaped(std::string(rest))));
  SwitchOrder order;
  order.period = period_of(words[0]);
  order.events = events_named(words[1], words[2]);
  return order;
}

std::string switch_setting(const std::string& period, const std::string& kind,
                           const std::string& event_class) {
  // The words are separated by blanks.
  for (const std::string& word : {period, kind, event_class})
    if (word.find(' ') != std::string::npos)
      throw ConfigurationError(
          fmt::format("'{}' is not a setting, kind or class: it contains a blank", escaped(word)));
  if (kind.empty() && event_class.empty()) return period;
  const auto or_all = [](const std::string& word) { return word.empty() ? "-" : word; };
  return fmt::format("{} {} {}", period, or_all(kind), or_all(event_class));
}

void check_order(const GroupOrder& order) {
  check_choice(order.choice);
  check_groups(order.choice, order.groups);
  const bool reads = order.verb == GroupVerb::read;
  for (const std::string& pattern : order.patterns)
    reads ? void(parse_variable(pattern)) : require_function_pattern(pattern);
  require_glob("the pattern of --module", order.modules);
  require_function_pattern(order.callers);
  const bool attaches = order.verb == GroupVerb::attach;
  const bool places = order.verb == GroupVerb::place || attaches;
  const bool is_single = order.verb == GroupVerb::single;
  if ((places || reads || is_single || order.verb == GroupVerb::callees) && order.patterns.empty())
    throw ConfigurationError("an order for functions or variables has no names");
  if (is_single) (void)probe_state_of(order.setting);
  if (places) (void)compile_task(order.task);
  if (attaches) check_session_name(order.setting);
  if (order.verb == GroupVerb::switch_on) (void)switch_order_of(order.setting);
}

}  // namespace eventspace

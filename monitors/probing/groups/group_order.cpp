#include "monitors/probing/groups/group_order.h"

#include <fmt/format.h>

#include "collectors/switching/switch_order.h"
#include "monitors/probing/groups/process_options.h"
#include "tuplespace/system/error.h"

namespace eventspace {

void check_order(const GroupOrder& order) {
  check_choice(order.choice);
  check_groups(order.choice, order.groups);
  for (const std::string& pattern : order.patterns) require_function_pattern(pattern);
  require_glob("the pattern of --module", order.modules);
  const bool places = order.verb == GroupVerb::place;
  if ((places || order.verb == GroupVerb::callees) && order.patterns.empty())
    throw ConfigurationError("an order about functions names none");
  if (places) (void)compile_task(order.task);
  if (order.verb == GroupVerb::switch_on) (void)period_of(order.setting);
}

}  // namespace eventspace

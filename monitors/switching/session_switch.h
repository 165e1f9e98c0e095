#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "collectors/switching/switch_order.h"
#include "pathmaps/plan/plan.h"
#include "pathmaps/sessions/collect_control.h"

namespace eventspace {

/// What to switch in a session, in the words of `eventspace switch`.
struct SwitchWords {
  std::string setting{};  ///< "on", "off" or "1/N"; empty: the state is only read
  std::string kind{};     ///< empty: all kinds
  std::string event_class{};
  std::string processes{"**"};  ///< a glob, like the next
  std::string nodes{"**"};
};

/// Returns the order that `words` give. Throws ConfigurationError for an unknown word, with the nearest and
/// the known ones, and for a kind or class without a setting.
SwitchOrder order_of(const SwitchWords& words);

/// Carries out `order` on the nodes of a running session whose names match the glob `nodes`, as
/// switch_nodes() does; on this machine's processes directly if the session has no pathmap. `session`: as
/// given with --session; empty: see session_name. Blocks for up to `timeout`. Throws ConfigurationError if a
/// glob is faulty, or matches no name of the pathmap and no process that runs.
std::vector<SwitchedNode> switch_session(const Plan& plan, const std::string& session,
                                         const std::string& nodes, const SwitchOrder& order,
                                         std::chrono::nanoseconds timeout);

/// Whether collecting is still off in a process that `order` switched on, because the program itself has
/// switched it off. Only the program can switch it on again.
bool is_without_effect(const SwitchedProcess& process, const SwitchOrder& order) noexcept;

}  // namespace eventspace

#pragma once

#include <string>
#include <vector>

#include "monitors/heartbeat/element_waits.h"
#include "monitors/text/json.h"
#include "scopes/tree/plan_names.h"

namespace eventspace {

/// "50 of 50 tuples"; "?" if it is not known.
std::string text_of(const std::optional<ElementFill>& fill);
/// "WAIT at box: 50 of 50 tuples; w waits to write; could take: r (running, last a read)"
/// "WAIT at box: 0 of 50 tuples; r waits to take; no thread is left to write: v (ended), w (process dead)"
std::string describe_wait(const ElementWait& wait, const Plan& plan, const PlanNames& names);
/// Returns a line for each of `waits`. If there are more than eight waits and `all` is false, returns lines
/// for up to eight of them and a line that counts the others. These are the waits at the ends of chains, if
/// there are any: waits that a thread which is not itself stuck in an operation could end, or that no thread
/// could end.
std::vector<std::string> describe_waits(const std::vector<ElementWait>& waits, const Plan& plan,
                                        const PlanNames& names, bool all);
/// Converts a wait to an object; docs/commands.md names its members.
Json json_of(const ElementWait& wait, const Plan& plan, const PlanNames& names);

}  // namespace eventspace

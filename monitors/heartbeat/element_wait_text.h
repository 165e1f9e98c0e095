#pragma once

// Private to monitors/.

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
/// A line for each of `waits`, or, if there are more than eight and not `all`, for at most eight of them and
/// one that counts the others. Those at the end of a chain come first: the wait can be ended by a thread that
/// is not itself stuck in an operation, or by no thread. If there are such, there is no line for those inside
/// chains.
std::vector<std::string> describe_waits(const std::vector<ElementWait>& waits, const Plan& plan,
                                        const PlanNames& names, bool all);
/// The same as an object; docs/commands.md names its members.
Json json_of(const ElementWait& wait, const Plan& plan, const PlanNames& names);

}  // namespace eventspace

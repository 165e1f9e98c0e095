#pragma once

// Private to monitors/.

#include <string>

#include "monitors/heartbeat/element_waits.h"
#include "monitors/text/json.h"
#include "scopes/tree/plan_names.h"

namespace eventspace {

/// "50 of 50 tuples"; "?" if it is not known.
std::string text_of(const std::optional<ElementFill>& fill);
/// "WAIT at box: 50 of 50 tuples; w waits to write; could take: r (running, last a read)"
/// "WAIT at box: 0 of 50 tuples; r waits to take; no thread is left to write: v (ended), w (process dead)"
std::string describe_wait(const ElementWait& wait, const Plan& plan, const PlanNames& names);
/// The same as an object; docs/commands.md names its members.
Json json_of(const ElementWait& wait, const Plan& plan, const PlanNames& names);

}  // namespace eventspace

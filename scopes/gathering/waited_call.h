#pragma once

// Private to scopes/.

#include <functional>

#include "paths/stage.h"

namespace eventspace {

/// Calls `stage` in a thread that has other things to look after while nothing is ready: `wait` does that,
/// until the deadline that it is given or until there is news, of whatever kind; the stage is then asked
/// again.
///
/// Asking one child of a stage may bring what another one waits for, as all that has come over a link is
/// filed at once. Who is woken meanwhile is asked before the next wait: there would be no other news of it.
void waited_call(Stage& stage, Operation& operation, const std::function<void(Deadline)>& wait);

}  // namespace eventspace

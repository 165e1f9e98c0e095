#pragma once

#include <functional>

#include <eventspace/stage.h>

namespace eventspace {

/// Performs `operation` on `stage` in a thread that must serve all its links while it waits. `wait` does
/// this: it blocks until the given deadline or until something happened on a link. The stage is then tested
/// again.
///
/// Testing one child of the stage can make another child ready, because all messages that have arrived on a
/// link are handled at once. No further event on the link would announce this, so a wake-up during a test
/// leads to another test before the next wait.
void waited_call(Stage& stage, Operation& operation, const std::function<void(Deadline)>& wait);

}  // namespace eventspace

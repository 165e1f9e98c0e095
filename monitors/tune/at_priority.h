#pragma once

#include <functional>
#include <string>

#include "tuplespace/processes/priority.h"

namespace eventspace::tune {

/// Calls `work` on a thread of its own that has this priority, and waits for its end. The threads that `work`
/// starts inherit the priority; the calling thread keeps its priority. A thread cannot get back a priority
/// that it gave up, unless it is privileged, so each trial has a new one.
///
/// Returns the failure to set the priority, like take_priority; `work` is called in any case. Throws the
/// exceptions of `work`. The two threads never run at the same time.
std::string at_priority(Priority priority, const std::function<void()>& work);

}  // namespace eventspace::tune

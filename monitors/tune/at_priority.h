#pragma once

// Private to monitors/.

#include <functional>
#include <string>

#include "tuplespace/processes/priority.h"

namespace eventspace::tune {

/// Calls `work` on a thread of its own that has this priority, and waits for its end. The threads that `work`
/// starts inherit the priority; that of the calling thread stays. A thread cannot get back a priority that it
/// gave up, unless it is privileged, so each trial has a new one.
///
/// Returns what could not be set and why, as take_priority does; `work` was called in any case. Throws what
/// `work` throws. What the two threads use is not used at the same time.
std::string at_priority(Priority priority, const std::function<void()>& work);

}  // namespace eventspace::tune

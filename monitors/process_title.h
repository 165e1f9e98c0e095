#pragma once

#include <string>
#include <vector>

namespace eventspace {

/// From now on `words` are what others see as the command line of this process (ps(1), /proc/PID/cmdline).
/// They go on seeing the one it was started with, and the result is false, on a kernel that was built without
/// CONFIG_CHECKPOINT_RESTORE, see PR_SET_MM_MAP in prctl(2). One thread at a time.
bool set_process_title(const std::vector<std::string>& words);

}  // namespace eventspace

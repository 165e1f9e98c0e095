#pragma once

// Private to monitors/.

#include <string>
#include <vector>

namespace eventspace {

/// Whether the next can do anything: not on kernels that were built without CONFIG_CHECKPOINT_RESTORE, see
/// PR_SET_MM_MAP in prctl(2).
bool can_set_process_title() noexcept;

/// From now on `words` are what others see as the command line of this process (ps(1), /proc/PID/cmdline).
/// They go on seeing the one it was started with where that cannot be. One thread at a time.
void set_process_title(const std::vector<std::string>& words);

}  // namespace eventspace

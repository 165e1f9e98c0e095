#pragma once

#include <string>
#include <vector>

namespace eventspace {

/// Whether set_process_title() has an effect; false on kernels without CONFIG_CHECKPOINT_RESTORE, see
/// PR_SET_MM_MAP in prctl(2).
bool can_set_process_title() noexcept;

/// Changes the command line of this process that ps(1) and /proc/PID/cmdline show to `words`. No effect where
/// the kernel does not allow it. Not thread-safe.
void set_process_title(const std::vector<std::string>& words);

}  // namespace eventspace

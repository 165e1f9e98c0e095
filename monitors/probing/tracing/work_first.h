#pragma once

// Private to monitors/probing/.

namespace eventspace {

/// Asks the kernel to run this process before others that compute, for work of a few milliseconds: threads
/// that it has stopped and lets go one after the other would else take the processor from it while the rest
/// still stands still. With the rights for that (root) it is scheduled before all processes without such an
/// order, else it has shorter turns, which come earlier (Linux 6.12). Its sleeps end on time. What the kernel
/// does not allow has no effect.
void work_first() noexcept;

}  // namespace eventspace

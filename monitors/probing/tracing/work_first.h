#pragma once

// Private to monitors/probing/.

namespace eventspace {

/// Asks the kernel to run this process soon when it has something to do, for work of a few milliseconds:
/// threads that it has stopped and lets go one after the other would else take the processor from it while
/// the rest still stands still. It gets shorter turns, which come earlier (Linux 6.12), but no greater share
/// of the processor, and no order in real time, which would stop all else on a busy machine. Its sleeps end
/// on time. What the kernel does not allow has no effect.
void work_first() noexcept;

}  // namespace eventspace

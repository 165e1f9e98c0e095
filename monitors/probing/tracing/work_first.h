#pragma once

// Private to monitors/probing/.

#include <array>
#include <cstddef>

namespace eventspace {

/// Asks the kernel to run this process soon when it has something to do, for work of a few milliseconds:
/// threads that it has stopped and lets go one after the other would else take the processor from it while
/// the rest still stands still. It gets shorter turns, which come earlier (Linux 6.12), but no greater share
/// of the processor, and no order in real time, which would stop all else on a busy machine. Its sleeps end
/// on time. What the kernel does not allow has no effect.
void work_first() noexcept;

/// While it exists, this thread keeps its processor, if the kernel allows that to this user (root): it runs
/// in real time. For steps of some microseconds, between which it must not be away for the turn of another
/// program. Where it is not allowed it has no effect.
class KeptProcessor {
 public:
  KeptProcessor() noexcept;
  ~KeptProcessor();
  KeptProcessor(const KeptProcessor&) = delete;
  KeptProcessor& operator=(const KeptProcessor&) = delete;

 private:
  static constexpr std::size_t bytes_of_order = 48;
  std::array<std::byte, bytes_of_order> before_{};  // how it was run
  bool is_kept_{false};
};

}  // namespace eventspace

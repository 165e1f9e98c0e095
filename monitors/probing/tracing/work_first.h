#pragma once

#include <array>
#include <cstddef>

namespace eventspace {

/// Asks the kernel to run this process soon after it wakes, for work of a few milliseconds. Otherwise the
/// threads that it has stopped and releases one after the other would take the processor from it while the
/// others are still stopped. The process gets shorter time slices, which come earlier (Linux 6.12), but not a
/// greater share of the processor, and no real-time priority, which would stop everything else on a busy
/// machine. Its sleeps end on time. Settings that the kernel does not allow are skipped.
void work_first() noexcept;

/// While the object exists, this thread keeps its processor by running in real time, if the kernel allows it
/// to this user (root). For steps of some microseconds, which must not be interrupted by the time slice of
/// another program. No effect where it is not allowed.
class KeptProcessor {
 public:
  KeptProcessor() noexcept;
  ~KeptProcessor();
  KeptProcessor(const KeptProcessor&) = delete;
  KeptProcessor& operator=(const KeptProcessor&) = delete;

 private:
  static constexpr std::size_t bytes_of_order = 48;
  std::array<std::byte, bytes_of_order> before_{};  // the previous scheduling of the thread
  bool is_kept_{false};
};

}  // namespace eventspace

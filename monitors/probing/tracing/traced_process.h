#pragma once

// Private to monitors/.

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "monitors/probing/processes/process_modules.h"
#include "monitors/probing/tracing/process_memory.h"
#include "monitors/probing/tracing/traced_thread.h"

namespace eventspace {

/// A stretch of addresses, without `end`.
struct AddressRange {
  std::uint64_t begin{0};
  std::uint64_t end{0};
  [[nodiscard]] bool contains(std::uint64_t address) const noexcept {
    return address >= begin && address < end;
  }
};

/// All threads of another process, which stand still while the object exists. Same thread rule as
/// TracedThread.
class StoppedProcess {
 public:
  static constexpr std::chrono::milliseconds patience{200};     ///< for each thread
  static constexpr std::chrono::seconds patience_for_turn{10};  ///< for one that waits for a processor

  /// Stops all threads, also those that are started meanwhile. Throws EnvironmentError with the reason if one
  /// cannot be stopped; all go on then.
  explicit StoppedProcess(std::int32_t pid);
  /// Lets all go on.
  ~StoppedProcess() { (void)go_on(); }
  StoppedProcess(const StoppedProcess&) = delete;
  StoppedProcess& operator=(const StoppedProcess&) = delete;
  /// Lets all go on now. Returns for how long they have stood still: from the first order to stop until the
  /// last one was let go. 0: they have gone on before.
  std::chrono::nanoseconds go_on() noexcept;

  /// Whether a thread is in one of the ranges, or its stack, from its stack pointer upwards, has a word that
  /// is an address in one: then it may come back there.
  [[nodiscard]] bool is_in(const std::vector<AddressRange>& ranges, const ProcessMemory& memory,
                           const std::vector<MappedRange>& mapped) const;
  /// The thread that makes calls of the system for the tool.
  [[nodiscard]] TracedThread& first() const { return *threads_.front(); }
  /// Whether each thread has its own data at %fs, as every C library sets it up.
  [[nodiscard]] bool has_thread_data() const;
  /// When the first thread was ordered to stop.
  [[nodiscard]] std::chrono::steady_clock::time_point since() const noexcept { return since_; }

 private:
  using Threads = std::vector<std::unique_ptr<TracedThread>>;

  [[nodiscard]] Threads seize_new_ones(std::int32_t pid) const;
  bool stop_new_ones(std::int32_t pid);
  void order_all(Threads& running);
  void wait_for_turn(Threads& late, std::int32_t pid);

  Threads threads_;
  std::chrono::steady_clock::time_point since_{std::chrono::steady_clock::time_point::max()};
};

/// Throws EnvironmentError with the reason if code must not be put into the process: it is of 32 bits,
/// filters its system calls (seccomp), or is the one that asks for it, `owner`.
void require_patchable(std::int32_t pid, std::int32_t owner);

}  // namespace eventspace

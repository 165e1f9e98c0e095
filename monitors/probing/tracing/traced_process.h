#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "monitors/probing/processes/process_modules.h"
#include "monitors/probing/tracing/process_memory.h"
#include "monitors/probing/tracing/traced_thread.h"

namespace eventspace {

/// A range of addresses; `end` is exclusive.
struct AddressRange {
  std::uint64_t begin{0};
  std::uint64_t end{0};
  [[nodiscard]] bool contains(std::uint64_t address) const noexcept {
    return address >= begin && address < end;
  }
};

/// All threads of another process, which are stopped while the object exists. Same thread rule as
/// TracedThread.
class StoppedProcess {
 public:
  static constexpr std::chrono::milliseconds patience{200};     ///< for each thread
  static constexpr std::chrono::seconds patience_for_turn{10};  ///< for a thread that waits for a processor

  /// Stops all threads, also threads that start at the same time. A thread that is still in a system call
  /// that a killed tool has made it execute (ReturnFrame) first ends it, for up to a minute: what the call
  /// leaves behind can be removed only then. Throws EnvironmentError with the reason if a thread cannot be
  /// stopped; all threads then run again.
  explicit StoppedProcess(std::int32_t pid);
  /// Resumes all threads.
  ~StoppedProcess() { (void)go_on(); }
  StoppedProcess(const StoppedProcess&) = delete;
  StoppedProcess& operator=(const StoppedProcess&) = delete;
  /// Resumes all threads now. Returns how long they were stopped: from the first order to stop until the last
  /// thread was released. 0: they were resumed before.
  std::chrono::nanoseconds go_on() noexcept;

  /// Whether a thread is in one of the ranges, or may return there: a word on its stack, from its stack
  /// pointer upwards, is an address in one of them.
  [[nodiscard]] bool is_in(const std::vector<AddressRange>& ranges, const ProcessMemory& memory,
                           const std::vector<MappedRange>& mapped) const;
  /// The thread that makes system calls for the tool.
  [[nodiscard]] TracedThread& first() const { return *threads_.front(); }
  /// Whether %fs of each thread points to its own data, as every C library sets it up.
  [[nodiscard]] bool has_thread_data() const;
  /// When the first thread was ordered to stop.
  [[nodiscard]] std::chrono::steady_clock::time_point since() const noexcept { return since_; }

 private:
  using Threads = std::vector<std::unique_ptr<TracedThread>>;

  [[nodiscard]] Threads seize_new_ones(std::int32_t pid) const;
  void stop_all(std::int32_t pid);
  [[nodiscard]] bool has_left_call(std::int32_t pid) const;
  bool stop_new_ones(std::int32_t pid);
  void order_all(Threads& running);
  void wait_for_turn(Threads& late, std::int32_t pid);

  Threads threads_;
  std::chrono::steady_clock::time_point since_{std::chrono::steady_clock::time_point::max()};
};

/// Throws EnvironmentError with the reason if code must not be put into the process: it is a 32-bit process,
/// filters its system calls (seccomp), or is the process `owner` itself, which makes the request.
void require_patchable(std::int32_t pid, std::int32_t owner);

}  // namespace eventspace

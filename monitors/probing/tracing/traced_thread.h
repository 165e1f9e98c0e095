#pragma once

#include <sys/types.h>
#include <sys/user.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "monitors/probing/tracing/call_site.h"
#include "monitors/probing/tracing/return_frame.h"

namespace eventspace {

/// A thread of another process that this process traces (ptrace(2), PTRACE_SEIZE) to stop it, inspect it and
/// resume it. Neither tracing nor stopping sends it a signal; a program can notice it only by the time that
/// passes.
///
/// A system call that the stop interrupts is continued. The kernel restarts most of them. Those that it would
/// end with EINTR instead (epoll_wait, semop, a receive with a time-out, sigwaitinfo ...) are restarted here,
/// unless a signal is pending that ends them anyway. The relative time-out of such a call then starts again.
///
/// All functions must be called by the thread that made the object, since the kernel records which thread
/// traces. When that thread ends, the kernel resumes the traced thread untraced, also if it did not stop in
/// time.
class TracedThread {
 public:
  /// Begins to trace; the thread continues to run. Throws EnvironmentError with the reason if that is not
  /// possible or not allowed; the thread is then unchanged.
  TracedThread(std::int32_t pid, std::int32_t tid);
  /// Resumes the thread, untraced. A thread that runs stays traced until the calling thread ends.
  ~TracedThread();
  TracedThread(const TracedThread&) = delete;
  TracedThread& operator=(const TracedThread&) = delete;

  enum class Stop : std::uint8_t {
    stopped,
    late,  ///< timed out: it is in a system call that cannot be interrupted (state D)
    ended  ///< it has ended, or was killed
  };
  /// Stops the thread and waits for it, up to `patience`.
  Stop stop(std::chrono::nanoseconds patience);
  /// The two steps of stop(), so that several threads can stop at the same time: order_to_stop() does not
  /// wait, wait_for_stop() does. Returns false if the thread has ended.
  [[nodiscard]] bool order_to_stop();
  Stop wait_for_stop(std::chrono::nanoseconds patience) { return wait(patience); }
  [[nodiscard]] bool is_stopped() const noexcept { return is_stopped_; }
  /// How long the thread was stopped the last time: from the order to stop until it was released. (After a
  /// release this process may lose its processor to the released thread; that time is not counted.)
  [[nodiscard]] std::chrono::nanoseconds stopped_for() const noexcept { return stopped_for_; }

  /// Require is_stopped(). Throw EnvironmentError if the thread was killed.
  [[nodiscard]] ::user_regs_struct registers() const;
  void set_registers(const ::user_regs_struct& registers) const;

  /// Requires is_stopped() for this and all other threads of its process. Makes the thread execute a system
  /// call and returns the result (an error as a negative number). No signal is handled during the call.
  /// Afterwards the thread is stopped as before, with the same registers; if the stop interrupted a system
  /// call, that call continues once the thread is released. If this process is killed during the call, the
  /// thread finishes the call and resumes as it would have without it (ReturnFrame). Only where `site` lacks
  /// a restorer, or the stack is too small, the thread would resume with the wrong registers.
  ///
  /// Throws EnvironmentError if the thread has ended, or if the call has not ended within `patience`, for
  /// example because the thread got no processor. release() then leaves the thread in its call, and it
  /// returns by itself, as if this process had been killed. It resumes when the calling thread ends.
  ///
  /// All calls of one stop must have the same site. Each call enters and leaves the kernel twice, which is
  /// its cost, more so on a busy machine. Between calls, registers() returns the registers from before the
  /// first.
  std::int64_t call(const CallSite& site, std::int64_t number, const std::array<std::uint64_t, 6>& arguments,
                    std::chrono::nanoseconds patience = patience_for_call);
  static constexpr std::chrono::seconds patience_for_call{30};

  /// Resumes the thread, untraced. No effect if it is not stopped.
  void release() noexcept;
  /// The two steps of release(), so that several threads can resume at the same time: prepare_release() does
  /// all that takes time, let_go() ends the stop.
  void prepare_release() noexcept;
  void let_go() noexcept;

  [[nodiscard]] std::int32_t tid() const noexcept { return tid_; }

 private:
  // The state of system calls that the thread makes for this process.
  struct Calls {
    ::user_regs_struct before;
    std::uint64_t signals;  // blocked by the thread
    bool is_by_interrupt;
    ReturnFrame frame;
  };

  Stop note(int status);
  Stop wait(std::chrono::nanoseconds patience);
  void begin_calls(const CallSite& site);
  void end_calls();
  void run_to_call(std::chrono::nanoseconds patience);
  [[nodiscard]] std::optional<::user_regs_struct> registers_for_call_again(
      const ::user_regs_struct& registers) const;
  // The registers with which the thread resumes as if this process had never stopped it.
  [[nodiscard]] ::user_regs_struct registers_without_tool(const ::user_regs_struct& registers) const;
  void set_call_up_again() const noexcept;

  std::int32_t pid_;
  std::int32_t tid_;
  bool is_stopped_{false};
  bool is_by_interrupt_{false};   // stopped because of the order, not by a signal for its process
  bool is_at_call_{false};        // stopped before or after a system call
  int signal_{0};                 // delivered when it resumes: a signal that arrived while it was to stop
  bool has_called_{false};        // a system call takes that signal, so it has to be sent again
  std::unique_ptr<Calls> calls_;  // null: no system calls yet
  std::chrono::steady_clock::time_point ordered_{};
  std::chrono::nanoseconds stopped_for_{};
};

/// The reason, in words, why the system did not let this process trace the thread: the meaning of
/// `error_number` of PTRACE_SEIZE in this situation. Reads /proc.
std::string why_not_traced(std::int32_t pid, std::int32_t tid, int error_number);

/// The reason why the system does not allow the user `asking` to trace. `status` is the text of
/// /proc/PID/task/TID/status, `yama` the text of /proc/sys/kernel/yama/ptrace_scope, empty without Yama.
/// Pure.
std::string why_not_allowed(std::string_view status, ::uid_t asking, std::string_view yama);

/// Whether a system call has to be restarted because a stop ended it with EINTR: it returned EINTR, and no
/// signal is pending that the thread does not block. `status` is the text of /proc/PID/task/TID/status. Pure.
bool is_interrupted_by_stop(const ::user_regs_struct& registers, std::string_view status);

}  // namespace eventspace

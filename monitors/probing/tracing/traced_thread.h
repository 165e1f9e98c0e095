#pragma once

// Private to monitors/.

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

/// A thread of another process that this process traces (ptrace(2), PTRACE_SEIZE), so that it can be made to
/// stand still, looked at, and let go on. Neither tracing nor stopping sends it a signal, and a program
/// cannot notice it but by the time that passes.
///
/// A system call that the stop interrupts goes on: the kernel starts most again by itself; those that it
/// would end with EINTR instead (epoll_wait, semop, a receive with a time-out, sigwaitinfo ...) are set up
/// again here, unless a signal is pending that ends them anyway. The relative time-out of such a call then
/// begins anew.
///
/// All functions must be called by the thread that made the object: the kernel remembers which thread traces.
/// When that thread ends, the kernel lets the traced thread go on untraced, also if it did not stop in time.
class TracedThread {
 public:
  /// Begins to trace; the thread runs on. Throws EnvironmentError with the reason if that is not possible or
  /// not allowed; nothing has changed then.
  TracedThread(std::int32_t pid, std::int32_t tid);
  /// Lets it go on, untraced. If it runs, it stays traced until the calling thread ends.
  ~TracedThread();
  TracedThread(const TracedThread&) = delete;
  TracedThread& operator=(const TracedThread&) = delete;

  enum class Stop : std::uint8_t {
    stopped,
    late,  ///< not within the time: it is in a call of the kernel that nothing interrupts (state D)
    ended  ///< it has ended, or was killed
  };
  /// Makes the thread stand still and waits for that, `patience` at most.
  Stop stop(std::chrono::nanoseconds patience);
  /// The same in two steps, so that several threads come to their stops at the same time: the order, which
  /// does not wait, and the waiting for it. Returns false if the thread has ended.
  [[nodiscard]] bool order_to_stop();
  Stop wait_for_stop(std::chrono::nanoseconds patience) { return wait(patience); }
  [[nodiscard]] bool is_stopped() const noexcept { return is_stopped_; }
  /// How long it has stood still the last time: from the order to stop until it was let go. (This process may
  /// lose its processor to a thread that it has let go: what comes then is not counted.)
  [[nodiscard]] std::chrono::nanoseconds stopped_for() const noexcept { return stopped_for_; }

  /// Require is_stopped(). Throw EnvironmentError if the thread was killed meanwhile.
  [[nodiscard]] ::user_regs_struct registers() const;
  void set_registers(const ::user_regs_struct& registers) const;

  /// Requires is_stopped(), as all other threads of its process must be. Makes the thread call the system and
  /// returns what the call returned (an error as a negative number). No signal is handled meanwhile.
  /// Afterwards it stands still as before, with the same registers; a call in which it was interrupted still
  /// goes on once it is released. If this process is killed meanwhile, the thread ends the call and goes on
  /// as it would have without it (ReturnFrame); only where `site` has no restorer, or the stack no room, it
  /// is lost: it goes on with the wrong registers. Throws EnvironmentError if the thread has ended.
  ///
  /// Several calls in one stop, which must have the same site, take it out of the kernel and back twice each;
  /// that is what they cost, more so on a busy machine, and registers() are those from before the first.
  std::int64_t call(const CallSite& site, std::int64_t number, const std::array<std::uint64_t, 6>& arguments);

  /// Lets it go on, untraced. No effect if it does not stand still.
  void release() noexcept;
  /// The same in two steps, so that several threads go on at the same time: all that takes time, and the end
  /// of the stop.
  void prepare_release() noexcept;
  void let_go() noexcept;

  [[nodiscard]] std::int32_t tid() const noexcept { return tid_; }

 private:
  // The calls of the system that it makes for this process.
  struct Calls {
    ::user_regs_struct before;
    std::uint64_t signals;  // that it blocks
    bool is_by_interrupt;
    ReturnFrame frame;
  };

  Stop note(int status);
  Stop wait(std::chrono::nanoseconds patience);
  void begin_calls(const CallSite& site);
  void end_calls();
  void run_to_call();
  [[nodiscard]] std::optional<::user_regs_struct> registers_for_call_again(
      const ::user_regs_struct& registers) const;
  // Those with which it goes on as if this process had never stopped it.
  [[nodiscard]] ::user_regs_struct registers_without_tool(const ::user_regs_struct& registers) const;
  void set_call_up_again() const noexcept;

  std::int32_t pid_;
  std::int32_t tid_;
  bool is_stopped_{false};
  bool is_by_interrupt_{false};   // it stands still because of the order, not by a signal for its process
  bool is_at_call_{false};        // it stands still before or behind a call of the system
  int signal_{0};                 // with which it goes on: one that came while it was to stop
  bool has_called_{false};        // a call takes that signal: it has to be sent again
  std::unique_ptr<Calls> calls_;  // null: it makes none, or not yet
  std::chrono::steady_clock::time_point ordered_{};
  std::chrono::nanoseconds stopped_for_{};
};

/// Why the system did not let this process trace the thread, in words: what `error_number` of PTRACE_SEIZE
/// means for it now. Reads /proc.
std::string why_not_traced(std::int32_t pid, std::int32_t tid, int error_number);

/// The same where the system does not allow it to the user `asking`: `status` is the text of
/// /proc/PID/task/TID/status, `yama` that of /proc/sys/kernel/yama/ptrace_scope, empty without Yama. Pure.
std::string why_not_allowed(std::string_view status, ::uid_t asking, std::string_view yama);

/// Whether a system call that ended with EINTR because of a stop has to be set up again: it did, and no
/// signal is pending that the thread does not block. `status` is the text of /proc/PID/task/TID/status. Pure.
bool is_interrupted_by_stop(const ::user_regs_struct& registers, std::string_view status);

}  // namespace eventspace

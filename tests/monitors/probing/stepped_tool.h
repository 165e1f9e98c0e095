#pragma once

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace eventspace::testing_probing {

/// A process that works on another one, and whose helper (process_probes.h) is held before each system call
/// that affects the other one. So a test can kill it at each step.
class SteppedTool {
 public:
  /// Runs `work` in a forked copy of this process, up to the point where its helper begins.
  explicit SteppedTool(const std::function<void()>& work) : tool_(::fork()) {
    if (tool_ == 0) {
      (void)::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
      ::raise(SIGSTOP);
      work();
      ::_exit(0);
    }
    (void)stopped(tool_);
    (void)::ptrace(PTRACE_SETOPTIONS, tool_, nullptr,
                   std::uintptr_t{PTRACE_O_TRACEFORK | PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL});
    (void)::ptrace(PTRACE_CONT, tool_, nullptr, nullptr);
    while ((stopped(tool_) >> 8) != (SIGTRAP | (PTRACE_EVENT_FORK << 8)))
      (void)::ptrace(PTRACE_CONT, tool_, nullptr, nullptr);
    unsigned long made = 0;
    (void)::ptrace(PTRACE_GETEVENTMSG, tool_, nullptr, &made);
    helper_ = static_cast<::pid_t>(made);
    (void)stopped(helper_);
    (void)::ptrace(PTRACE_DETACH, tool_, nullptr, nullptr);
  }
  ~SteppedTool() {
    end(helper_);
    end(tool_);
  }
  SteppedTool(const SteppedTool&) = delete;
  SteppedTool& operator=(const SteppedTool&) = delete;

  /// Runs the helper to its next step. Returns the name of the step; empty: it has ended.
  std::string next() {
    while (helper_ != 0) {
      (void)::ptrace(PTRACE_SYSCALL, helper_, nullptr, static_cast<std::uintptr_t>(signal_));
      const int status = stopped(helper_);
      if (!WIFSTOPPED(status)) helper_ = 0;
      if (helper_ == 0) break;
      const bool is_call = WSTOPSIG(status) == (SIGTRAP | 0x80);
      signal_ = is_call ? 0 : WSTOPSIG(status);
      if (!is_call) continue;
      if (const std::string name = step(); !name.empty()) return name;
    }
    return "";
  }
  /// The thread that the last step concerns, if it is a ptrace(2) call.
  [[nodiscard]] std::int32_t thread() const noexcept { return thread_; }
  void kill_helper() {
    end(helper_);
    helper_ = 0;
    wait_for_tool();
  }
  /// Kills the tool; the helper continues to its end.
  void kill_tool() {
    end(tool_);
    tool_ = 0;
    while (!next().empty()) {
    }
  }
  void wait_for_tool() {
    while (tool_ != 0 && ::waitpid(tool_, nullptr, 0) < 0 && errno == EINTR) {
    }
    tool_ = 0;
  }

 private:
  static int stopped(::pid_t pid) {
    int status = 0;
    while (::waitpid(pid, &status, __WALL) < 0) {
      if (errno != EINTR) return 0;  // treated like its end
    }
    return status;
  }
  static void end(::pid_t pid) {
    if (pid == 0) return;
    ::kill(pid, SIGKILL);
    while (WIFSTOPPED(stopped(pid))) {
    }
  }

  /// The next action of the helper; empty: it does not affect another process, or has just been done.
  std::string step() {
    ::user_regs_struct registers{};
    (void)::ptrace(PTRACE_GETREGS, helper_, nullptr, &registers);
    if (static_cast<std::int64_t>(registers.rax) != -ENOSYS) return "";  // after the call
    if (registers.orig_rax == SYS_pwrite64) return "write " + std::to_string(registers.rdx) + " bytes";
    if (registers.orig_rax == SYS_process_vm_writev) return "write a frame";
    if (registers.orig_rax != SYS_ptrace) return "";
    thread_ = static_cast<std::int32_t>(registers.rsi);
    return name_of(static_cast<int>(registers.rdi), registers.r10);
  }
  std::string name_of(int request, std::uint64_t data) {
    switch (request) {
      case PTRACE_SEIZE:
        return "seize";
      case PTRACE_INTERRUPT:
        return "interrupt";
      case PTRACE_SETSIGMASK:
        return "mask signals around " + call_;
      case PTRACE_SETREGS:
        call_ = call_in(data);
        return "set registers for " + call_;
      case PTRACE_SYSCALL:
        return "run to " + call_;
      case PTRACE_CONT:
        return "let go behind " + call_;
      case PTRACE_DETACH:
        return "detach";
      default:
        return "";
    }
  }
  /// The system call for which the helper sets the registers that lie at this address in its memory.
  std::string call_in(std::uint64_t address) const {
    const auto word = [&](std::size_t offset) {
      return static_cast<std::int64_t>(::ptrace(PTRACE_PEEKDATA, helper_, address + offset, nullptr));
    };
    static const std::map<std::int64_t, std::string> names{{SYS_memfd_create, "memfd_create"},
                                                           {SYS_ftruncate, "ftruncate"},
                                                           {SYS_mmap, "mmap"},
                                                           {SYS_munmap, "munmap"},
                                                           {SYS_close, "close"},
                                                           {SYS_open, "open"},
                                                           {SYS_madvise, "madvise"}};
    const auto found = names.find(word(offsetof(::user_regs_struct, rax)));
    const bool is_call = word(offsetof(::user_regs_struct, orig_rax)) == -1 && found != names.end();
    return is_call ? found->second : "what it did before";
  }

  ::pid_t tool_;
  ::pid_t helper_{0};
  int signal_{0};
  std::int32_t thread_{0};
  std::string call_;
};

}  // namespace eventspace::testing_probing

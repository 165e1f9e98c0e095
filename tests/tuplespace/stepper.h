#pragma once

#include <sys/ptrace.h>
#include <sys/wait.h>

#include <csignal>
#include <functional>

#include "tests/tuplespace/child.h"

namespace eventspace::test {

/// Runs a child process instruction by instruction: first `prepare` at full speed, then `work` in steps.
///
/// The first execution of code in a process also runs thousands of instructions of the dynamic linker, so
/// `prepare` should execute the code of `work` once before.
class Stepper {
 public:
  Stepper(const std::function<void()>& prepare, const std::function<void()>& work)
      : child_([&prepare, &work] {
          prepare();
          ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
          ::raise(SIGSTOP);
          work();
          ::raise(SIGSTOP);
        }) {
    wait();
  }
  [[nodiscard]] pid_t pid() const { return child_.pid(); }
  /// Returns false if the child has finished its work or cannot be traced.
  bool step() {
    if (::ptrace(PTRACE_SINGLESTEP, child_.pid(), nullptr, nullptr) != 0) return false;
    return wait() == SIGTRAP;
  }

 private:
  /// Returns the signal that stopped the child, or 0 if it has ended.
  int wait() {
    int status = 0;
    const bool stopped = ::waitpid(child_.pid(), &status, 0) > 0 && WIFSTOPPED(status);
    return stopped ? WSTOPSIG(status) : 0;
  }

  Child child_;
};

}  // namespace eventspace::test

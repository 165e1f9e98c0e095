#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <functional>
#include <utility>

#include "tests/tuplespace/tied_process.h"

namespace eventspace::test {

/// A child process that does `work` and exits with status 0. The destructor kills it if it still runs. Make
/// it while this process has only one thread.
class Child {
 public:
  explicit Child(const std::function<void()>& work) : pid_(fork_tied()) {
    if (pid_ == 0) live(work);
  }
  Child(Child&& other) noexcept : pid_(std::exchange(other.pid_, 0)) {}
  Child& operator=(Child&& other) noexcept {
    std::swap(pid_, other.pid_);
    return *this;
  }
  ~Child() { kill(); }

  [[nodiscard]] pid_t pid() const { return pid_; }
  void signal(int number) const { ::kill(pid_, number); }
  void kill() {
    if (pid_ == 0) return;
    signal(SIGKILL);
    ::waitpid(std::exchange(pid_, 0), nullptr, 0);
  }
  /// Returns whether the process has ended by itself or been killed; ends_well() then returns at once.
  [[nodiscard]] bool has_ended() const {
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == pid_;
  }
  /// Waits until the process ends by itself, and returns whether its status is 0.
  bool ends_well() {
    int status = 0;
    return ::waitpid(std::exchange(pid_, 0), &status, 0) > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

 private:
  [[noreturn]] static void live(const std::function<void()>& work) {
    try {
      work();
      ::_exit(0);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "child: %s\n", error.what());
      ::_exit(1);
    }
  }

  pid_t pid_;
};

}  // namespace eventspace::test

#pragma once

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tests/tuplespace/tied_process.h"

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x00000080
#endif

namespace eventspace::test {

/// The namespaces of a process of a container that shares its directories with this one.
struct Namespaces {
  bool pids{true};                               ///< separate PID and mount namespaces, with its own /proc
  std::optional<std::chrono::seconds> offset{};  ///< of its monotonic and boot clocks; nullopt means the same
                                                 ///< clocks
};

/// A process in separate namespaces, where it runs `work` and exits with its result. The destructor kills it.
class ProcessElsewhere {
 public:
  ProcessElsewhere(const Namespaces& namespaces, const std::function<int()>& work) {
    int started[2];
    if (::pipe2(started, O_CLOEXEC) != 0) return;
    outer_ = fork_tied();
    if (outer_ == 0) be_outer(namespaces, work, started[1]);
    ::close(started[1]);
    if (::read(started[0], &inner_, sizeof inner_) != sizeof inner_) inner_ = -1;
    ::close(started[0]);
  }
  ~ProcessElsewhere() {
    if (inner_ > 0) ::kill(inner_, SIGKILL);
    (void)status();
  }
  ProcessElsewhere(const ProcessElsewhere&) = delete;
  ProcessElsewhere& operator=(const ProcessElsewhere&) = delete;

  /// Its id in the namespace of this process; -1 if the system does not allow such namespaces.
  [[nodiscard]] pid_t pid() const noexcept { return inner_; }
  /// Waits for its end, and returns its exit status; -1 if it was killed.
  int status() {
    if (outer_ <= 0) return -1;
    int state = 0;
    ::waitpid(std::exchange(outer_, -1), &state, 0);
    inner_ = -1;
    return WIFEXITED(state) ? WEXITSTATUS(state) : -1;
  }

 private:
  static bool write_file(const char* file, std::string_view text) {
    const int handle = ::open(file, O_WRONLY | O_CLOEXEC);
    const bool is_written = handle >= 0 && ::write(handle, text.data(), text.size()) == std::ssize(text);
    if (handle >= 0) ::close(handle);
    return is_written;
  }

  static bool enter(const Namespaces& namespaces) {
    const std::string user = std::to_string(::geteuid()), group = std::to_string(::getegid());
    if (::unshare(CLONE_NEWUSER) != 0) return false;
    if (!write_file("/proc/self/uid_map", user + ' ' + user + " 1") ||
        !write_file("/proc/self/setgroups", "deny") ||
        !write_file("/proc/self/gid_map", group + ' ' + group + " 1"))
      return false;
    const int pids = namespaces.pids ? CLONE_NEWPID | CLONE_NEWNS : 0;
    if (::unshare(pids | (namespaces.offset ? CLONE_NEWTIME : 0)) != 0) return false;
    if (!namespaces.offset) return true;
    const std::string seconds = std::to_string(namespaces.offset->count());
    return write_file("/proc/self/timens_offsets",
                      "monotonic " + seconds + " 0\nboottime " + seconds + " 0\n");
  }

  [[noreturn]] static void be_outer(const Namespaces& namespaces, const std::function<int()>& work,
                                    int started) {
    if (!enter(namespaces)) ::_exit(1);
    const pid_t inner = fork_tied_to_outer();
    if (inner == 0) {
      if (namespaces.pids && (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
                              ::mount("proc", "/proc", "proc", 0, nullptr) != 0))
        ::_exit(1);
      int result = 1;
      try {
        result = work();
      } catch (...) {  // the test sees the status
      }
      ::_exit(result);
    }
    if (::write(started, &inner, sizeof inner) != sizeof inner) ::_exit(1);
    int state = 0;
    ::waitpid(inner, &state, 0);
    ::_exit(WIFEXITED(state) ? WEXITSTATUS(state) : 128);
  }
  // In a separate PID namespace, the child sees the parent with the id 0.
  static pid_t fork_tied_to_outer() {
    const pid_t pid = ::fork();
    if (pid == 0) ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    return pid;
  }

  pid_t outer_{-1};
  pid_t inner_{-1};
};

/// Why a test cannot have processes in such namespaces; empty if it can.
inline std::string why_no_namespaces(const Namespaces& namespaces) {
  ProcessElsewhere process(namespaces, [] { return 7; });
  return process.status() == 7
             ? ""
             : "the system does not allow this user namespaces of users, processes and times";
}

}  // namespace eventspace::test

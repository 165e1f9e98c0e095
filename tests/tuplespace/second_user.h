#pragma once

#include <grp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <functional>

#include "tests/tuplespace/tied_process.h"

namespace eventspace::test {

/// Another user of this machine, for tests that run as root. Begin a test with
///
///     if (!SecondUser::possible()) GTEST_SKIP() << SecondUser::why_not;
class SecondUser {
 public:
  static constexpr uid_t id = 65534;  // the user nobody
  static constexpr const char* why_not = "only root can act as a second user";

  static bool possible() { return ::geteuid() == 0; }

  /// Does `deed` in a child process of that user, and returns its result; false if it throws. Only files are
  /// changed, because it is another process.
  static bool can(const std::function<bool()>& deed) {
    const pid_t child = fork_tied();
    if (child == 0) ::_exit(become() && does(deed) ? 0 : 1);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

 private:
  static bool become() {
    return ::setgroups(0, nullptr) == 0 && ::setresgid(id, id, id) == 0 && ::setresuid(id, id, id) == 0;
  }
  static bool does(const std::function<bool()>& deed) {
    try {
      return deed();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "second user: %s\n", error.what());
      return false;
    }
  }
};

}  // namespace eventspace::test

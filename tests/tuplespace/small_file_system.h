#pragma once

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <optional>

#include "tests/tuplespace/tied_process.h"

namespace eventspace::test {

/// Does `work` in a child process that has its own file system of 2 MiB at `directory`. Returns whether it
/// succeeded; nullopt if this user may not mount file systems.
inline std::optional<bool> on_a_small_file_system(const std::filesystem::path& directory,
                                                  const std::function<bool()>& work) {
  const pid_t pid = fork_tied();
  if (pid == 0) {
    const bool mounted = (::unshare(CLONE_NEWNS) == 0 || ::unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0) &&
                         ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                         ::mount("none", directory.c_str(), "tmpfs", 0, "size=2m") == 0;
    ::_exit(!mounted ? 2 : work() ? 0 : 1);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(pid, &status, 0), pid);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 2) return std::nullopt;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace eventspace::test

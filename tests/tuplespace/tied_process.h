#pragma once

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <string>
#include <system_error>
#include <vector>

namespace eventspace::test {

/// As fork(); but the child is killed when this process ends, however that comes about: a test that is killed
/// leaves none behind. To be called in a thread that lives as long as the child should. Throws when there can
/// be no child.
inline pid_t fork_tied() {
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);  // it has ended already
  }
  return pid;
}

/// The program of `words`, the first of which is its file, as such a child.
inline pid_t start_tied(std::vector<std::string> words) {
  std::vector<char*> pointers;  // made before the fork: after it, other threads may be in malloc for ever
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const pid_t pid = fork_tied();
  if (pid > 0) return pid;
  ::execv(pointers[0], pointers.data());
  ::_exit(127);
}

/// Does `work` in a process that is not our child, in a session of its own: whoever kills this process with
/// all its children leaves that one to clear up. Of what is open here it has `tie` alone, as its standard
/// input.
inline void start_apart(int tie, const std::function<void()>& work) {
  const pid_t between = ::fork();
  if (between < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (between > 0) {
    ::waitpid(between, nullptr, 0);
    return;
  }
  if (::fork() != 0) ::_exit(0);
  ::setsid();
  ::dup2(tie, STDIN_FILENO);
  ::close_range(STDIN_FILENO + 1, ~0u, 0);  // the ends of other ties among them
  try {
    work();
    ::_exit(0);
  } catch (...) {  // nobody listens
    ::_exit(1);
  }
}

}  // namespace eventspace::test

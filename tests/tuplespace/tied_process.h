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

/// Like fork(), but the child is killed when this process ends for any reason, so that a killed test does not
/// leave processes behind. The calling thread has to live as long as the child should. Throws if fork()
/// fails.
inline pid_t fork_tied() {
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);  // the parent has ended already
  }
  return pid;
}

/// Runs the program words[0] with the arguments `words` in such a child.
inline pid_t start_tied(std::vector<std::string> words) {
  std::vector<char*> pointers;  // made before the fork: after it, malloc may stay locked
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const pid_t pid = fork_tied();
  if (pid > 0) return pid;
  ::execv(pointers[0], pointers.data());
  ::_exit(127);
}

/// Does `work` in a process that is not a child of this one, in a separate session: it survives when this
/// process is killed together with all its children, and can clean up. Of the open descriptors it keeps only
/// `tie`, as its standard input.
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
  ::close_range(STDIN_FILENO + 1, ~0u, 0);  // these include the ends of other ties
  try {
    work();
    ::_exit(0);
  } catch (...) {  // nothing reads a report
    ::_exit(1);
  }
}

}  // namespace eventspace::test

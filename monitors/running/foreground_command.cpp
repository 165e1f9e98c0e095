#include "monitors/running/foreground_command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <iostream>
#include <optional>

#include <eventspace/error.h>
#include "tuplespace/processes/spawn.h"
#include "tuplespace/system/mapping.h"

namespace eventspace {
namespace {

// All signals except those by which the kernel reports a process's own faults.
sigset_t signals_to_pass_on() {
  sigset_t signals;
  sigfillset(&signals);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS}) sigdelset(&signals, fault);
  return signals;
}

// An ignored SIGCHLD would lose the child's status. The command inherits the original action.
struct sigaction default_for_child_signal() {
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  struct sigaction before {};
  ::sigaction(SIGCHLD, &action, &before);
  return before;
}

struct Start {
  std::filesystem::path program;
  std::vector<char*> words;
  sigset_t mask{};               // of the command
  struct sigaction on_child {};  // likewise
  int parent{0};
  int failure{-1};  // a pipe for the number of the error
};

[[noreturn]] void become(const Start& start) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != start.parent) ::_exit(127);  // the parent has been killed already
  ::sigaction(SIGCHLD, &start.on_child, nullptr);
  ::pthread_sigmask(SIG_SETMASK, &start.mask, nullptr);
  ::execv(start.program.c_str(), start.words.data());
  const int error = errno;
  (void)!::write(start.failure, &error, sizeof error);
  ::_exit(127);
}

// Returns when the command is executed, or throws.
void require_execution(const std::filesystem::path& program, int child, const FileHandle& failure) {
  int error = 0;
  if (::read(failure.get(), &error, sizeof error) <= 0) return;  // closed by execve(2)
  ::waitpid(child, nullptr, 0);
  throw EnvironmentError::from_errno(fmt::format("cannot execute {}", program.string()), error);
}

pid_t start_child(Start& start) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw EnvironmentError::from_errno("cannot make a pipe", errno);
  const FileHandle failure(ends[0]);
  FileHandle reported(ends[1]);
  start.failure = ends[1];
  const pid_t child = ::fork();
  if (child < 0) throw EnvironmentError::from_errno("cannot start a process", errno);
  if (child == 0) become(start);
  reported = FileHandle();
  require_execution(start.program, child, failure);
  return child;
}

// Signals of the terminal reach the whole group, including the command. Only its hangup goes to the session
// leader alone.
bool must_be_passed_on(const siginfo_t& signal) {
  if (signal.si_code <= 0) return true;
  return signal.si_signo == SIGHUP && ::getsid(0) == ::getpid();
}

bool is_job_control(int signal) { return signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU; }

// Returns how the command ended, if it has. If the terminal stopped it, also stops this process.
std::optional<ExitState> look_at(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, WNOHANG | WUNTRACED) == child) {
    if (WIFEXITED(status)) return ExitState{WEXITSTATUS(status), 0};
    if (WIFSIGNALED(status)) return ExitState{0, WTERMSIG(status)};
    if (!WIFSTOPPED(status) || !is_job_control(WSTOPSIG(status))) continue;
    ::raise(SIGSTOP);
    ::kill(child, SIGCONT);
  }
  return std::nullopt;
}

}  // namespace

ExitState run_in_foreground(const std::filesystem::path& program, const std::vector<std::string>& command) {
  Start start;
  start.program = program;
  start.words = pointers_to(command);
  start.parent = ::getpid();
  const sigset_t signals = signals_to_pass_on();
  ::pthread_sigmask(SIG_BLOCK, &signals, &start.mask);
  start.on_child = default_for_child_signal();
  std::cout.flush();
  std::cerr.flush();
  const pid_t child = start_child(start);
  while (true) {
    siginfo_t signal{};
    if (::sigwaitinfo(&signals, &signal) < 0) continue;
    if (signal.si_signo != SIGCHLD) {
      if (must_be_passed_on(signal)) ::kill(child, signal.si_signo);
    } else if (const auto ended = look_at(child)) {
      return *ended;
    }
  }
}

int end_as(ExitState state) {
  if (state.signal == 0) return state.status;
  std::cout.flush();
  std::cerr.flush();
  ::prctl(PR_SET_DUMPABLE, 0);
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  ::sigaction(state.signal, &action, nullptr);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, state.signal);
  ::pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  ::raise(state.signal);
  return 128 + state.signal;  // as in shells, if the signal does not end processes
}

}  // namespace eventspace

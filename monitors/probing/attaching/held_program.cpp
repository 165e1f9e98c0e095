#include "monitors/probing/attaching/held_program.h"

#include <elf.h>
#include <fmt/format.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <fstream>

#include <eventspace/error.h>
#include "monitors/servers/find_program.h"
#include "tuplespace/processes/spawn.h"

namespace eventspace {
namespace {

[[noreturn]] void become(const std::string& program, const std::vector<std::string>& command) {
  if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0)
    ::execv(program.c_str(), pointers_to(command).data());
  ::_exit(127);
}

/// The address at which the program's own code begins, as the kernel passes it to the dynamic linker.
std::uint64_t entry_of(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/auxv", pid), std::ios::binary);
  std::uint64_t pair[2]{};
  while (file.read(reinterpret_cast<char*>(pair), sizeof pair))
    if (pair[0] == AT_ENTRY) return pair[1];
  throw EnvironmentError("cannot find the entry of the program: it is not a 64-bit program");
}

// Uses a debug register, so the program's code is not changed.
void set_breakpoint(pid_t pid, std::uint64_t address) {
  const auto place = [](int number) {
    return offsetof(struct ::user, u_debugreg) + static_cast<std::size_t>(number) * sizeof(long);
  };
  const bool is_set = ::ptrace(PTRACE_POKEUSER, pid, place(0), address) == 0 &&
                      ::ptrace(PTRACE_POKEUSER, pid, place(7), address == 0 ? 0UL : 1UL) == 0;
  if (!is_set) throw EnvironmentError::from_errno("cannot hold the program at its entry", errno);
}

}  // namespace

HeldProgram::HeldProgram(const std::vector<std::string>& command) {
  const auto program = find_program(command.front());
  if (!program)
    throw EnvironmentError(fmt::format("'{}' not found in $PATH or beside this program", command.front()));
  if (::access(program->c_str(), X_OK) != 0)
    throw EnvironmentError::from_errno(fmt::format("cannot execute {}", program->string()), errno);
  pid_ = ::fork();
  if (pid_ == 0) become(program->string(), command);
  if (pid_ < 0) throw EnvironmentError::from_errno("cannot start a process", errno);
  try {
    run_to_entry();
  } catch (const EnvironmentError&) {
    ::kill(pid_, SIGKILL);
    (void)wait();
    throw;
  }
}

HeldProgram::~HeldProgram() { go_on(); }

void HeldProgram::run_to_entry() {
  wait_for_stop(SIGTRAP);  // after exec
  (void)::ptrace(PTRACE_SETOPTIONS, pid_, nullptr, std::uintptr_t{PTRACE_O_EXITKILL});
  set_breakpoint(pid_, entry_of(pid_));
  (void)::ptrace(PTRACE_CONT, pid_, nullptr, nullptr);
  wait_for_stop(SIGTRAP);
  set_breakpoint(pid_, 0);
  // Detaching with SIGSTOP stops it again at once.
  (void)::ptrace(PTRACE_DETACH, pid_, nullptr, std::uintptr_t{SIGSTOP});
  int status = 0;
  while (::waitpid(pid_, &status, WUNTRACED) < 0 && errno == EINTR) {
  }
  if (!WIFSTOPPED(status)) throw EnvironmentError("the program ended before its entry");
}

void HeldProgram::wait_for_stop(int signal) {
  for (;;) {
    int status = 0;
    if (::waitpid(pid_, &status, 0) < 0) {
      if (errno == EINTR) continue;
      throw EnvironmentError::from_errno("cannot hold the program at its entry", errno);
    }
    if (!WIFSTOPPED(status))
      throw EnvironmentError("the program ended before its entry: it cannot be executed, or it was killed");
    if (WSTOPSIG(status) == signal) return;
    (void)::ptrace(PTRACE_CONT, pid_, nullptr, static_cast<std::uintptr_t>(WSTOPSIG(status)));
  }
}

void HeldProgram::go_on() noexcept {
  if (is_held_ && pid_ > 0) ::kill(pid_, SIGCONT);
  is_held_ = false;
}

ExitState HeldProgram::wait() {
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = 0;  // another process may get its id
  if (WIFSIGNALED(status)) return {0, WTERMSIG(status)};
  return {WEXITSTATUS(status), 0};
}

}  // namespace eventspace

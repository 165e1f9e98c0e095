#include "monitors/servers/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <thread>

#include <eventspace/error.h>
#include "monitors/servers/find_program.h"
#include "monitors/servers/process_title.h"
#include "tuplespace/processes/spawn.h"
#include "tuplespace/system/mapping.h"

namespace eventspace {
namespace {

constexpr int output_flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW;

std::vector<std::string> environment_with(const std::map<std::string, std::string>& added) {
  std::vector<std::string> variables = own_environment();
  std::erase_if(variables,
                [&](const std::string& text) { return added.contains(text.substr(0, text.find('='))); });
  for (const auto& [name, value] : added) variables.push_back(fmt::format("{}={}", name, value));
  return variables;
}

FileHandle open_output(const std::filesystem::path& file) {
  if (file.empty()) return {};
  FileHandle output(::open(file.c_str(), output_flags | O_CLOEXEC, 0600));
  if (!output.valid())
    throw EnvironmentError::from_errno(fmt::format("cannot open {}", file.string()), errno);
  return output;
}

// Returns a descriptor from which `text` can be read; invalid if it is empty. A pipe holds it without a
// reader.
FileHandle open_input(const std::string& text) {
  if (text.empty()) return {};
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw EnvironmentError::from_errno("cannot make a pipe", errno);
  FileHandle input(ends[0]);
  const FileHandle writing(ends[1]);
  if (::write(writing.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    throw EnvironmentError::from_errno("cannot write the standard input of a command", errno);
  return input;
}

// Restores what shells change for background commands. Calls only functions that signal handlers may call.
void restore_signals() {
  ::signal(SIGINT, SIG_DFL);
  ::signal(SIGTERM, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

// The process has no other way to report a failure: its standard error may be what it lacks.
void redirect_or_exit(int source, int target) {
  if (source < 0 || ::dup2(source, target) < 0) ::_exit(127);
}

// Does after fork() what posix_spawn() does with the attributes and files above.
void settle_after_fork(const ChildSpec& spec, int output) {
  spec.detached ? ::setsid() : ::setpgid(0, 0);
  if (output >= 0) {
    redirect_or_exit(output, STDOUT_FILENO);
    redirect_or_exit(output, STDERR_FILENO);
  }
  redirect_or_exit(::open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
  ::closefrom(STDERR_FILENO + 1);
  for (const auto& [name, value] : spec.environment) ::setenv(name.c_str(), value.c_str(), 1);
  set_process_title(spec.command);
  restore_signals();
}

// Does in a copy of this process what posix_spawn() does, and asks for SIGKILL at the end of the thread that
// made the copy, for which posix_spawn() has no attribute. Other threads may hold locks at the time of the
// copy, so it calls only functions that signal handlers may call.
[[noreturn]] void become(const std::filesystem::path& program, char* const* words, char* const* environment,
                         pid_t parent, const ChildSpec& spec) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);  // it ended before
  ::setpgid(0, 0);
  redirect_or_exit(spec.channel >= 0 ? spec.channel : ::open("/dev/null", O_RDONLY | O_CLOEXEC),
                   STDIN_FILENO);
  if (!spec.output.empty()) {
    redirect_or_exit(::open(spec.output.c_str(), output_flags | O_CLOEXEC, 0600), STDOUT_FILENO);
    redirect_or_exit(STDOUT_FILENO, STDERR_FILENO);
  }
  restore_signals();
  ::execve(program.c_str(), words, environment);
  ::_exit(127);
}

pid_t start_bound(const std::filesystem::path& program, const ChildSpec& spec) {
  const std::vector<std::string> variables = environment_with(spec.environment);
  const std::vector<char*> words = pointers_to(spec.command);
  const std::vector<char*> environment = pointers_to(variables);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) throw EnvironmentError::from_errno(fmt::format("cannot start {}", program.string()), errno);
  if (pid == 0) become(program, words.data(), environment.data(), parent, spec);
  return pid;
}

ExitState decode_status(int status) {
  if (WIFSIGNALED(status)) return {0, WTERMSIG(status)};
  return {WEXITSTATUS(status), 0};
}

}  // namespace

std::string to_string(ExitState state) {
  if (state.signal == 0) return fmt::format("ended with status {}", state.status);
  const char* const name = ::sigabbrev_np(state.signal);
  if (name == nullptr) return fmt::format("was killed by signal {}", state.signal);
  return fmt::format("was killed by SIG{}", name);
}

ChildProcess ChildProcess::start(const ChildSpec& spec) {
  const auto program = find_program(spec.command.at(0));
  if (!program) throw EnvironmentError(fmt::format("command '{}' not found", spec.command[0]));
  if (spec.ends_with_parent) return ChildProcess(start_bound(*program, spec));
  const FileHandle input = open_input(spec.input);
  Spawn spawn;
  if (input.valid() || spec.channel >= 0)
    spawn.duplicate(input.valid() ? input.get() : spec.channel, STDIN_FILENO);
  else
    spawn.open(STDIN_FILENO, "/dev/null", O_RDONLY);
  if (!spec.output.empty()) {
    spawn.open(STDOUT_FILENO, spec.output.c_str(), output_flags);
    spawn.duplicate(STDOUT_FILENO, STDERR_FILENO);
  }
  spawn.restore({SIGINT, SIGTERM});  // shells start background commands with both ignored
  spec.detached ? spawn.lead_session() : spawn.lead_process_group();
  return ChildProcess(spawn.start(*program, spec.command, environment_with(spec.environment)));
}

ChildProcess ChildProcess::fork(const ChildSpec& spec, const std::function<int()>& body) {
  const FileHandle output = open_output(spec.output);
  std::cout.flush();  // otherwise both processes would write buffered text
  std::fflush(nullptr);
  const pid_t pid = ::fork();
  if (pid < 0) throw EnvironmentError::from_errno("cannot start a process", errno);
  if (pid > 0) return ChildProcess(pid);
  settle_after_fork(spec, output.get());
  std::exit(body());
}

std::optional<ExitState> ChildProcess::poll() {
  int status = 0;
  if (!ended_ && ::waitpid(pid_, &status, WNOHANG) == pid_) ended_ = decode_status(status);
  return ended_;
}

ExitState ChildProcess::wait() {
  int status = 0;
  while (!ended_) {
    const pid_t found = ::waitpid(pid_, &status, 0);
    if (found == pid_) ended_ = decode_status(status);
    if (found < 0 && errno != EINTR) ended_ = ExitState{};
  }
  return *ended_;
}

ExitState ChildProcess::wait_or_kill(std::chrono::nanoseconds patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  while (!poll() && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  signal(SIGKILL);
  return wait();
}

void ChildProcess::signal(int number) noexcept {
  if (ended_) return;
  if (::kill(-pid_, number) != 0) ::kill(pid_, number);  // a forked child may not lead its group yet
}

bool may_fork() {
  std::error_code unknown;
  return can_set_process_title() &&
         std::distance(std::filesystem::directory_iterator("/proc/self/task", unknown), {}) == 1;
}

}  // namespace eventspace

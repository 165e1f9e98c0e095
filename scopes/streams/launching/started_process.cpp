#include "scopes/streams/launching/started_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <thread>
#include <utility>

#include <eventspace/error.h>
#include "tuplespace/processes/spawn.h"
#include "tuplespace/system/mapping.h"
#include "tuplespace/system/plain_text.h"

namespace eventspace::streams {
namespace {

// A memory file: a pipe would need a thread to write a long text, and a file with the keys could be left
// behind.
FileHandle input_of(std::string_view text) {
  FileHandle input(::memfd_create("start-sheet", MFD_CLOEXEC));
  if (!input.valid() ||
      ::pwrite(input.get(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
    throw EnvironmentError::from_errno("cannot hold the standard input of a command", errno);
  return input;
}

// An added variable replaces one of the same name.
std::vector<std::string> environment_with(const std::vector<std::string>& added) {
  std::vector<std::string> all = own_environment();
  for (const std::string& one : added) {
    const std::string name = one.substr(0, one.find('=') + 1);
    std::erase_if(all, [&](const std::string& there) { return there.starts_with(name); });
    all.push_back(one);
  }
  return all;
}

std::string how_it_ended(int status) {
  if (!WIFSIGNALED(status)) return fmt::format("ended with status {}", WEXITSTATUS(status));
  const char* const name = ::sigabbrev_np(WTERMSIG(status));
  return name == nullptr ? fmt::format("was killed by signal {}", WTERMSIG(status))
                         : fmt::format("was killed by SIG{}", name);
}

}  // namespace

StartedProcess::StartedProcess(std::string host, std::vector<std::string> words, std::string_view input,
                               const std::vector<std::string>& environment)
    : host_(std::move(host)), words_(std::move(words)) {
  const FileHandle held = input_of(input);
  Spawn spawn;
  spawn.duplicate(held.get(), STDIN_FILENO);
  spawn.restore_all();
  spawn.lead_process_group();
  try {
    pid_ = spawn.start(words_.at(0), words_, environment_with(environment));
  } catch (const EnvironmentError& error) {
    throw EnvironmentError(fmt::format("{} could not be started: {}", command(), error.what()));
  }
}

StartedProcess::StartedProcess(StartedProcess&& other) noexcept
    : host_(std::move(other.host_)),
      words_(std::move(other.words_)),
      pid_(std::exchange(other.pid_, 0)),
      status_(other.status_),
      ended_(std::move(other.ended_)) {}

StartedProcess::~StartedProcess() {
  if (pid_ != 0) wait_or_kill(std::chrono::steady_clock::now());
}

std::string StartedProcess::command() const {
  return escaped(fmt::format("{}: '{}'", host_.empty() ? "this machine" : host_, fmt::join(words_, " ")));
}

std::optional<std::string> StartedProcess::ended() {
  int status = 0;
  if (ended_ || pid_ == 0) return ended_;
  const pid_t found = ::waitpid(pid_, &status, WNOHANG);
  if (found == pid_) conclude(status);
  // The caller ignores SIGCHLD: the process is gone, its status unknown, and its id may be reused.
  if (found < 0 && errno == ECHILD) conclude(0);
  return ended_;
}

void StartedProcess::conclude(int status) {
  status_ = status;
  ended_ = fmt::format("{} {}", command(), how_it_ended(status));
}

int StartedProcess::wait() {
  int status = 0;
  while (!ended_) {
    const pid_t found = ::waitpid(pid_, &status, 0);
    if (found == pid_) conclude(status);
    if (found < 0 && errno != EINTR) conclude(0);  // the caller ignores SIGCHLD, so the status is unknown
  }
  return WIFSIGNALED(status_) ? 128 + WTERMSIG(status_) : WEXITSTATUS(status_);
}

void StartedProcess::wait_or_kill(std::chrono::steady_clock::time_point deadline) {
  constexpr std::chrono::milliseconds between_looks{2};
  while (!has_ended() && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(between_looks);
  if (has_ended()) return;
  ::kill(-pid_, SIGKILL);
  (void)wait();
}

bool is_this_machine(std::string_view host) {
  constexpr std::array names{"", "any", "localhost", "127.0.0.1", "::1"};
  if (std::ranges::any_of(names, [host](std::string_view name) { return name == host; })) return true;
  std::array<char, 256> own{};
  (void)::gethostname(own.data(), own.size() - 1);
  return host == own.data();
}

}  // namespace eventspace::streams

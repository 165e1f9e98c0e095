#include "pathmaps/sessions/session_server_start.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "tuplespace/system/error.h"
#include "tuplespace/system/session_socket.h"

namespace eventspace {
namespace {

// The environment without what concerns this process only.
std::vector<char*> environment_of_server() {
  std::vector<char*> kept;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text(*variable);
    if (!text.starts_with("LD_PRELOAD=") && !text.starts_with("EVENTSPACE_PATHMAP="))
      kept.push_back(*variable);
  }
  kept.push_back(nullptr);
  return kept;
}

/// How a server is spawned: without input and output, with no signal blocked or ignored.
class SpawnOptions {
 public:
  SpawnOptions() {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    ::posix_spawn_file_actions_addopen(&actions_, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    ::posix_spawnattr_init(&attributes_);
    sigset_t none;
    ::sigemptyset(&none);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    sigset_t usual;
    ::sigfillset(&usual);
    ::posix_spawnattr_setsigdefault(&attributes_, &usual);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnOptions() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  SpawnOptions(const SpawnOptions&) = delete;
  SpawnOptions& operator=(const SpawnOptions&) = delete;

  [[nodiscard]] const posix_spawn_file_actions_t* actions() const noexcept { return &actions_; }
  [[nodiscard]] const posix_spawnattr_t* attributes() const noexcept { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

// Returns when the program has left its server in the background, or has failed. Its status does not count:
// the application may have arranged that the kernel forgets it, and another process may have started a
// server.
void start_server(const std::string& program, const std::string& session) {
  std::vector<std::string> words{program, "serve", "--session", session, "--background"};
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const SpawnOptions options;
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, program.c_str(), options.actions(), options.attributes(),
                                   arguments.data(), environment_of_server().data());
  if (error != 0) {
    throw EnvironmentError(fmt::format(
        "session {} has no server on this machine, and none can be started: {}: {}. Put `eventspace` into "
        "PATH, or set EVENTSPACE_PROGRAM to its file",
        session, program, std::strerror(error)));
  }
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
}

[[noreturn]] void refuse(const SessionSocket& socket, const std::string& session) {
  if (socket.is_taken()) {
    throw EnvironmentError(fmt::format(
        "the server of session {} cannot be connected to: {} is not there; end the server, and the next "
        "operation starts another one",
        session, socket.endpoint()));
  }
  throw EnvironmentError(fmt::format(
      "session {} has no server on this machine, and the one that was started has ended; `eventspace serve "
      "--session {}` says why",
      session, session));
}

}  // namespace

std::string require_session_server(const std::string& session) {
  constexpr int most_starts = 3;  // a server that was ending may have been in the way of the one started
  const SessionSocket socket(session);
  const Deadline deadline = Deadline::after(std::chrono::seconds(10));
  const char* const given = std::getenv("EVENTSPACE_PROGRAM");
  for (int starts = 0; !socket.is_served_soon(deadline); ++starts) {
    if (starts == most_starts || deadline.passed()) refuse(socket, session);
    start_server(given != nullptr && *given != '\0' ? given : "eventspace", session);
  }
  return socket.endpoint();
}

}  // namespace eventspace

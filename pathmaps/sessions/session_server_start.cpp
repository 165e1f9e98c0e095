#include "pathmaps/sessions/session_server_start.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <vector>

#include "tuplespace/processes/spawn.h"
#include "tuplespace/system/error.h"
#include "tuplespace/system/session_socket.h"

namespace eventspace {
namespace {

// The environment without what concerns this process only.
std::vector<std::string> environment_of_server() {
  std::vector<std::string> variables = own_environment();
  std::erase_if(variables, [](const std::string& text) {
    return text.starts_with("LD_PRELOAD=") || text.starts_with("EVENTSPACE_PATHMAP=");
  });
  return variables;
}

int spawn_server(const std::string& program, const std::string& session) {
  Spawn spawn;
  spawn.open(STDIN_FILENO, "/dev/null", O_RDONLY);
  spawn.open(STDOUT_FILENO, "/dev/null", O_WRONLY);
  spawn.open(STDERR_FILENO, "/dev/null", O_WRONLY);
  spawn.restore_all();
  try {
    return spawn.start(program, {program, "serve", "--session", session, "--background"},
                       environment_of_server());
  } catch (const EnvironmentError& error) {
    throw EnvironmentError(
        fmt::format("session {} has no server on this machine: {}. Put `eventspace` into PATH, or set "
                    "EVENTSPACE_PROGRAM to its file",
                    session, error.what()));
  }
}

// Returns when the program has left its server in the background, or has failed. Its status does not count:
// the application may have arranged that the kernel forgets it, and another process may have started a
// server.
void start_server(const std::string& program, const std::string& session) {
  const int child = spawn_server(program, session);
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

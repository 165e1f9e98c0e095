#include "pathmaps/sessions/session_server_start.h"

#include <fmt/format.h>

#include <chrono>

#include <eventspace/error.h>
#include "pathmaps/sessions/server_program.h"
#include "tuplespace/sockets/session_socket.h"

namespace eventspace {
namespace {

[[noreturn]] void refuse(const SessionSocket& socket, const std::string& session) {
  if (socket.is_taken()) {
    throw EnvironmentError(
        fmt::format("cannot connect to the server of session {}: {} does not exist; end the server, and the "
                    "next operation starts another",
                    session, socket.endpoint()));
  }
  throw EnvironmentError(
      fmt::format("session {} has no server on this machine, and the server that was started has ended; run "
                  "`eventspace serve --session {}` to see why",
                  session, session));
}

}  // namespace

std::string require_session_server(const std::string& session) {
  constexpr int max_starts = 3;  // an ending server may have blocked the started one
  const SessionSocket socket(session);
  const Deadline deadline = Deadline::after(std::chrono::seconds(10));
  for (int starts = 0; !socket.is_served_soon(deadline); ++starts) {
    if (starts == max_starts || deadline.passed()) refuse(socket, session);
    run_server_program({"serve", "--session", session, "--background"},
                       fmt::format("session {} has no server on this machine", session));
  }
  return socket.endpoint();
}

}  // namespace eventspace

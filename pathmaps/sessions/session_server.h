#pragma once

// Private to pathmaps/.

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "paths/wire/wire.h"

namespace eventspace {

/// The tuple server of a session without a pathmap, on this machine: hosts the elements that the session's
/// processes name (Session::open). It is reached at the session's socket (tuplespace/system/session_socket.h)
/// by processes of this user only.
class SessionServer {
 public:
  /// Takes the socket of the session. Throws EnvironmentError if another server has it, or the directory
  /// cannot be used; ConfigurationError if the name cannot be that of a session.
  explicit SessionServer(const std::string& session);
  ~SessionServer();
  SessionServer(const SessionServer&) = delete;
  SessionServer& operator=(const SessionServer&) = delete;

  void start();  ///< serves in a new thread until destruction
  [[nodiscard]] const std::string& endpoint() const noexcept;
  [[nodiscard]] wire::ServerReport report() const;
  /// Whether a process of the session runs on this machine, or a client has an element open. Reads the
  /// directory of segments.
  [[nodiscard]] bool is_needed();
  /// Before the server ends: makes that no other process can connect. Processes that look for a server wait
  /// until this one is gone, or is shown again.
  void hide();
  /// Undoes that. Returns false if it cannot, because the socket was removed from outside.
  [[nodiscard]] bool show();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Calls `wait` again and again, with the pause until the next look, and returns when it returns true, or
/// when `server` has not been needed for `idle`. Then the server is hidden: a process that came at the last
/// moment was seen, and the server has stayed.
void serve_until_idle(SessionServer& server, std::chrono::nanoseconds idle,
                      const std::function<bool(std::chrono::nanoseconds)>& wait);

}  // namespace eventspace

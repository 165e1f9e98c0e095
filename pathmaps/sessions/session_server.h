#pragma once

#include <memory>
#include <string>

#include "pathmaps/sessions/ending_server.h"
#include "paths/wire/wire.h"

namespace eventspace {

/// The tuple server of a session without a pathmap, on this machine: hosts the elements that the session's
/// processes name (Session::open). It is reached at the session's socket
/// (tuplespace/sockets/session_socket.h) by processes of this user only.
class SessionServer final : public EndingServer {
 public:
  /// Takes the socket of the session. Throws EnvironmentError if another server has it, or the directory
  /// cannot be used; ConfigurationError for an invalid session name.
  explicit SessionServer(const std::string& session);
  ~SessionServer() override;
  SessionServer(const SessionServer&) = delete;
  SessionServer& operator=(const SessionServer&) = delete;

  void start() override;
  [[nodiscard]] const std::string& endpoint() const noexcept override;
  [[nodiscard]] wire::ServerReport report() const;
  /// Whether a process of the session runs on this machine, or a client has an element open.
  [[nodiscard]] bool is_needed() override;
  void hide() override;
  [[nodiscard]] bool show() override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace eventspace

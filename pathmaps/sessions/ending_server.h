#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "pathmaps/plan/plan.h"
#include "scopes/reading/local_segments.h"

namespace eventspace {

/// A server that serves the processes of a session on this machine, and ends when it is not needed.
class EndingServer {
 public:
  EndingServer() = default;
  virtual ~EndingServer() = default;
  EndingServer(const EndingServer&) = delete;
  EndingServer& operator=(const EndingServer&) = delete;

  virtual void start() = 0;  ///< serves in a new thread until destruction
  [[nodiscard]] virtual const std::string& endpoint() const noexcept = 0;
  /// Whether it still has users for whom it must stay. Reads the directory of segments.
  [[nodiscard]] virtual bool is_needed() = 0;
  /// Called before the server ends: prevents further connections. Processes that search for a server wait
  /// until this one is gone, or is shown again.
  virtual void hide() = 0;
  /// Undoes that. Returns false if it cannot, because the socket was removed from outside.
  [[nodiscard]] virtual bool show() = 0;
};

/// Calls `wait` repeatedly, with the pause until the next check, and returns when it returns true, or when
/// `server` has not been needed for `idle`. In the latter case the server is hidden; if a process comes at
/// the last moment, the server stays.
void serve_until_idle(EndingServer& server, std::chrono::nanoseconds idle,
                      const std::function<bool(std::chrono::nanoseconds)>& wait);

/// The processes of a session without a pathmap on this machine. Used by one thread.
class LiveProcesses {
 public:
  LiveProcesses(const Plan& plan, const std::string& session);
  /// Whether any process runs or is stopped. Reads the directory of segments again.
  [[nodiscard]] bool any();

 private:
  LocalSegments segments_;
};

}  // namespace eventspace

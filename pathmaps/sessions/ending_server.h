#pragma once

// Private to pathmaps/.

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
  /// Whether there is somebody for whom it must stay. Reads the directory of segments.
  [[nodiscard]] virtual bool is_needed() = 0;
  /// Before the server ends: makes that no other process can connect. Processes that look for a server wait
  /// until this one is gone, or is shown again.
  virtual void hide() = 0;
  /// Undoes that. Returns false if it cannot, because the socket was removed from outside.
  [[nodiscard]] virtual bool show() = 0;
};

/// Calls `wait` again and again, with the pause until the next look, and returns when it returns true, or
/// when `server` has not been needed for `idle`. Then the server is hidden: a process that came at the last
/// moment was seen, and the server has stayed.
void serve_until_idle(EndingServer& server, std::chrono::nanoseconds idle,
                      const std::function<bool(std::chrono::nanoseconds)>& wait);

/// The processes of a session without a pathmap on this machine. Used by one thread.
class LiveProcesses {
 public:
  LiveProcesses(const Plan& plan, const std::string& session);
  /// Whether one runs or is stopped. Reads the directory of segments anew.
  [[nodiscard]] bool any();

 private:
  LocalSegments segments_;
};

}  // namespace eventspace

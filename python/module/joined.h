#pragma once

#include <memory>
#include <thread>

#include <eventspace/path.h>
#include <eventspace/session.h>
#include "python/module/forks.h"

namespace eventspace::python {

/// A session that this process has joined. Its Python objects share one of these; close() makes it empty, and
/// the process leaves the session when the last operation under way has ended. All functions need the GIL.
class Joined {
 public:
  explicit Joined(std::shared_ptr<Session> session) : session_(std::in_place, std::move(session)) {}

  /// The session, for as long as the caller uses it. Throws OperationError (closed) after close(), and
  /// UsageError in a forked child.
  [[nodiscard]] std::shared_ptr<Session> use() const;
  /// Ends the waiting operations and leaves the session. Does nothing in a forked child.
  void close();
  [[nodiscard]] bool is_closed() const noexcept;

 private:
  OfThisProcess<std::shared_ptr<Session>> session_;
};

/// The session that the environment names (Session::from_environment), joined once: by the first probe, or by
/// Session.join() without arguments. Needs the GIL. Throws as from_environment() does.
std::shared_ptr<Session> joined_from_environment();
/// Leaves it when the interpreter ends.
void leave_session_of_environment();
/// To be called when the process has joined a session itself: probes do not join one any more.
void note_joined() noexcept;
/// If `session` is the session of the environment, the next call of joined_from_environment() joins again.
void forget_session_of_environment(const std::shared_ptr<Session>& session);

}  // namespace eventspace::python

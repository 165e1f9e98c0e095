#pragma once

#include <functional>
#include <memory>
#include <string>

#include "pathmaps/plan/plan.h"
#include "paths/server/server.h"
#include "scopes/scope_builder.h"

namespace eventspace {

/// Runs the scopes of a session without a pathmap in a server: reads all processes of the session on this
/// machine. Monitors elsewhere pull with the plan of plan_of_session_at. The server's thread uses it; it must
/// outlive the server.
class SessionScopes {
 public:
  /// `plan` comes from plan_of_session. The server's thread calls `warn` if new processes are found only when
  /// a monitor pulls.
  SessionScopes(std::shared_ptr<const Plan> plan, std::function<void(const std::string&)> warn);
  ~SessionScopes();
  SessionScopes(const SessionScopes&) = delete;
  SessionScopes& operator=(const SessionScopes&) = delete;

  /// Under the name scope_target, or, for owners only, steering_scope_target.
  [[nodiscard]] std::shared_ptr<const TargetKind> target_kind(Steering steering = Steering::refused);
  [[nodiscard]] Attendant& attendant() noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace eventspace

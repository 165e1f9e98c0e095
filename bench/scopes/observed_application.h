#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "pathmaps/plan/plan.h"
#include "pathmaps/sessions/node_server.h"
#include "pathmaps/sessions/session.h"

namespace eventspace::bench {

/// Returns a TCP port of this machine that was free a moment ago.

/// An application with `threads` threads in this process, and the server of its node. Each thread has
/// recorded one event in a trace element of its own. Two scopes read the newest event of every thread:
/// "direct" from this process's memory, "served" through the server over loopback TCP.
class ObservedApplication {
 public:
  explicit ObservedApplication(std::size_t threads);

  [[nodiscard]] const std::shared_ptr<const Plan>& plan() const noexcept { return plan_; }
  [[nodiscard]] const std::string& session() const noexcept { return session_name_; }

 private:
  std::shared_ptr<const Plan> plan_;
  std::string session_name_;
  Session session_;
  NodeServer server_;
};

}  // namespace eventspace::bench

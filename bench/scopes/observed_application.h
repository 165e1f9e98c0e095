#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include <eventspace/session.h>
#include "pathmaps/plan/plan.h"
#include "pathmaps/sessions/node_server.h"

namespace eventspace::bench {

/// An application with `threads` threads in this process, and the server of its node. Each thread has
/// recorded one event in its own trace element. Two scopes read the newest event of every thread: "direct"
/// from this process's memory, "served" through the server over loopback TCP.
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

/// An application without a pathmap, with `threads` threads in this process. Each has recorded one probe in
/// its own trace element. The scopes come from plan_of_session.
class DynamicApplication {
 public:
  explicit DynamicApplication(std::size_t threads);

  [[nodiscard]] const std::shared_ptr<const Plan>& plan() const noexcept { return plan_; }
  [[nodiscard]] const std::string& session() const noexcept { return session_.name(); }

 private:
  Session session_;
  std::shared_ptr<const Plan> plan_;
};

}  // namespace eventspace::bench

#pragma once

// Private to pathmaps/.

#include <cstddef>
#include <map>
#include <memory>

#include "collectors/pull_collector.h"
#include "pathmaps/plan/plan.h"
#include "scopes/tree/own_paths.h"

namespace eventspace {

class SessionHost;

/// The paths of the parts of scopes on the server of one node. Their event collectors write to that server's
/// own segment; a server without a segment, because nothing is collected, adds no collectors. Used by the
/// server's thread.
class ScopePaths final : public OwnPaths {
 public:
  /// Plan and host must outlive it; the host is that of the server.
  ScopePaths(const Plan& plan, NodeIndex node, SessionHost& host);
  ~ScopePaths() override;

  std::unique_ptr<Stage> answer(const ScopeTree& part, std::unique_ptr<Stage> next) override;
  std::unique_ptr<Stage> ask(const ScopeTree& part, const ScopeNode& child,
                             std::unique_ptr<Stage> next) override;

 private:
  [[nodiscard]] const ScopePartPlan& part_with(PathIndex path, const ScopeTree& part) const;
  std::unique_ptr<Stage> collect(PathIndex path, CollectPoint point, PullEnd end,
                                 std::unique_ptr<Stage> next);
  PullLog* log_of(PathIndex path, CollectPoint point);

  const Plan& plan_;
  NodeIndex node_;
  SessionHost& host_;
  std::map<TraceIndex, PullLog> logs_;  // by trace element
};

}  // namespace eventspace

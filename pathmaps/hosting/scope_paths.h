#pragma once

#include <cstddef>
#include <map>
#include <memory>

#include "collectors/pull_collector.h"
#include "pathmaps/plan/plan.h"
#include "scopes/tree/own_paths.h"

namespace eventspace {

class SessionHost;

/// Puts event collectors on the own paths of the scope parts that the server of one node runs, so that pulls
/// are recorded like operations of the application. The collectors write to the server's segment; if the
/// server lacks a segment, because collecting is off, no collectors are added. Used by the server's thread
/// only.
///
/// answer and ask throw ConfigurationError if a tree, which comes from a consumer, has the number of a path
/// that does not belong to this part: otherwise a consumer could write to any trace element.
class ScopePaths final : public OwnPaths {
 public:
  /// `host`: the SessionHost of the server. Plan and host must outlive this object and the stages that it
  /// makes.
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
  std::map<TraceIndex, PullLog> logs_;  // one per trace element; consumers of one path share it
};

}  // namespace eventspace

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

/// The paths of scopes' parts on the server of one node: their event collectors write to that server's own
/// segment. A server without a segment, as nothing is collected, puts none there. Belongs to the server's
/// thread.
class ScopePaths final : public OwnPaths {
 public:
  /// Plan and host must outlive it; the host is that of the server.
  ScopePaths(const Plan& plan, std::size_t node, SessionHost& host);
  ~ScopePaths() override;

  std::unique_ptr<Stage> answer(const ScopeTree& part, std::unique_ptr<Stage> next) override;
  std::unique_ptr<Stage> ask(const ScopeTree& part, const ScopeNode& child,
                             std::unique_ptr<Stage> next) override;

 private:
  [[nodiscard]] const ScopePartPlan& part_with(std::uint32_t path, const ScopeTree& part) const;
  std::unique_ptr<Stage> collect(std::uint32_t path, CollectPoint point, PullEnd end,
                                 std::unique_ptr<Stage> next);
  PullLog* log_of(std::uint32_t path, CollectPoint point);

  const Plan& plan_;
  std::size_t node_;
  SessionHost& host_;
  std::map<std::size_t, PullLog> logs_;  // by trace element
};

}  // namespace eventspace

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "collectors/pull_collector.h"
#include "pathmaps/hosting/session_host.h"
#include "pathmaps/sessions/local_id_pool.h"
#include "scopes/tree/own_paths.h"
#include "tuplespace/trace/growing_traces.h"

namespace eventspace {

/// Puts event collectors on a consumer's own paths of scopes. Any number of consumers may pull through one
/// scope, so the plan does not have numbers for them: a consumer records like a process that joined the
/// session without a pathmap, in its own segment, and scopes with `dynamic: true` on its machine show it.
///
///     process  PROGRAM:PID/scopes             a further consumer of the process: PROGRAM:PID/scopes2
///     thread   PROGRAM:PID/scopes/SCOPE
///     paths    answer, ask/NODE, ask/NODE/K   as the parts of a scope on servers have them, at: thread
///
/// Used by the consumer's thread only, and must outlive the stages of its scopes. Paths that do not fit into
/// the segment are not recorded; readers are informed.
class ConsumerPaths final : public OwnPaths {
 public:
  /// Throws EnvironmentError if the segment cannot be made, and ConfigurationError like check_session_name.
  explicit ConsumerPaths(const std::string& session);
  ~ConsumerPaths() override;

  std::unique_ptr<Stage> answer(const ScopeTree& part, std::unique_ptr<Stage> next) override;
  std::unique_ptr<Stage> ask(const ScopeTree& part, const ScopeNode& child,
                             std::unique_ptr<Stage> next) override;

 private:
  /// A path, shared by all openings of the scope.
  struct Recorded;

  std::unique_ptr<Stage> collect(const ScopeTree& part, const std::string& path, PullEnd end,
                                 std::unique_ptr<Stage> next);
  std::unique_ptr<Recorded> record(const ScopeTree& part, const std::string& path);

  SessionHost host_;
  LocalIdPool numbers_{dynamic_process};
  GrowingTraces traces_;
  std::map<std::string, std::optional<std::uint32_t>> threads_;  // their numbers, by scope
  std::map<std::string, std::unique_ptr<Recorded>> recorded_;    // by the path's name; null if it did not fit
};

}  // namespace eventspace

#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "collectors/event_collector.h"
#include "pathmaps/hosting/hosted_joints.h"
#include "pathmaps/plan/plan.h"
#include "paths/links/link_pool.h"
#include "paths/links/network.h"
#include "paths/remote/lookout.h"
#include "tuplespace/element_space.h"
#include "tuplespace/shared/shared_space.h"
#include "tuplespace/trace/trace_element.h"

namespace eventspace {

/// The user of a path in this process: a thread, or a joint as the user of its uplink. `links` and `recorded`
/// must outlive the path.
struct PathUser {
  LinkPool* links;                        ///< for paths that end in another process
  const RecordedThread* recorded;         ///< the collectors of the path record events as this thread
  std::chrono::nanoseconds answer_grace;  ///< see RemoteTarget
  WhenLost when_lost;                     ///< with `end`, operations end when the peer's process ends
};

/// Makes the stages of paths from the plan. All paths of applications are made here. A path that ends in this
/// process:
///
///     [collector >] {wrapper > [collector >]} [collector >] [lookout >] element, shared element or joint
///
/// A path that ends in another process. The server there makes the second half (make_end) when the first
/// operation opens the path:
///
///     [collector >] {wrapper > [collector >]} remote stage ~~~> [collector >] element or joint
///
/// There is an event collector at each point for which the plan has a trace element of this process. A
/// lookout ends operations when the process of the path's peer has ended; only with WhenLost::end.
///
/// Thread-safe as follows: each thread of the process makes its own paths; the server's thread makes the ends
/// for other processes.
class PathAssembly {
 public:
  /// The surroundings of the paths in this process. All members must outlive the assembly and its paths.
  struct Place {
    const Plan* plan;
    std::string_view session;  ///< of this process
    Host here;
    ElementSpace* elements;
    SharedSpace* shared;  ///< null if this process does not use shared elements
    HostedJoints* joints;
    const RecordedThread* elsewhere;  ///< represents users in other processes
    /// Returns the writer of a trace element, if this process records it. Called once per trace element,
    /// because a trace element has one writer.
    std::function<std::optional<TraceWriter>(TraceIndex)> writer_of;
  };
  explicit PathAssembly(Place place) : place_(std::move(place)) {}

  /// Makes a path that begins here: all of it, or the first half if it ends in another process. Call once for
  /// each path. Throws ConfigurationError for an unknown wrapper or an element that is not in this process.
  std::unique_ptr<Stage> make(PathIndex path, const PathUser& user) const;
  /// Makes the second half of a path that begins in another process. Call once for each path.
  std::unique_ptr<Stage> make_end(PathIndex path) const;

 private:
  std::unique_ptr<Stage> last_stage(PathIndex path, const PathUser& user) const;
  std::unique_ptr<Stage> hosted_stage(PathIndex path) const;
  std::unique_ptr<Stage> shared_stage(PathIndex path, const PathUser& user) const;
  std::unique_ptr<Stage> end_here(PathIndex path, std::unique_ptr<Stage> end,
                                  std::unique_ptr<Lookout> lookout, const RecordedThread& thread) const;
  std::unique_ptr<Stage> collect(PathIndex path, CollectPoint point, std::unique_ptr<Stage> next,
                                 const RecordedThread& thread) const;
  [[nodiscard]] std::unique_ptr<Lookout> link_lookout(PathIndex path, const PathUser& user) const;
  [[nodiscard]] std::unique_ptr<Lookout> shared_lookout(PathIndex path, const PathUser& user) const;
  [[nodiscard]] std::optional<ProcessIndex> peer_process(PathIndex path, const PathUser& user) const;
  [[nodiscard]] const Plan& plan() const noexcept { return *place_.plan; }

  Place place_;
};

/// Returns the constant fields (thread, path, peer, point) of the records of the event collector at `point`.
CollectorIdentity collector_identity(const Plan& plan, PathIndex path, CollectPoint point);

}  // namespace eventspace

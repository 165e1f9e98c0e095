#pragma once

// Private to pathmaps/.

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include "collectors/event_collector.h"
#include "pathmaps/plan/plan.h"
#include "pathmaps/sessions/hosted_joints.h"
#include "paths/links/link_pool.h"
#include "paths/links/network.h"
#include "paths/remote/lookout.h"
#include "tuplespace/element_space.h"
#include "tuplespace/shared/shared_space.h"
#include "tuplespace/trace/trace_element.h"

namespace eventspace {

/// The user of a path in this process: a thread, or a joint as the user of its uplink. Must outlive the path.
struct PathUser {
  LinkPool* links;                        ///< for a path that ends in another process
  const RecordedThread* recorded;         ///< whose events the path's collectors here record
  std::chrono::nanoseconds answer_grace;  ///< see RemoteTarget
  WhenLost when_lost;                     ///< `end`: operations end when the peer's process ends
};

/// Makes the stages of a path from its entry in the plan; nothing else does. A path that ends in this
/// process:
///
///     [event collector >] wrappers > [event collector >] [lookout >] element, shared element or joint
///
/// One that ends in another process, whose server makes the second half when the first operation opens it:
///
///     [event collector >] wrappers > remote stage ~~~> [event collector >] element or joint
///
/// An event collector stands where the plan has a trace element that this process records. A lookout ends
/// operations when the process of the path's peer has ended.
///
/// Used by any thread of the process, each for its own paths; ends for other processes by the server's
/// thread.
class PathAssembly {
 public:
  /// What paths in this process can lead to. All of it must outlive the assembly and the paths.
  struct Place {
    const Plan* plan;
    Host here;
    ElementSpace* elements;
    SharedSpace* shared;  ///< null: no path of this process leads to a shared element
    HostedJoints* joints;
    const RecordedThread* elsewhere;  ///< stands for users in other processes
    /// The writer of a trace element, if this process records it. Called once for each.
    std::function<std::optional<TraceWriter>(TraceIndex)> writer_of;
  };
  explicit PathAssembly(Place place) : place_(std::move(place)) {}

  /// The whole path, or its first half. Make each path once. Throws ConfigurationError for an unknown wrapper
  /// or an element that is not here.
  std::unique_ptr<Stage> make(PathIndex path, const PathUser& user) const;
  /// The second half of a path whose user is in another process. Make each once.
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

/// What the event collector at `point` of the path writes into its records to say where it stands.
CollectorIdentity collector_identity(const Plan& plan, PathIndex path, CollectPoint point);

}  // namespace eventspace

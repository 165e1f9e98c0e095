#pragma once

// Private to pathmaps/.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "collectors/event_collector.h"
#include "pathmaps/plan/plan.h"
#include "pathmaps/sessions/hosted_joints.h"
#include "pathmaps/sessions/path_assembly.h"
#include "pathmaps/sessions/path_end.h"
#include "paths/links/network.h"
#include "paths/server/server.h"
#include "tuplespace/element_space.h"
#include "tuplespace/shared/shared_space.h"
#include "tuplespace/trace/segment.h"
#include "tuplespace/trace/trace_element.h"

namespace eventspace {

/// What the plan gives one process of a session: the elements that it hosts, in its heap and in shared
/// memory, its joints, the segment with its trace elements, and the ends of the paths that lead to its
/// elements and joints. The same class serves processes of an application and the servers of nodes.
class SessionHost {
 public:
  /// Creates elements and segment. Throws as Segment, ElementFile and ElementSpace do. `collect` false: no
  /// event collector stands on any path and there is no segment. `network`: for joints, see HostedJoints;
  /// must outlive this object.
  SessionHost(std::shared_ptr<const Plan> plan, Host id, std::string session, bool collect,
              Network* network = nullptr);
  ~SessionHost();

  [[nodiscard]] const Plan& plan() const noexcept { return *plan_; }
  [[nodiscard]] const std::string& session() const noexcept { return session_; }
  [[nodiscard]] Segment* segment() noexcept { return segment_ ? &*segment_ : nullptr; }

  /// Makes paths that begin or end here.
  [[nodiscard]] const PathAssembly& paths() const noexcept { return *paths_; }
  /// The writer of trace element `trace`, if it lies in the segment here; ask once for each.
  std::optional<TraceWriter> writer_of(TraceIndex trace);

  /// Ends operations that wait at its elements, or of its threads at shared elements, with Status::closed;
  /// each later operation ends the same way.
  void close();

  /// The joints that are here.
  [[nodiscard]] HostedJoints& joints() noexcept { return *joints_; }

  /// Opens ends of paths for users in other processes; see pathmaps/sessions/path_target.h.
  [[nodiscard]] std::shared_ptr<const TargetKind> path_targets();
  /// The endpoints to which a server of this process may forward.
  [[nodiscard]] std::set<std::string> endpoints() const;

  /// Over all trace elements of this process: events recorded, and those overwritten since.
  [[nodiscard]] std::uint64_t events_recorded() const;
  [[nodiscard]] std::uint64_t events_discarded() const;

  /// Event collectors of this process record while it is set.
  [[nodiscard]] CollectSwitch& collect_switch() noexcept { return switch_; }
  /// The position of the thread in the segment; nothing without segment, or for a thread of another process.
  [[nodiscard]] std::optional<std::size_t> thread_in_segment(ThreadIndex thread) const;

 private:
  [[nodiscard]] Segment::Config segment_config();
  void create_elements();
  void share(std::vector<SharedElementSpec> elements);
  [[nodiscard]] PathUser uplink_user(LinkPool& links) const;

  std::shared_ptr<const Plan> plan_;
  Host id_;
  std::string session_;
  CollectSwitch switch_{true};
  RecordedThread elsewhere_{&switch_};  // stands for threads of other processes, and for joints here
  ElementSpace elements_;
  std::optional<SharedSpace> shared_;             // when the plan has shared elements
  std::vector<ThreadIndex> threads_;              // in the order of the segment
  std::map<TraceIndex, std::size_t> trace_slot_;  // index in the segment
  std::optional<Segment> segment_;
  std::unique_ptr<HostedJoints> joints_;
  std::optional<PathAssembly> paths_;  // always there once the constructor has run
  std::map<PathIndex, PathEnd> ends_;  // for remote threads
};

/// The bounds of `limits:` that concern the network.
NetworkLimits network_limits(const LimitsPlan& limits);

}  // namespace eventspace

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "collectors/event_collector.h"
#include "pathmaps/hosting/hosted_joints.h"
#include "pathmaps/hosting/path_assembly.h"
#include "pathmaps/hosting/path_end.h"
#include "pathmaps/plan/plan.h"
#include "paths/links/network.h"
#include "paths/server/server.h"
#include "tuplespace/element_space.h"
#include "tuplespace/shared/shared_space.h"
#include "tuplespace/trace/control_file.h"
#include "tuplespace/trace/segment.h"
#include "tuplespace/trace/trace_element.h"

namespace eventspace {

/// Owns all that the plan places in one process of a session: its elements, in the heap and in shared memory,
/// its joints, the segment with its trace elements, and the ends of remote paths to its elements and joints.
/// Used by the processes of an application (Session) and by the servers of nodes (NodeServer).
///
/// Thread-safe after construction, except that only the server's thread opens the targets of path_targets().
class SessionHost {
 public:
  /// Creates the elements and the segment. `collect`: if false, there is no segment and paths are made
  /// without event collectors. `network`: for joints, see HostedJoints; must outlive this object. Throws as
  /// Segment, ElementFile and ElementSpace do.
  SessionHost(std::shared_ptr<const Plan> plan, Host id, std::string session, bool collect,
              Network* network = nullptr);
  ~SessionHost();

  [[nodiscard]] const Plan& plan() const noexcept { return *plan_; }
  [[nodiscard]] const std::string& session() const noexcept { return session_; }
  [[nodiscard]] Segment* segment() noexcept { return segment_ ? &*segment_ : nullptr; }

  /// Makes the paths that begin or end in this process.
  [[nodiscard]] const PathAssembly& paths() const noexcept { return *paths_; }
  /// Returns the writer of a trace element, if it is in this process's segment. Call once per trace element,
  /// because it has one writer.
  std::optional<TraceWriter> writer_of(TraceIndex trace);

  /// Ends the operations that wait at elements of this process, and its threads' operations at shared
  /// elements, with Status::closed. Later operations end the same way.
  void close();

  /// The joints of this process.
  [[nodiscard]] HostedJoints& joints() noexcept { return *joints_; }

  /// Returns the kind of target by which users in other processes open their paths to elements and joints of
  /// this process; see pathmaps/hosting/path_target.h. Must not outlive this object.
  [[nodiscard]] std::shared_ptr<const TargetKind> path_targets();
  /// Returns the kind of target that reports the states of the elements of this process. With `shared`, also
  /// of the session's elements in shared memory of processes of its node. Must not outlive this object.
  [[nodiscard]] std::shared_ptr<const TargetKind> element_states_targets(bool shared) const;
  /// Returns the endpoints to which a server of this process may forward: the plan's endpoints.
  [[nodiscard]] std::set<std::string> endpoints() const;

  /// Empty the trace elements of this process: all, of a thread, or of a path. See Session::empty_traces.
  void empty_all() noexcept;
  void empty_thread(ThreadIndex thread) noexcept;
  void empty_path(PathIndex path) noexcept;

  /// Return the number of events recorded, and the number overwritten since, over all trace elements here.
  [[nodiscard]] std::uint64_t events_recorded() const;
  [[nodiscard]] std::uint64_t events_discarded() const;

  /// Selects the events that the collectors of this process record. Other processes of the user can also
  /// switch it, if the host has a control file.
  [[nodiscard]] const std::shared_ptr<CollectSwitch>& collect_switch() const noexcept { return switch_; }
  /// The thread as which joints and other processes' threads are recorded here.
  [[nodiscard]] const RecordedThread& elsewhere() const noexcept { return elsewhere_; }
  /// Returns the position of the thread in the segment. Nullopt if there is no segment, or if the thread
  /// belongs to another process.
  [[nodiscard]] std::optional<std::size_t> thread_in_segment(ThreadIndex thread) const;

 private:
  void make_segments();
  [[nodiscard]] Segment::Config segment_config();
  [[nodiscard]] Segment::Config annex_config(const Segment::Config& segment, const AnnexPlan& annex) const;
  [[nodiscard]] Segment& segment_of(const TracePlan& trace) noexcept;
  [[nodiscard]] const Segment& segment_of(const TracePlan& trace) const noexcept;
  void add_trace(TraceIndex trace, Segment::Config& config);
  [[nodiscard]] std::shared_ptr<CollectSwitch> make_switch(bool collect);
  void create_elements();
  void share(std::vector<SharedElementSpec> elements);
  [[nodiscard]] PathUser uplink_user(LinkPool& links) const;

  std::shared_ptr<const Plan> plan_;
  Host id_;
  std::string session_;
  std::optional<ControlFile> control_;  // before the segment: readers of the segment expect it
  std::shared_ptr<CollectSwitch> switch_;
  RecordedThread elsewhere_;  // represents the threads of other processes, and the joints here
  ElementSpace elements_;
  std::optional<SharedSpace> shared_;             // set if this process hosts or uses shared elements
  std::vector<ThreadIndex> threads_;              // in the order of the segment
  std::map<TraceIndex, std::size_t> trace_slot_;  // positions in the segment, or in the annex of the plan
  // Destroyed after the segment, which readers open first.
  std::map<AnnexIndex, Segment> annexes_;
  std::optional<Segment> segment_;
  std::unique_ptr<HostedJoints> joints_;
  std::optional<PathAssembly> paths_;  // set by the constructor, after the members to which it refers
  std::map<PathIndex, PathEnd> ends_;  // opened by other processes; used by the server's thread only
};

/// Returns the bounds under `limits:` that concern the network; the others have their defaults.
NetworkLimits network_limits(const LimitsPlan& limits);

}  // namespace eventspace

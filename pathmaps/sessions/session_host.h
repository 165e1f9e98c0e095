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
#include "pathmaps/sessions/path_end.h"
#include "paths/links/network.h"
#include "paths/remote/lookout.h"
#include "paths/remote/remote_stage.h"
#include "paths/server/server.h"
#include "tuplespace/element_space.h"
#include "tuplespace/shared/shared_space.h"
#include "tuplespace/trace/segment.h"
#include "tuplespace/trace/trace_element.h"

namespace eventspace {

/// What one process of a session has by the plan: the elements it hosts, in its heap and shared, the segment
/// with its trace elements, and the ends of the paths that lead to its elements and to the shared ones of its
/// node. The same for processes of an application and for node servers.
class SessionHost {
 public:
  /// Creates elements and segment. Throws as Segment, ElementFile and ElementSpace do. `collect` false: no
  /// event collector stands on any path and there is no segment. `network`, which must outlive it, is for
  /// joints, see HostedJoints.
  SessionHost(std::shared_ptr<const Plan> plan, Host id, std::string session, bool collect,
              Network* network = nullptr);
  ~SessionHost();

  [[nodiscard]] const Plan& plan() const noexcept { return *plan_; }
  [[nodiscard]] const std::string& session() const noexcept { return session_; }
  [[nodiscard]] bool hosts_element(ElementIndex element) const noexcept;
  [[nodiscard]] Segment* segment() noexcept { return segment_ ? &*segment_ : nullptr; }

  /// The end of path `path`, whose element or joint is in the heap of this process: [event collector ->] end.
  /// Ask once a path. `lookout`: on the process of the thread at the other end.
  std::unique_ptr<Stage> make_end(PathIndex path, std::unique_ptr<Lookout> lookout = nullptr);
  /// The same for a path to a shared element, for a thread of this process. `peer`: the other process to look
  /// out for.
  std::unique_ptr<Stage> make_shared_end(PathIndex path, const RecordedThread& thread, WhenLost when_lost,
                                         std::optional<ProcessIndex> peer);
  /// `next` with the path's event collector of `point` in front, if it has one here.
  std::unique_ptr<Stage> collect_at(PathIndex path, CollectPoint point, std::unique_ptr<Stage> next,
                                    const RecordedThread& thread);

  /// The writer of trace element `trace` of the plan, if it lies here; ask once for each.
  std::optional<TraceWriter> writer_of(TraceIndex trace);

  /// Ends all waiting at its elements, and of its threads at shared ones, with Status::closed; every later
  /// operation too.
  void close();

  /// The joints that are here.
  [[nodiscard]] HostedJoints& joints() noexcept { return *joints_; }

  /// Opens ends of paths for remote threads; the spec is that of path_spec().
  [[nodiscard]] std::shared_ptr<const TargetKind> path_targets();
  /// What a server of this process may forward to.
  [[nodiscard]] std::set<std::string> endpoints() const;

  /// Over all trace elements of this process: events recorded, and those overwritten since.
  [[nodiscard]] std::uint64_t events_recorded() const;
  [[nodiscard]] std::uint64_t events_discarded() const;

  /// Event collectors of this process record while it is set.
  [[nodiscard]] CollectSwitch& collect_switch() noexcept { return switch_; }
  /// Where the thread at plan number `thread` stands in the segment; nothing without segment.
  [[nodiscard]] std::optional<std::size_t> thread_in_segment(ThreadIndex thread) const;

 private:
  [[nodiscard]] Segment::Config segment_config();
  void create_elements();
  std::unique_ptr<Stage> finish_end(PathIndex path, std::unique_ptr<Stage> end,
                                    std::unique_ptr<Lookout> lookout, const RecordedThread& thread);
  void share(std::vector<SharedElementSpec> elements);
  std::unique_ptr<Stage> make_uplink(PathIndex path, LinkPool& links);

  std::shared_ptr<const Plan> plan_;
  Host id_;
  std::string session_;
  CollectSwitch switch_{true};
  RecordedThread elsewhere_{&switch_};  // who does operations here for a thread that is not
  ElementSpace elements_;
  std::optional<SharedSpace> shared_;             // when the plan has shared elements
  std::vector<ThreadIndex> threads_;              // in the order of the segment
  std::map<TraceIndex, std::size_t> trace_slot_;  // index in the segment
  std::optional<Segment> segment_;
  std::unique_ptr<HostedJoints> joints_;
  std::map<PathIndex, PathEnd> ends_;  // for remote threads
};

inline constexpr const char* path_target = "path";
/// The spec of an open request for path number `path` of the plan with this fingerprint.
std::vector<std::byte> path_spec(PathIndex path, std::uint64_t fingerprint);

/// What a path whose end is elsewhere leads to, over its gateways.
RemoteTarget remote_target_of(const Plan& plan, PathIndex path, std::chrono::nanoseconds answer_grace);
/// The servers to pass, the one with its end the last.
std::vector<std::string> hops_of(const Plan& plan, const PathPlan& path);
/// `end` with the wrappers in front that the pathmap puts on the path.
std::unique_ptr<Stage> put_wrappers(const PathPlan& path, std::unique_ptr<Stage> end);

/// What `limits:` says, as the network takes it.
NetworkLimits network_limits(const LimitsPlan& limits);

}  // namespace eventspace

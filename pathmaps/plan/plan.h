#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <eventspace/extend.h>
#include "collectors/stamp.h"
#include "pathmaps/plan/index.h"
#include "paths/joints/collective.h"
#include "scopes/tree/scope_tree.h"
#include "scopes/wrappers/scope_wrapper.h"
#include "tuplespace/element.h"
#include "tuplespace/processes/priority.h"
#include "tuplespace/system/job_member.h"

namespace eventspace {

/// A Plan is the expanded form of a pathmap: generators have run, names are resolved to numbers, defaults are
/// filled in. Sessions, servers and monitors are built from it; load_plan (pathmaps/pathmap.h) makes it.
///
/// A plan is data only. Its structs refer to each other by index into the vectors of Plan, and each kind of
/// struct has its own index type (pathmaps/plan/index.h). A pathmap gives the same plan, including all
/// numbers, on every machine: records and messages carry these numbers as plain integers.
///
/// Thread-safety: a plan does not change after load_plan returns, so any number of threads may read it
/// without a lock. Nothing here blocks or throws, except std::bad_alloc. An index must belong to the same
/// plan.
///
///     const std::optional<ThreadIndex> thread = plan.find_thread("t17");
///     for (const PathPlan& path : plan.paths)
///       if (path.thread == thread) show(path.name, plan.elements[path.element].name);

struct ClusterPlan;
struct NodePlan;
struct ProcessPlan;
struct ThreadPlan;
struct ElementPlan;
struct PathPlan;
struct TracePlan;
struct AnnexPlan;
struct JointPlan;
struct CollectivePlan;
struct ScopePartPlan;

using ClusterIndex = Index<ClusterPlan>;
using NodeIndex = Index<NodePlan>;
using ProcessIndex = Index<ProcessPlan>;
using ThreadIndex = Index<ThreadPlan>;
using ElementIndex = Index<ElementPlan>;
using PathIndex = Index<PathPlan>;
using TraceIndex = Index<TracePlan>;
using AnnexIndex = Index<AnnexPlan>;
using JointIndex = Index<JointPlan>;
using CollectiveIndex = Index<CollectivePlan>;
using PartIndex = Index<ScopePartPlan>;

/// A process of the application, or the tuple server of a node. Both host elements and joints, own a segment
/// for trace elements, and can be the start of paths.
using Host = std::variant<ProcessIndex, NodeIndex>;

/// Returns "tcp://HOST:PORT", with brackets around an IPv6 address.
std::string endpoint_of(std::string_view host, std::uint16_t port);
/// Return "local://node/NAME" and "local://process/NAME": servers without a port, which only processes of the
/// same user and session on the same machine reach (paths/links/local_endpoint.h).
std::string local_endpoint_of_node(std::string_view node);
std::string local_endpoint_of_process(std::string_view process);

/// A machine, or a share of one, with its own tuple server.
struct NodePlan {
  std::string name;
  std::string host;       ///< name or address; by default 127.0.0.1
  std::uint16_t port{0};  ///< 0: reached through a local socket
  std::optional<ClusterIndex> cluster;
  std::vector<std::string>
      launch;  ///< argv prefix that starts a command on the node; empty means the local machine
  Priority priority{Priority::normal};  ///< of its server
  /// The numbers of its dynamic processes; nullopt means an equal share (dynamic_numbers).
  std::optional<ProcessRange> dynamic{};
  [[nodiscard]] std::string endpoint() const;
};

struct ClusterPlan {
  std::string name;
  std::optional<NodeIndex> gateway;  ///< traffic from outside the cluster passes through its server
};

/// A process of the application.
struct ProcessPlan {
  std::string name;
  NodeIndex node;
  std::uint16_t port{0};  ///< 0 if reached through a local socket, if at all
  /// Empty if the process is without a server, because other processes do not use its elements.
  std::string endpoint;
  std::optional<JobMember> member{};  ///< of a process without a pathmap that belongs to an MPI job
};

/// A thread of the application.
struct ApplicationThread {
  ProcessIndex process;
};

/// Represents a joint as the user of its uplink, the path from the joint to its parent joint. It has the name
/// of the joint, which contains a '/', and the same host. No thread of the application can take its place.
struct JointUser {
  JointIndex joint;
  Host host;
};

/// Represents a scope part (see ScopePartPlan) as the user of the part's paths. Runs on the server of `node`.
struct PartUser {
  PartIndex part;
  NodeIndex node;
};

/// A user of paths. Plan::threads holds the threads of the application first, then one user for each joint
/// with an uplink, then one for each scope part.
struct ThreadPlan {
  std::string name;
  std::variant<ApplicationThread, JointUser, PartUser> kind{};

  /// Returns the process or server in which its paths begin.
  [[nodiscard]] Host host() const noexcept;
  /// Returns true for a thread of the application.
  [[nodiscard]] bool is_thread() const noexcept { return std::holds_alternative<ApplicationThread>(kind); }
  /// Returns true for a thread of the application that runs in `process`.
  [[nodiscard]] bool is_thread_of(ProcessIndex process) const noexcept;
  /// Returns the joint that this user represents, if any.
  [[nodiscard]] std::optional<JointIndex> joint() const noexcept;
  /// Returns the scope part that this user represents, if any.
  [[nodiscard]] std::optional<PartIndex> part() const noexcept;
};

/// An element of the application, which keeps tuples.
struct TupleElement {
  ElementConfig config;               ///< includes the name of the element
  std::optional<std::size_t> room{};  ///< bytes for its tuples in shared memory; empty if not shared
};

/// The end of the paths to a joint. Placed and reached like an element, but without tuples.
struct JointElement {
  JointIndex joint;
};

/// The end of the path on which consumers and other scope parts pull from a scope part. It does not keep
/// tuples.
struct PartElement {
  PartIndex part;
};

/// The end of paths. Plan::elements holds the elements of the application first, then joints, then scope
/// parts.
struct ElementPlan {
  std::string name;
  Host host{};  ///< a process for a shared element, a node for a scope part
  std::variant<TupleElement, JointElement, PartElement> kind{};

  /// Returns true for an element of the application.
  [[nodiscard]] bool is_element() const noexcept { return std::holds_alternative<TupleElement>(kind); }
  /// Returns true for an element of the application in shared memory.
  [[nodiscard]] bool is_shared() const noexcept;
  /// Returns the joint that stands at this end, if any.
  [[nodiscard]] std::optional<JointIndex> joint() const noexcept;
  /// Returns the scope part that stands at this end, if any.
  [[nodiscard]] std::optional<PartIndex> part() const noexcept;
};

/// A wrapper that the pathmap puts on a path. PathPlan::stages lists wrappers from the thread to the element.
/// Remote stages and event collectors are not in the list: they follow from placement and from `traces`.
struct StagePlan {
  std::string wrapper;
  Parameters parameters;
};

/// The operations of a thread on a path, as declared in the pathmap. Not enforced. It decides the placement
/// of elements that the pathmap places with their reader or writer, and the direction of arrows in pictures.
enum class PathUse : std::uint8_t { any, write, read };
std::string_view to_string(PathUse use) noexcept;

/// The connection from one user to one end: from a thread to an element or joint, from a joint to its parent
/// joint, or from a scope part to another scope part. A path carries one operation at a time; the path of a
/// scope part carries one for each consumer.
struct PathPlan {
  std::string name;  ///< unique within the thread, such as "send/north/ne"
  ThreadIndex thread;
  ElementIndex element;
  PathUse use{PathUse::any};
  std::optional<ThreadIndex> peer;  ///< set if exactly one other thread has a path to the element
  std::vector<StagePlan> stages;
  std::vector<NodeIndex> route;    ///< gateway nodes, in order from the thread to the element
  std::vector<TraceIndex> traces;  ///< trace elements of its event collectors, in order from the thread
};

/// An inner node of the tree of a collective operation. When all its children have contributed, a joint sends
/// the combined contributions to its parent; it returns the result that comes back to its children. A joint,
/// its paths and their trace elements are the internal node of figure 2b of the EventSpace paper:
///
///     children[i], CollectPoint::thread    times as the child sees them; a thread's contribution view
///     children[i], CollectPoint::element   start: the child arrives at the joint; end: it departs
///     uplink,      CollectPoint::thread    start: all children have arrived; end: the parent's result is
///     here
struct JointPlan {
  std::string name;  ///< "sum" is the root, "sum/n1", "sum/n1/p0", "sum/n1/+1" are below it
  CollectiveIndex collective;
  ElementIndex element;             ///< its ElementPlan gives the host
  std::vector<PathIndex> children;  ///< the paths to the joint, in the order in which it combines
  std::optional<PathIndex> uplink;  ///< the path to the parent joint; empty for the root
};

/// A collective operation. Its records have Verb::exchange. Their parameter is the number of the operation,
/// counted from 1 and the same for all participants.
struct CollectivePlan {
  std::string name;
  CollectiveKind kind{CollectiveKind::barrier};
  Signature signature;                  ///< of one contribution; empty for a barrier
  std::vector<std::string> combine;     ///< one for each field; empty if the kind does not combine
  std::vector<PathIndex> participants;  ///< in the order of the threads
  std::optional<std::size_t> root;      ///< position in `participants`; set only for kinds with a root
  std::vector<JointIndex> joints;       ///< the root first, parents before their children
};

/// A scope part: a subtree of a scope's tree that one server runs. Only scopes with `collect:`, whose own
/// paths are recorded, have their parts in the plan. The trace elements of a part lie in the segment of its
/// server and record the start and end of each pull:
///
///     answer,  CollectPoint::element   start: the pull arrives at the part; end: its view is complete
///     asks[i], CollectPoint::thread    start: the part pulls from a part on another server; end: the view of
///                                      that part has arrived (network time included)
///
/// asks[i] leads to the element of that other part.
struct ScopePartPlan {
  std::string name;   ///< "scopes/heartbeat/n1"; its user and its element have the same name
  std::string scope;  ///< "heartbeat"
  NodeIndex node;
  ThreadIndex thread;
  ElementIndex element;
  PathIndex answer;             ///< the path on which others pull from this part
  std::vector<PathIndex> asks;  ///< its paths to parts on other servers, numbered from `answer` + 1
};

/// The position of an event collector on its path. The values appear in records (RecordHeader::point); values
/// above `element` are points between stages, see after_stage. Records of other processes can have any value.
enum class CollectPoint : std::uint16_t {
  thread = 0,  ///< the first stage: records times as the thread sees them, network included
  element = 1  ///< the last stage before the element or joint, in the process that hosts it
};
/// Returns the word for a point, one of point_names; "?" for other values.
std::string_view to_string(CollectPoint point) noexcept;

/// Event collectors can follow each of this many stages of a path: the names of points are part of the names
/// of trace elements, whose length is limited.
inline constexpr std::size_t max_collected_stages = 9;
/// Returns the point directly after a stage of PathPlan::stages, in the thread's process. `stage` counts from
/// 1 and is at most max_collected_stages. The point after the last stage is before the network.
constexpr CollectPoint after_stage(std::size_t stage) noexcept {
  return static_cast<CollectPoint>(static_cast<std::size_t>(CollectPoint::element) + stage);
}

/// An event collector and the trace element that it writes.
struct TracePlan {
  std::string name;  ///< "THREAD/PATH@POINT"
  PathIndex path;
  CollectPoint point{CollectPoint::thread};
  std::uint32_t threshold{200};
  Host host{};                        ///< the trace element is in this host's segment
  std::optional<AnnexIndex> annex{};  ///< empty if in the segment itself
};

/// An additional file of each process's segment, for trace elements with a separate lifetime or place.
struct AnnexPlan {
  std::string name;
  /// Absolute, on the machine of the process; empty means the directory of segments.
  std::filesystem::path directory{};
  std::optional<std::chrono::nanoseconds> keep{};  ///< instead of LimitsPlan::keep
};

/// The bounds under `limits:` of a pathmap, with their defaults.
struct LimitsPlan {
  std::size_t message_bytes{64u << 20};  ///< largest message sent or accepted
  std::size_t open_targets{4096};        ///< elements and scopes open at one server, over all its peers
  std::size_t connections{1024};         ///< peers that one server keeps track of
  std::chrono::nanoseconds lease{std::chrono::seconds(60)};  ///< an unused target is freed after this time
  std::chrono::nanoseconds keep{std::chrono::hours(1)};      ///< a dead process's segment is kept this long
};

/// See the top of this file. `paths` is sorted by thread and `traces` by path, so that the entries of one
/// thread are adjacent.
struct Plan {
  std::string name;              ///< of the application; also the default name of a session
  bool has_pathmap{true};        ///< false for sessions without one, see pathmaps/plan/session_plan.h
  std::uint64_t fingerprint{0};  ///< equal for plans whose numbers have the same meaning
  /// Like `fingerprint`, but also covers the numbers of scopes' own paths. Programs that run scopes compare
  /// it. Equal to `fingerprint` if no scope has recorded paths.
  std::uint64_t scopes_fingerprint{0};
  std::vector<std::string> command;  ///< the default command of `eventspace run`
  bool keys{true};                   ///< false (`security: none`): connections over networks are without keys
  std::filesystem::path key_file{};  ///< of these keys; empty: see use_session_keys
  bool collect{true};                ///< false: paths are made without event collectors; `traces` is the same
  StampOrder stamps{StampOrder::plain};  ///< of all event collectors
  LimitsPlan limits;
  IndexedVector<ClusterPlan> clusters;
  IndexedVector<NodePlan> nodes;
  IndexedVector<ProcessPlan> processes;
  IndexedVector<ThreadPlan> threads;
  IndexedVector<ElementPlan> elements;
  IndexedVector<PathPlan> paths;
  IndexedVector<TracePlan> traces;
  IndexedVector<AnnexPlan> annexes;
  IndexedVector<JointPlan> joints;
  IndexedVector<CollectivePlan> collectives;
  std::vector<ScopeTree> scopes;
  /// For a pathmap that is kept in a recording: the scopes of the recorded pathmap that were left out because
  /// it names shared objects (whole_pathmap).
  std::vector<std::string> scopes_left_out{};
  IndexedVector<ScopePartPlan> parts;      ///< only of scopes with `collect:`
  std::vector<ScopeWrapperInfo> wrappers;  ///< from shared objects; the only member that contains code

  /// Each returns the entry with this name, or nullopt (nullptr) for an unknown name. Linear in the number of
  /// entries. Pointers are valid as long as the plan.
  [[nodiscard]] std::optional<NodeIndex> find_node(std::string_view node) const noexcept;
  [[nodiscard]] std::optional<ProcessIndex> find_process(std::string_view process) const noexcept;
  [[nodiscard]] std::optional<ThreadIndex> find_thread(std::string_view thread) const noexcept;
  [[nodiscard]] const CollectivePlan* find_collective(std::string_view collective) const noexcept;
  [[nodiscard]] const ScopeTree* find_scope(std::string_view scope) const noexcept;

  /// Returns the directories of all annexes with a separate directory.
  [[nodiscard]] std::vector<std::filesystem::path> annex_directories() const;
  /// Returns the node on which `host` runs.
  [[nodiscard]] NodeIndex node_of(const Host& host) const noexcept;
  /// Returns the element, joint or scope part at the end of `path`.
  [[nodiscard]] const ElementPlan& end_of(PathIndex path) const noexcept {
    return elements[paths[path].element];
  }
  /// Returns the trace element of the event collector at `point` of `path`; nullopt if there is no collector.
  [[nodiscard]] std::optional<TraceIndex> trace_at(PathIndex path, CollectPoint point) const noexcept;
  /// Returns true if `path` is a scope's own path, that is, leads to a scope part.
  [[nodiscard]] bool is_of_scope(PathIndex path) const noexcept { return end_of(path).part().has_value(); }
  /// Return the numbers of threads and elements of the application, without joints and scope parts.
  [[nodiscard]] std::size_t thread_count() const noexcept;
  [[nodiscard]] std::size_t element_count() const noexcept;
  /// Returns the number of paths without the scopes' own paths. Includes the uplinks of joints.
  [[nodiscard]] std::size_t path_count() const noexcept;
};

}  // namespace eventspace

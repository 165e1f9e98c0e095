#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "collectors/stamp.h"
#include "pathmaps/plan/index.h"
#include "paths/joints/collective.h"
#include "paths/parameters/parameters.h"
#include "scopes/tree/scope_tree.h"
#include "scopes/wrappers/scope_wrapper.h"
#include "tuplespace/element.h"

namespace eventspace {

/// What a pathmap says once everything is expanded: generators have run, names are resolved to numbers,
/// defaults are filled in. Pure data. Parts refer to each other by index into the vectors of Plan, and each
/// kind of part has an index type of its own (pathmaps/plan/index.h). The same pathmap gives the same plan,
/// numbers included, on every machine: numbers travel in records, as plain integers.
///
/// A plan is not changed once it is made; then any number of threads may read it.

struct ClusterPlan;
struct NodePlan;
struct ProcessPlan;
struct ThreadPlan;
struct ElementPlan;
struct PathPlan;
struct TracePlan;
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
using JointIndex = Index<JointPlan>;
using CollectiveIndex = Index<CollectivePlan>;
using PartIndex = Index<ScopePartPlan>;

/// A process of the application, or the server of a node. Either hosts elements and joints, has a segment for
/// trace elements, and is where paths begin.
using Host = std::variant<ProcessIndex, NodeIndex>;

/// "tcp://HOST:PORT"; an IPv6 address gets brackets.
std::string endpoint_of(std::string_view host, std::uint16_t port);

/// A machine, or a part of one, with a tuple server of its own.
struct NodePlan {
  std::string name;
  std::string host;  ///< name or address
  std::uint16_t port{0};
  std::optional<ClusterIndex> cluster;
  std::vector<std::string> launch;  ///< argv prefix that starts a command there; empty: on this machine
  [[nodiscard]] std::string endpoint() const;
};

struct ClusterPlan {
  std::string name;
  std::optional<NodeIndex> gateway;  ///< the node through whose server traffic from outside passes
};

/// A process of the application.
struct ProcessPlan {
  std::string name;
  NodeIndex node;
  std::uint16_t port{0};  ///< 0: it has no server, because no other process uses its elements
  std::string endpoint;   ///< empty when port is 0
};

/// A thread of the application.
struct ApplicationThread {
  ProcessIndex process;
};

/// Stands for a joint as the user of the joint's uplink, its path to the joint above. Has the joint's name,
/// which contains a '/', and runs where the joint is. No thread of an application can become it.
struct JointUser {
  JointIndex joint;
  Host host;
};

/// Stands for a part of a scope as the user of the part's paths. It runs on the server of `node`.
struct PartUser {
  PartIndex part;
  NodeIndex node;
};

/// A user of paths. In Plan::threads the threads of the application come first, then the users that stand for
/// joints, then those that stand for parts of scopes.
struct ThreadPlan {
  std::string name;
  std::variant<ApplicationThread, JointUser, PartUser> kind{};

  /// Where its paths begin.
  [[nodiscard]] Host host() const noexcept;
  /// Whether it is a thread of the application.
  [[nodiscard]] bool is_thread() const noexcept { return std::holds_alternative<ApplicationThread>(kind); }
  /// Whether it is a thread of the application, in this process.
  [[nodiscard]] bool is_thread_of(ProcessIndex process) const noexcept;
  /// The joint that it stands for, if it stands for one.
  [[nodiscard]] std::optional<JointIndex> joint() const noexcept;
  /// The part of a scope that it stands for, if it stands for one.
  [[nodiscard]] std::optional<PartIndex> part() const noexcept;
};

/// An element of the application: keeps tuples.
struct TupleElement {
  ElementConfig config;               ///< with the name of the element
  std::optional<std::size_t> room{};  ///< bytes for its tuples in shared memory; nothing: not shared
};

/// Where the paths to a joint end. Placed and reached as an element is, but keeps no tuples.
struct JointElement {
  JointIndex joint;
};

/// Where the paths end on which a part of a scope is asked. Keeps no tuples.
struct PartElement {
  PartIndex part;
};

/// The end of paths. In Plan::elements the elements of the application come first, then joints, then parts of
/// scopes.
struct ElementPlan {
  std::string name;
  Host host{};  ///< of a shared element a process; of a part of a scope a node
  std::variant<TupleElement, JointElement, PartElement> kind{};

  /// Whether it is an element of the application.
  [[nodiscard]] bool is_element() const noexcept { return std::holds_alternative<TupleElement>(kind); }
  /// Whether it is an element of the application in shared memory.
  [[nodiscard]] bool is_shared() const noexcept;
  /// The joint that it is the end of paths to, if it is one.
  [[nodiscard]] std::optional<JointIndex> joint() const noexcept;
  /// The part of a scope that is asked there, if it is one.
  [[nodiscard]] std::optional<PartIndex> part() const noexcept;
};

/// A wrapper that the pathmap puts on a path. A path lists its wrappers from the thread on, without remote
/// stages and event collectors: these follow from placement and from `traces`.
struct StagePlan {
  std::string wrapper;
  Parameters parameters;
};

/// The operations of a thread on a path, as far as the pathmap says. Not enforced. Placement beside the
/// reader or the writer, and the direction of arrows in pictures, depend on it.
enum class PathUse : std::uint8_t { any, write, read };
std::string_view to_string(PathUse use) noexcept;

/// How one user reaches one end: a thread an element or a joint, a joint the joint above, a part of a scope
/// another part. A path carries one operation at a time; the path of a part of a scope one for each consumer.
struct PathPlan {
  std::string name;  ///< unique for its thread, such as "send/north/ne"
  ThreadIndex thread;
  ElementIndex element;
  PathUse use{PathUse::any};
  std::optional<ThreadIndex> peer;  ///< the one other thread with a path to the element, if there is just one
  std::vector<StagePlan> stages;
  std::vector<NodeIndex> route;    ///< gateway nodes between the thread and the element, in passing order
  std::vector<TraceIndex> traces;  ///< its event collectors' trace elements, in the order of the path
};

/// Where the paths of a collective operation meet. When the last contribution has come, the joint passes all
/// of them on up, combined; it hands down the result that comes back. Joint, paths and trace elements are the
/// internal node of figure 2b of the EventSpace paper:
///
///     children[i], CollectPoint::thread    as the child sees it: of a thread, its contribution view
///     children[i], CollectPoint::element   arrival (start) and departure (end) of that child at this joint
///     uplink,      CollectPoint::thread    start: all have arrived; end: the result from above is here
struct JointPlan {
  std::string name;  ///< "sum" is the root, "sum/n1", "sum/n1/p0", "sum/n1/+1" are below it
  CollectiveIndex collective;
  ElementIndex element;             ///< says where it is
  std::vector<PathIndex> children;  ///< paths that lead to it, in the order in which it combines
  std::optional<PathIndex> uplink;  ///< its own path to the joint above; nothing: this is the root
};

/// A collective operation. Its records have Verb::exchange, and as their parameter the number of the
/// operation, from 1 and the same for all participants.
struct CollectivePlan {
  std::string name;
  CollectiveKind kind{CollectiveKind::barrier};
  Signature signature;                  ///< of one contribution; none for a barrier
  std::vector<std::string> combine;     ///< for each field, when the kind combines
  std::vector<PathIndex> participants;  ///< in the order of the threads
  std::optional<std::size_t> root;      ///< position in `participants`; only for kinds with a root
  std::vector<JointIndex> joints;       ///< parents before their children, the root first
};

/// A part of a scope that a server runs. The plan has the parts of scopes whose own paths are recorded
/// (`collect:` of a scope). The part's trace elements, all in the segment of that server, record when each
/// pull began and ended:
///
///     answer, CollectPoint::element   from when the part is asked until it has put its view together
///     asks[i], CollectPoint::thread   from when the part asks another one until that one's view has come,
///     the
///                                     network included; asks[i] leads to the other part's element
struct ScopePartPlan {
  std::string name;   ///< "scopes/heartbeat/n1", of its thread and its element
  std::string scope;  ///< "heartbeat"
  NodeIndex node;
  ThreadIndex thread;
  ElementIndex element;
  PathIndex answer;             ///< the path on which it is asked
  std::vector<PathIndex> asks;  ///< its paths to parts on other servers; they follow on `answer`
};

/// Where on its path an event collector sits.
enum class CollectPoint : std::uint8_t {
  thread = 0,  ///< first stage: times as the thread sees them, the network included
  element = 1  ///< last stage before the element or joint, in the process that hosts it
};
std::string_view to_string(CollectPoint point) noexcept;

struct TracePlan {
  std::string name;  ///< "THREAD/PATH@POINT"
  PathIndex path;
  CollectPoint point{CollectPoint::thread};
  std::uint32_t threshold{200};
  Host host{};  ///< whose segment holds it
};

/// Bounds with a name in the pathmap (`limits:`).
struct LimitsPlan {
  std::size_t message_bytes{64u << 20};  ///< largest message sent or accepted
  std::size_t open_targets{4096};        ///< elements and scopes that the peers of one server have open
  std::size_t connections{1024};         ///< peers that one server keeps track of
  std::chrono::nanoseconds lease{std::chrono::seconds(60)};  ///< an open target unused for so long is freed
  std::chrono::nanoseconds keep{std::chrono::hours(1)};      ///< how long a dead process's segment is kept
};

/// `paths` are sorted by thread, and `traces` by path, so that those of one thread stand together.
struct Plan {
  std::string name;              ///< of the application; also the default name of a session
  std::uint64_t fingerprint{0};  ///< equal for plans whose numbers mean the same; pathmaps/plan/fingerprint.h
  /// The same with the numbers of the paths of scopes: for programs that run scopes. Equal to `fingerprint`
  /// in a plan without such paths.
  std::uint64_t scopes_fingerprint{0};
  std::vector<std::string> command;  ///< what `eventspace run` starts when it is given no command
  bool collect{true};  ///< false: no event collector stands on any path; `traces` are numbered all the same
  StampOrder stamps{StampOrder::plain};  ///< of all event collectors
  LimitsPlan limits;
  IndexedVector<ClusterPlan> clusters;
  IndexedVector<NodePlan> nodes;
  IndexedVector<ProcessPlan> processes;
  IndexedVector<ThreadPlan> threads;
  IndexedVector<ElementPlan> elements;
  IndexedVector<PathPlan> paths;
  IndexedVector<TracePlan> traces;
  IndexedVector<JointPlan> joints;
  IndexedVector<CollectivePlan> collectives;
  std::vector<ScopeTree> scopes;
  IndexedVector<ScopePartPlan> parts;      ///< of the scopes whose own paths are recorded
  std::vector<ScopeWrapperInfo> wrappers;  ///< from shared objects: the one part that is not data, but code

  [[nodiscard]] std::optional<NodeIndex> find_node(std::string_view node) const noexcept;
  [[nodiscard]] std::optional<ProcessIndex> find_process(std::string_view process) const noexcept;
  [[nodiscard]] std::optional<ThreadIndex> find_thread(std::string_view thread) const noexcept;
  [[nodiscard]] const CollectivePlan* find_collective(std::string_view collective) const noexcept;
  [[nodiscard]] const ScopeTree* find_scope(std::string_view scope) const noexcept;

  /// The node that `host` is on, or is the server of.
  [[nodiscard]] NodeIndex node_of(const Host& host) const noexcept;
  /// The end of path `path`.
  [[nodiscard]] const ElementPlan& end_of(PathIndex path) const noexcept {
    return elements[paths[path].element];
  }
  /// The trace element of the event collector at `point` of the path, if the plan has one there.
  [[nodiscard]] std::optional<TraceIndex> trace_at(PathIndex path, CollectPoint point) const noexcept;
  /// Whether path `path` is one on which a part of a scope is asked.
  [[nodiscard]] bool is_of_scope(PathIndex path) const noexcept { return end_of(path).part().has_value(); }
  /// The number of threads, and of elements, of the application: without joints and parts of scopes.
  [[nodiscard]] std::size_t thread_count() const noexcept;
  [[nodiscard]] std::size_t element_count() const noexcept;
  /// The number of paths that are not of scopes, uplinks of joints included.
  [[nodiscard]] std::size_t path_count() const noexcept;
};

}  // namespace eventspace

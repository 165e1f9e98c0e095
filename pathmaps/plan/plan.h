#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collectors/stamp.h"
#include "paths/joints/collective.h"
#include "paths/parameters/parameters.h"
#include "scopes/tree/scope_tree.h"
#include "scopes/wrappers/scope_wrapper.h"
#include "tuplespace/element.h"

namespace eventspace {

/// What a pathmap says once everything is expanded: generators have run, names are resolved to numbers,
/// defaults are filled in. Pure data; every part refers to others by index into the vectors of Plan. The
/// same pathmap gives the same plan, numbers included, on every machine: numbers travel in records.

/// "tcp://HOST:PORT"; an IPv6 address gets brackets.
std::string endpoint_of(std::string_view host, std::uint16_t port);

/// A machine, or a part of one, with a tuple server of its own.
struct NodePlan {
  std::string name;
  std::string host;  ///< name or address
  std::uint16_t port{0};
  std::optional<std::size_t> cluster;
  std::vector<std::string> launch;  ///< argv prefix that starts a command there; empty: on this machine
  [[nodiscard]] std::string endpoint() const;
};

struct ClusterPlan {
  std::string name;
  std::optional<std::size_t> gateway;  ///< the node through whose server traffic from outside passes
};

/// A process of the application.
struct ProcessPlan {
  std::string name;
  std::size_t node{0};
  std::uint16_t port{0};  ///< 0: it has no server, as no one else uses its elements
  std::string endpoint;   ///< empty when port is 0
};

/// A thread of the application; or, with `joint`, what stands for a joint where it uses a path: the user of
/// its path up. Such a one has the joint's name, which has a '/' in it, and is where the joint is; no
/// application can become it. With `part` it stands for a part of a scope in the same way. Joints come after
/// all threads, parts after all joints.
struct ThreadPlan {
  std::string name;
  std::size_t process{0};               ///< meaningless with `server`
  std::optional<std::size_t> joint{};   ///< in Plan::joints
  std::optional<std::size_t> server{};  ///< a joint, or a part, on the server of this node
  std::optional<std::size_t> part{};    ///< in Plan::parts
  /// Whether it is one of the application.
  [[nodiscard]] bool is_thread() const noexcept { return !joint && !part; }
};

/// An element of the application, hosted by one process, or by the server of one node; or, with `joint`, a
/// joint, which is placed and reached as an element is but keeps no tuples: the name of `config` is that of
/// the joint, its signature that of the collective, and nothing else in it counts. With `part` it stands for
/// a part of a scope, where the paths end on which that is asked; nothing but its name and node counts.
/// Joints come after all elements, parts after all joints.
struct ElementPlan {
  ElementConfig config;
  std::optional<std::size_t> process;
  std::optional<std::size_t> node;     ///< exactly one of the two is set
  std::optional<std::size_t> room{};   ///< a shared element of its process, with so many bytes for its tuples
  std::optional<std::size_t> joint{};  ///< in Plan::joints
  std::optional<std::size_t> part{};   ///< in Plan::parts
  /// Whether it is one of the application.
  [[nodiscard]] bool is_element() const noexcept { return !joint && !part; }
};

/// A wrapper that the pathmap puts on a path, from the thread on; the remote stages and event collectors
/// are not listed, they follow from placement and from `traces`.
struct StagePlan {
  std::string wrapper;
  Parameters parameters;
};

/// What a thread does through a path, as far as the pathmap says; nobody enforces it. Placement beside the
/// reader or the writer, and pictures, go by it.
enum class PathUse : std::uint8_t { any, write, read };
std::string_view to_string(PathUse use) noexcept;

/// How one thread uses one element or takes part in a collective operation, or how a joint does. A path
/// carries one operation at a time; but the paths of scopes' parts one for each consumer.
struct PathPlan {
  std::string name;  ///< unique for its thread, such as "send/north/ne"
  std::size_t thread{0};
  std::size_t element{0};
  PathUse use{PathUse::any};
  std::optional<std::size_t> peer;  ///< the one other thread with a path to the element, if just one
  std::vector<StagePlan> stages;
  std::vector<std::size_t> route;   ///< gateway nodes between the thread and the element, in passing order
  std::vector<std::size_t> traces;  ///< its event collectors' trace elements, in the order of the path
};

/// Where the paths of a collective operation meet. The last contribution to come is passed on up, combined
/// with the others; what comes back is handed down. Joint, paths and trace elements are the internal node of
/// figure 2b of the EventSpace paper:
///
///     children[i], CollectPoint::thread    what the child feels: of a thread, its contribution view
///     children[i], CollectPoint::element   arrival (start) and departure (end) of that child at this joint
///     uplink,      CollectPoint::thread    start: all have arrived; end: what came from above is here
struct JointPlan {
  std::string name;  ///< "sum" is the root, "sum/n1", "sum/n1/p0", "sum/n1/+1" are below it
  std::size_t collective{0};
  std::size_t element{0};             ///< says where it is
  std::vector<std::size_t> children;  ///< paths that lead to it, in the order in which it combines
  std::optional<std::size_t> uplink;  ///< its own path to the joint above; nothing: this is the root
};

/// A collective operation. Its records have Verb::exchange, and the number of the operation, from 1 and the
/// same for all who take part in it, as their parameter.
struct CollectivePlan {
  std::string name;
  CollectiveKind kind{CollectiveKind::barrier};
  Signature signature;                    ///< of one contribution; none for a barrier
  std::vector<std::string> combine;       ///< for each field, when the kind combines
  std::vector<std::size_t> participants;  ///< paths, in the order of the threads
  std::optional<std::size_t> root;        ///< which of the participants; only for kinds with a root
  std::vector<std::size_t> joints;        ///< parents before their children, the root first
};

/// A part of a scope that a server runs, of a scope whose own paths are recorded (`collect:` of a scope). Its
/// trace elements, all in the segment of that server, say of each pull when it began and ended:
///
///     answer, CollectPoint::element   here: from when the part is asked until it has put its view together
///     asks[i], CollectPoint::thread   here: from when another part is asked until its view has come; the
///                                     network included. asks[i] leads to that part's element
struct ScopePartPlan {
  std::string name;   ///< "scopes/heartbeat/n1", of its thread and its element
  std::string scope;  ///< "heartbeat"
  std::size_t node{0};
  std::size_t thread{0};
  std::size_t element{0};
  std::size_t answer{0};          ///< the path on which it is asked
  std::vector<std::size_t> asks;  ///< its paths to parts on other servers; they follow on `answer`
};

/// Where on its path an event collector sits.
enum class CollectPoint : std::uint8_t {
  thread = 0,  ///< first stage: what the thread feels, the network included
  element = 1  ///< last stage before the element or joint, in the process that hosts it
};
std::string_view to_string(CollectPoint point) noexcept;

struct TracePlan {
  std::string name;  ///< "THREAD/PATH@POINT"
  std::size_t path{0};
  CollectPoint point{CollectPoint::thread};
  std::uint32_t threshold{200};
  std::optional<std::size_t> process;  ///< whose segment holds it; nothing: the server of `node`
  std::size_t node{0};                 ///< where that segment is
};

/// Bounds with a name in the pathmap (`limits:`).
struct LimitsPlan {
  std::size_t message_bytes{64u << 20};  ///< largest message sent or accepted
  std::size_t open_targets{4096};        ///< elements and scopes that the peers of one server have open
  std::size_t connections{1024};         ///< peers that one server keeps track of
  std::chrono::nanoseconds lease{std::chrono::seconds(60)};  ///< an open target unused for so long is freed
  std::chrono::nanoseconds keep{std::chrono::hours(1)};      ///< how long a dead process's segment is kept
};

/// `paths` are sorted by thread, and `traces` by path, so that the ones of a thread are neighbours.
struct Plan {
  std::string name;              ///< of the application; also the default name of a session
  std::uint64_t fingerprint{0};  ///< equal for plans whose numbers mean the same; pathmaps/plan/fingerprint.h
  /// The same, the numbers of the paths of scopes included: for who runs scopes. Without such paths it is the
  /// fingerprint.
  std::uint64_t scopes_fingerprint{0};
  std::vector<std::string> command;  ///< what `eventspace run` starts when it is given no command
  bool collect{true};  ///< false: no event collector stands on any path; `traces` are numbered all the same
  StampOrder stamps{StampOrder::plain};  ///< of all event collectors
  LimitsPlan limits;
  std::vector<ClusterPlan> clusters;
  std::vector<NodePlan> nodes;
  std::vector<ProcessPlan> processes;
  std::vector<ThreadPlan> threads;
  std::vector<ElementPlan> elements;
  std::vector<PathPlan> paths;
  std::vector<TracePlan> traces;
  std::vector<JointPlan> joints;
  std::vector<CollectivePlan> collectives;
  std::vector<ScopeTree> scopes;
  std::vector<ScopePartPlan> parts;        ///< of the scopes whose own paths are recorded
  std::vector<ScopeWrapperInfo> wrappers;  ///< from shared objects: the one part that is not data, but code

  [[nodiscard]] std::optional<std::size_t> find_node(std::string_view node) const noexcept;
  [[nodiscard]] std::optional<std::size_t> find_process(std::string_view process) const noexcept;
  [[nodiscard]] std::optional<std::size_t> find_thread(std::string_view thread) const noexcept;
  [[nodiscard]] const CollectivePlan* find_collective(std::string_view collective) const noexcept;
  [[nodiscard]] const ScopeTree* find_scope(std::string_view scope) const noexcept;

  /// The joint that path `path` leads to, if it does not lead to an element.
  [[nodiscard]] std::optional<std::size_t> joint_at(std::size_t path) const noexcept {
    return elements[paths[path].element].joint;
  }
  /// Whether path `path` is one on which a part of a scope is asked.
  [[nodiscard]] bool is_of_scope(std::size_t path) const noexcept {
    return elements[paths[path].element].part.has_value();
  }
  /// How many there are of the application: but for joints and parts of scopes.
  [[nodiscard]] std::size_t thread_count() const noexcept;
  [[nodiscard]] std::size_t element_count() const noexcept;
  /// The paths that are not of scopes, uplinks of joints included.
  [[nodiscard]] std::size_t path_count() const noexcept;
};

}  // namespace eventspace

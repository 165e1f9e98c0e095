#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collectors/stamp.h"
#include "paths/parameters.h"
#include "scopes/scope_tree.h"
#include "scopes/scope_wrappers.h"
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

struct ThreadPlan {
  std::string name;
  std::size_t process{0};
};

/// An element of the application, hosted by one process, or by the server of one node.
struct ElementPlan {
  ElementConfig config;
  std::optional<std::size_t> process;
  std::optional<std::size_t> node;    ///< exactly one of the two is set
  std::optional<std::size_t> room{};  ///< a shared element of its process, with so many bytes for its tuples
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

/// How one thread uses one element. A path carries one operation at a time.
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

/// Where on its path an event collector sits.
enum class CollectPoint : std::uint8_t {
  thread = 0,  ///< first stage: what the thread feels, the network included
  element = 1  ///< last stage before the element, in the process that hosts it
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
  std::string name;                  ///< of the application; also the default name of a session
  std::uint64_t fingerprint{0};      ///< equal for plans whose numbers mean the same; pathmaps/fingerprint.h
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
  std::vector<ScopeTree> scopes;
  std::vector<ScopeWrapperInfo> wrappers;  ///< from shared objects: the one part that is not data, but code

  [[nodiscard]] std::optional<std::size_t> find_node(std::string_view node) const noexcept;
  [[nodiscard]] std::optional<std::size_t> find_process(std::string_view process) const noexcept;
  [[nodiscard]] std::optional<std::size_t> find_thread(std::string_view thread) const noexcept;
  [[nodiscard]] const ScopeTree* find_scope(std::string_view scope) const noexcept;
};

}  // namespace eventspace

#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <eventspace/extend.h>
#include "paths/views/view.h"
#include "scopes/tree/local_ids.h"

namespace eventspace {

/// A trace element that a scope reads, identified by its numbers in the plan (pathmaps/plan/plan.h).
struct SourceRef {
  std::uint32_t trace{0};
  std::uint32_t process{0};  ///< whose segment holds it; node servers are numbered after the processes
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 sees a null pointer in it
  friend auto operator<=>(const SourceRef&, const SourceRef&) = default;
};

/// How a node of a gather tree pulls from its children.
enum class Asking : std::uint8_t {
  overlapped = 1,  ///< all requests first, then all replies, so that the children work at the same time
  in_turn = 2,     ///< one child after the other, each when the previous one has answered or is late
  threads = 3  ///< as overlapped, and several threads do the work of the children that run in this process
};

/// How a node treats a child that has not answered in time.
enum class WhenLate : std::uint8_t {
  partial = 1,  ///< lists the child as missing and drops the late answer; the next pull asks it again
  wait = 2,     ///< ignores the time-outs of the children and waits until its own deadline
  skip = 3  ///< lists the child as missing, and skips it in later pulls until its answer arrives or a rest is
            ///< over; the rest doubles each time that the child is late again, up to a bound
};

/// One node of a gather tree: a wrapper that combines the views of its children, or reads its sources.
///
/// A tree is plain data. It is made from a pathmap and sent to the servers that run parts of it; build_scope
/// (scopes/scope_builder.h) turns it into stages there. A node has either children or sources, never both;
/// only the wrapper "read" has sources.
struct ScopeNode {
  std::string name;     ///< for messages and drawings, such as "node n1" or "thread t17"
  std::string wrapper;  ///< registered name: read, gather, merge, reduce, filter, sort ...
  Parameters parameters;
  std::string node;      ///< the pathmap's node whose server runs it; empty: it runs where its parent does
  std::string endpoint;  ///< of that server, such as "tcp://127.0.0.1:7101"; empty if `node` is
  std::vector<std::string> route;      ///< endpoints of the servers on the way there, outermost first
  std::chrono::nanoseconds timeout{};  ///< how long its parent waits for it; 0: until its own deadline
  /// For a part that a server runs: the part of the parent's waiting time that is reserved for that server to
  /// get a processor, as its priority is low. A server without a connection gets this much less.
  std::chrono::nanoseconds allowance{};
  Asking asking{Asking::overlapped};
  std::uint32_t threads{1};  ///< for Asking::threads, 1 to max_asking_threads
  WhenLate when_late{WhenLate::partial};
  /// For WhenLate::skip: the first rest of a late child, and the maximum.
  std::chrono::nanoseconds first_skip{std::chrono::milliseconds(100)};
  std::chrono::nanoseconds longest_skip{std::chrono::seconds(10)};
  std::vector<ScopeNode> children;
  std::vector<SourceRef> sources;
  /// For a node with sources: also reads all dynamic processes of the session with a number of this range,
  /// with all their trace elements. An empty range means none.
  ProcessRange dynamic{};
  /// For the root of a part that a server runs: numbers in the plan of the paths on which its pulls are
  /// recorded; none: pulls are not recorded.
  std::optional<std::uint32_t> ask_path{};     ///< recorded by the server that runs its parent
  std::optional<std::uint32_t> answer_path{};  ///< recorded by the server that runs the part
};

/// The largest ScopeNode::threads; servers refuse trees with more.
inline constexpr std::uint32_t max_asking_threads = 256;

/// A scope, or the part of one that a server runs. `fingerprint` is the plan's fingerprint; a server with
/// another plan, or of another session, refuses the tree.
struct ScopeTree {
  std::string scope;
  std::uint64_t fingerprint{0};
  bool next{false};  ///< false: each pull reads the newest event of every source; true: its unread events
  std::uint32_t batch{1000};  ///< the most records of one source in one pull
  /// The maximum number of unread records in one pull; 0 means only limited by `batch`. Each "read" node has
  /// a share in proportion to the number of its sources, at least one record.
  std::uint64_t most{0};
  /// Unread records begin with records that ended at most this long before the first pull; without a value,
  /// with the oldest kept record.
  std::optional<std::chrono::nanoseconds> since{};
  ScopeNode root;
  /// Also reads the probes (include/eventspace/probe.h) of the threads whose trace elements it
  /// reads; with the first thread of a process also the probes of dynamic threads. Dynamic processes are
  /// always read with their probes.
  bool probes{false};
  /// The number of pulls kept for each path of the consumer's own part; 0 means that they are not recorded.
  /// Used in the consumer's process only, so it is not sent to servers.
  std::uint32_t consumer_pulls{0};
  /// Read positions at which unread records begin, for sources that were read through another tree before.
  /// Sources without an entry begin according to `since`.
  std::vector<ReadPosition> resume{};
  /// Makes the scope a subscription: a pull ends when there is news, and servers poll at this interval while
  /// it is under way (scopes/gathering/subscription_stage.h); within ScopeBounds. 0: a pull reads at once.
  std::chrono::nanoseconds look{0};
  /// The session in which the scope was opened; set by the consumer.
  std::string session{};
};

/// Returns the number of sources of `node` and all nodes below it.
std::size_t count_sources(const ScopeNode& node) noexcept;
/// Returns whether all nodes below `node` run in the same place as `node`.
bool runs_in_one_place(const ScopeNode& node) noexcept;
/// Returns the same tree without servers: all of it runs where its root does, and its pulls are not recorded.
ScopeTree in_one_place(ScopeTree tree);
/// Returns whether `node`, or a node below it, reads dynamic processes.
bool reads_dynamic(const ScopeNode& node) noexcept;
/// Returns the weight of `node` when the records of a pull are shared out: the number of its sources, and 64
/// for the dynamic processes, whose number of trace elements is not known.
std::size_t weight_of(const ScopeNode& node) noexcept;
/// Returns the share of `node` in the `most` records of a tree whose root has the weight `all`; 0 if `most`
/// is 0 (unlimited).
std::uint64_t share_of(const ScopeNode& node, std::uint64_t most, std::size_t all) noexcept;

}  // namespace eventspace

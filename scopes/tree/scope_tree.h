#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "paths/parameters/parameters.h"
#include "paths/views/view.h"

namespace eventspace {

/// A trace element that a scope reads, by its numbers in the plan (pathmaps/plan/plan.h).
struct SourceRef {
  std::uint32_t trace{0};
  std::uint32_t process{0};  ///< in whose segment it is; node servers are numbered after the processes
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 sees a null pointer in it
  friend auto operator<=>(const SourceRef&, const SourceRef&) = default;
};

/// How a node of a gather tree asks its children.
enum class Asking : std::uint8_t {
  overlapped = 1,  ///< requests first, then replies: what the children do goes on side by side
  in_turn = 2,     ///< each when the one before it is done or late: gentle, and slow
  threads = 3  ///< as overlapped; and several threads do the work of those children that run in this process
};

/// What a node does about a child that has not answered when its time is up.
enum class WhenLate : std::uint8_t {
  partial = 1,  ///< gives the answer up and names the child as missing; the next pull asks it again
  wait = 2,     ///< time-outs of the children do not count: it waits as long as it may take itself
  skip = 3  ///< names the child as missing, and does without it until its answer has come, or some time has
            ///< passed: twice as long as the last time, up to a bound
};

/// One node of a gather tree: a wrapper that combines what its children, or its sources, yield.
///
/// A tree is pure data: it is built from a pathmap, sent to the servers that run parts of it, and made into
/// stages there (scopes/scope_builder.h). A node has either children or sources, never both; only
/// the wrapper "read" has sources.
struct ScopeNode {
  std::string name;     ///< for messages and pictures, such as "node n1" or "thread t17"
  std::string wrapper;  ///< registered name: read, gather, merge, reduce, filter, sort ...
  Parameters parameters;
  std::string node;                ///< the pathmap's node whose server runs it; empty: where its parent runs
  std::string endpoint;            ///< that server's, such as "tcp://127.0.0.1:7101"; empty with `node`
  std::vector<std::string> route;  ///< endpoints of the servers to pass on the way there, outermost first
  std::chrono::nanoseconds
      timeout{};  ///< how long its parent waits for it at most; 0: as long as the parent has
  Asking asking{Asking::overlapped};
  std::uint32_t threads{1};  ///< for Asking::threads
  WhenLate when_late{WhenLate::partial};
  std::chrono::nanoseconds first_skip{std::chrono::milliseconds(100)};  ///< for WhenLate::skip
  std::chrono::nanoseconds longest_skip{std::chrono::seconds(10)};      ///< the same
  std::vector<ScopeNode> children;
  std::vector<SourceRef> sources;
  /// Of a part that a server runs: the paths, by number in the plan, on which its pulls are recorded;
  /// nothing: they are not.
  std::optional<std::uint32_t> ask_path{};     ///< by the server that runs its parent
  std::optional<std::uint32_t> answer_path{};  ///< by its own
};

/// More threads than that are for no machine.
inline constexpr std::uint32_t most_asking_threads = 256;

/// A whole scope. `fingerprint` is the plan's: a server with another plan refuses the tree.
struct ScopeTree {
  std::string scope;
  std::uint64_t fingerprint{0};
  bool next{false};  ///< false: each pull reads the newest event of every source; true: the unread ones
  std::uint32_t batch{1000};  ///< records of one source in one pull, at most
  /// Unread records in one pull, at most; 0: no bound but `batch`. Each read has a share by the number of its
  /// sources, of at least one record.
  std::uint64_t most{0};
  /// How far before the first pull unread records begin: those that ended since. Nothing: all that are kept.
  std::optional<std::chrono::nanoseconds> since{};
  ScopeNode root;
  /// Where unread records begin that were read through another tree before; of sources without an entry as
  /// `since` says.
  std::vector<ReadPosition> resume{};
};

std::size_t count_sources(const ScopeNode& node) noexcept;
/// Whether everything below `node` runs where it does.
bool runs_in_one_place(const ScopeNode& node) noexcept;
/// What `node` may take of the `most` records that a tree with `all` sources may.
std::uint64_t share_of(const ScopeNode& node, std::uint64_t most, std::size_t all) noexcept;

}  // namespace eventspace

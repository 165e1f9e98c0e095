#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "paths/parameters.h"

namespace eventspace {

/// A trace element that a scope reads, by its numbers in the plan (pathmaps/plan.h).
struct SourceRef {
  std::uint32_t trace{0};
  std::uint32_t process{0};  ///< in whose segment it is; node servers are numbered after the processes
  friend bool operator==(const SourceRef&, const SourceRef&) = default;
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
  std::vector<ScopeNode> children;
  std::vector<SourceRef> sources;
};

/// A whole scope. `fingerprint` is the plan's: a server with another plan refuses the tree.
struct ScopeTree {
  std::string scope;
  std::uint64_t fingerprint{0};
  bool next{false};  ///< false: each pull reads the newest event of every source; true: the unread ones
  std::uint32_t batch{1000};  ///< records of one source in one pull, at most
  ScopeNode root;
};

std::size_t count_sources(const ScopeNode& node) noexcept;

}  // namespace eventspace

#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "scopes/tree/scope_tree.h"

namespace eventspace::tune {

/// The kinds of work of a pull through a tree. Each unit of a kind costs about the same.
enum class Cost : std::size_t {
  pull,     ///< 1: the fixed cost of a pull
  hop,      ///< round trips between servers, one after the other
  message,  ///< requests sent and answers read, including those through gateways
  child,    ///< parts that run where their parent runs
  record,   ///< records passed from a part to the one above; counted three times between servers
  crew      ///< nodes of the tree that use threads
};
inline constexpr std::size_t costs = 6;
std::string_view to_string(Cost cost) noexcept;

using Counts = std::array<double, costs>;

/// The work of a pull. `on_the_way`: along the longest way through the tree, counting work that servers do in
/// parallel once. `in_all`: over the whole tree. The time of servers that share processors lies between the
/// two.
struct TreeWork {
  Counts on_the_way{};
  Counts in_all{};
  friend bool operator==(const TreeWork&, const TreeWork&) = default;
};

/// Computes the work of a pull. The numbers of records are unknown: each source counts as one record, a
/// filter passes all, and a reduce passes as many as it keeps. Pure.
TreeWork work_of(const ScopeTree& tree);

/// Typical costs in seconds. A fit starts from these, so that costs that no measurement distinguishes get
/// plausible shares.
inline constexpr Counts usual_seconds{50e-6, 100e-6, 20e-6, 3e-6, 0.2e-6, 20e-6};

}  // namespace eventspace::tune

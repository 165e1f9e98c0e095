#pragma once

// Private to monitors/.

#include <array>
#include <cstddef>
#include <string_view>

#include "scopes/tree/scope_tree.h"

namespace eventspace::tune {

/// What one pull through a tree has to do, as counts of things that cost about the same each.
enum class Cost : std::size_t {
  pull,     ///< one: what every pull costs
  hop,      ///< from server to server and back, one after the other
  message,  ///< requests sent and answers read, through gateways too
  child,    ///< parts asked where their parent runs
  record,   ///< records handed on from a part to the one above; three times when they pass between servers
  crew      ///< nodes that have threads do the work
};
inline constexpr std::size_t costs = 6;
std::string_view to_string(Cost cost) noexcept;

using Counts = std::array<double, costs>;

/// `on_the_way`: along the longest way through the tree, what servers do side by side counted once. `in_all`:
/// summed over the whole tree. Servers that share processors are somewhere between.
struct TreeWork {
  Counts on_the_way{};
  Counts in_all{};
  friend bool operator==(const TreeWork&, const TreeWork&) = default;
};

/// Pure arithmetic. How many records a source yields is not known: it counts as one; reduces yield what they
/// keep, filters all.
TreeWork work_of(const ScopeTree& tree);

/// What each costs, in seconds, on some machine: where a fit begins, so that what no measurement tells apart
/// has plausible shares.
inline constexpr Counts usual_seconds{50e-6, 100e-6, 20e-6, 3e-6, 0.2e-6, 20e-6};

}  // namespace eventspace::tune

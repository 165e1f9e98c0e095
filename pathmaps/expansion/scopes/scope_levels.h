#pragma once

// Private to pathmaps/.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "pathmaps/expansion/draft.h"
#include "pathmaps/expansion/scopes/scope_wrapping.h"
#include "pathmaps/reading/mapping.h"

namespace eventspace::expansion {

/// What the trace elements of one node of a scope tree have in common, from the coarse to the fine. All but
/// `thread` go by where the trace element lies; `thread` goes by whose path it is on.
enum class Group : std::uint8_t { all, cluster, node, process, thread };
std::string_view to_string(Group group) noexcept;

/// Where the wrappers of a level run.
enum class Site : std::uint8_t {
  consumer,  ///< in the monitor
  gateway,   ///< on the gateway of the group's cluster
  server,    ///< on the server of the group's node
  node       ///< on a node named by the pathmap
};

/// Where the nodes run that are inserted so that none has more than `arity` children.
enum class Spread : std::uint8_t {
  here,     ///< where their level does
  children  ///< each with the first of its children that all others may send their data to
};

inline constexpr std::int64_t least_arity = 2;
inline constexpr std::int64_t most_arity = 1024;

/// Where a level of `group` runs when the pathmap does not say.
Site default_site(Group group) noexcept;

/// One level of a scope, checked.
struct ScopeLevel {
  Group group{Group::all};
  Site site{Site::consumer};
  std::optional<NodeIndex> node;     ///< for Site::node
  std::optional<std::size_t> arity;  ///< nothing: each node asks all that is below it
  Spread spread{Spread::children};
  ScopeWrapping wrapping;
  Place place;
};

/// `levels:` of a scope whose whole time is `timeout`. Reports what is wrong with each level, their order and
/// their sites.
std::vector<ScopeLevel> read_levels(const reading::Mapping& scope, std::chrono::nanoseconds timeout,
                                    const Draft& draft);

}  // namespace eventspace::expansion

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "pathmaps/expansion/draft.h"
#include "pathmaps/expansion/scopes/scope_wrapping.h"
#include "pathmaps/reading/mapping.h"

namespace eventspace::expansion {

/// The property that all trace elements below a node of a scope tree share. From coarse to fine. `thread`
/// refers to the thread whose path is recorded, the others to the segment that holds the trace element.
enum class Group : std::uint8_t { all, cluster, node, process, thread };
std::string_view to_string(Group group) noexcept;

/// The place in which the wrappers of a level run.
enum class Site : std::uint8_t {
  consumer,  ///< in the monitor
  gateway,   ///< on the gateway of the group's cluster
  server,    ///< on the server of the group's node
  node       ///< on a node named by the pathmap
};

/// The place of the nodes that are inserted into a level so that none has more than `arity` children.
enum class Spread : std::uint8_t {
  here,     ///< the site of the level
  children  ///< the place of the first child to which all other children may send views (may_flow)
};

inline constexpr std::int64_t min_arity = 2;
inline constexpr std::int64_t max_arity = 1024;

/// Returns the site of a level of `group` without `on:`.
Site default_site(Group group) noexcept;

/// A level of a scope, without faults.
struct ScopeLevel {
  Group group{Group::all};
  Site site{Site::consumer};
  std::optional<NodeIndex> node;     ///< for Site::node
  std::optional<std::size_t> arity;  ///< the most children of a node; empty means unlimited
  Spread spread{Spread::children};
  ScopeWrapping wrapping;
  Place place;
};

/// Reads `levels:` of a scope whose `timeout:` is `timeout`. Reports faults in the levels, in their order,
/// and in their sites.
std::vector<ScopeLevel> read_levels(const reading::Mapping& scope, std::chrono::nanoseconds timeout,
                                    const Draft& draft);

}  // namespace eventspace::expansion

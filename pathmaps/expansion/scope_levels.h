#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pathmaps/expansion/draft.h"
#include "pathmaps/reading/mapping.h"
#include "scopes/scope_tree.h"

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

struct LevelWrapper {
  std::string name;
  Parameters parameters;
};

/// One level of a scope, checked.
struct ScopeLevel {
  Group group{Group::all};
  Site site{Site::consumer};
  std::optional<std::size_t> node;     ///< for Site::node
  std::vector<LevelWrapper> wrappers;  ///< in the order in which the data flows; the first combines
  std::chrono::nanoseconds timeout{};  ///< 0: as long as the level above has
  Asking asking{Asking::overlapped};   ///< how its wrappers ask what is below
  std::uint32_t threads{1};
  WhenLate when_late{WhenLate::partial};
  std::chrono::nanoseconds longest_skip{std::chrono::seconds(10)};
  Place place;
  Place timeout_place;
  Place ask_place;
};

/// `levels:` of a scope whose whole time is `timeout`. Reports what is wrong with each level, their order and
/// their sites.
std::vector<ScopeLevel> read_levels(const reading::Mapping& scope, std::chrono::nanoseconds timeout,
                                    const Draft& draft);

}  // namespace eventspace::expansion

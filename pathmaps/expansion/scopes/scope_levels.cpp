#include "pathmaps/expansion/scopes/scope_levels.h"

#include <fmt/format.h>

#include <algorithm>

namespace eventspace::expansion {

using reading::Mapping;

namespace {

constexpr std::array<std::pair<std::string_view, Group>, 5> group_words{{{"all", Group::all},
                                                                         {"cluster", Group::cluster},
                                                                         {"node", Group::node},
                                                                         {"process", Group::process},
                                                                         {"thread", Group::thread}}};

constexpr std::array<std::pair<std::string_view, Spread>, 2> spread_words{
    {{"here", Spread::here}, {"children", Spread::children}}};

// Returns the distance of a site from the consumer. A level must not be farther from it than the level below,
// because views move only towards the consumer.
int depth_of(Site site) {
  if (site == Site::consumer) return 0;
  return site == Site::server ? 2 : 1;
}

class LevelReader {
 public:
  LevelReader(const reading::Value& value, std::chrono::nanoseconds timeout, const Draft& draft)
      : draft_(draft), level_(&value, reading::level_shape, draft.faults), scope_timeout_(timeout) {}

  /// Returns nullopt if the group of the level is invalid.
  std::optional<ScopeLevel> read() {
    const auto group = level_.choice("group", group_words);
    if (!group) return std::nullopt;
    ScopeLevel level;
    level.group = *group;
    level.site = default_site(*group);
    level.place = level_.place("group");
    if (const auto on = level_.word("on")) read_site(*on, level);
    read_arity(level);
    level.wrapping = read_wrapping(level_, "level", scope_timeout_, draft_);
    return level;
  }

 private:
  void read_arity(ScopeLevel& level) {
    if (const auto arity = level_.integer("arity", {min_arity, max_arity}))
      level.arity = static_cast<std::size_t>(*arity);
    if (level_.find("spread") == nullptr) return;
    level.spread = level_.choice("spread", spread_words).value_or(Spread::children);
    if (level_.find("arity") == nullptr)
      draft_.faults.add(level_.place("spread"),
                        "'spread' places the nodes that 'arity' inserts, and this level has no 'arity'");
  }

  void read_site(const Word& on, ScopeLevel& level) {
    level.place = on.place;
    if (on.text == "consumer") {
      level.site = Site::consumer;
    } else if (on.text == "gateway") {
      level.site = Site::gateway;
      if (level.group != Group::cluster) fault_site(on, level.group, "gateway is only for group cluster");
    } else if (on.text == "server") {
      level.site = Site::server;
      if (level.group < Group::node)
        fault_site(on, level.group, "server is only for groups node, process and thread");
    } else {
      level.site = Site::node;
      level.node = draft_.nodes.find(on.text);
      if (!level.node)
        fault_site(on, level.group, "allowed: consumer, gateway, server or the name of a node");
    }
  }

  void fault_site(const Word& on, Group group, std::string_view allowed) {
    draft_.faults.add(on.place,
                      fmt::format("found '{}' for 'on' of group {}; {}", on.text, to_string(group), allowed));
  }

  const Draft& draft_;
  Mapping level_;
  std::chrono::nanoseconds scope_timeout_;
};

void check_order(const ScopeLevel& above, const ScopeLevel& level, Faults& faults) {
  if (level.group <= above.group)
    faults.add(level.place, fmt::format("group {} cannot follow group {}; the order is all, cluster, node, "
                                        "process, thread, each at most once",
                                        to_string(level.group), to_string(above.group)));
  else if (depth_of(level.site) < depth_of(above.site))
    faults.add(level.place,
               "the level above is closer to the servers; data goes from the servers through gateways and "
               "nodes to the consumer, never back");
}

}  // namespace

std::string_view to_string(Group group) noexcept {
  return group_words.at(static_cast<std::size_t>(group)).first;
}

Site default_site(Group group) noexcept {
  if (group == Group::all) return Site::consumer;
  return group == Group::cluster ? Site::gateway : Site::server;
}

std::vector<ScopeLevel> read_levels(const Mapping& scope, std::chrono::nanoseconds timeout,
                                    const Draft& draft) {
  std::vector<ScopeLevel> levels;
  for (const auto* item : scope.items("levels")) {
    auto level = LevelReader(*item, timeout, draft).read();
    if (!level) continue;
    if (!levels.empty()) {
      check_order(levels.back(), *level, draft.faults);
      check_timeout(levels.back().wrapping, level->wrapping, draft.faults);
    }
    if (levels.empty() && level->group != Group::all)
      draft.faults.add(level->place, fmt::format("found group {} at the first level; expected all",
                                                 to_string(level->group)));
    levels.push_back(std::move(*level));
  }
  if (scope.is_empty("levels"))
    draft.faults.add(scope.place("levels"), "found no levels; a scope needs at least a level of group all");
  return levels;
}

}  // namespace eventspace::expansion

#include "pathmaps/expansion/scope_levels.h"

#include <fmt/format.h>

#include <algorithm>

#include "pathmaps/reading/parameters.h"
#include "paths/nearest.h"
#include "scopes/scope_wrappers.h"
#include "scopes/unknown_names.h"
#include "tuplespace/error.h"

namespace eventspace::expansion {

using reading::Mapping;
using namespace std::chrono_literals;

namespace {

constexpr std::array<std::pair<std::string_view, Group>, 5> group_words{{{"all", Group::all},
                                                                         {"cluster", Group::cluster},
                                                                         {"node", Group::node},
                                                                         {"process", Group::process},
                                                                         {"thread", Group::thread}}};

constexpr std::array<std::pair<std::string_view, Asking>, 2> ask_words{
    {{"overlapped", Asking::overlapped}, {"in-turn", Asking::in_turn}}};
constexpr std::array<std::pair<std::string_view, WhenLate>, 3> late_words{
    {{"partial", WhenLate::partial}, {"wait", WhenLate::wait}, {"skip", WhenLate::skip}}};

Site default_site(Group group) {
  if (group == Group::all) return Site::consumer;
  return group == Group::cluster ? Site::gateway : Site::server;
}

/// How far from the consumer a site is; data never goes back out.
int depth_of(Site site) {
  if (site == Site::consumer) return 0;
  return site == Site::server ? 2 : 1;
}

class LevelReader {
 public:
  LevelReader(const reading::Value& value, std::chrono::nanoseconds timeout, const Draft& draft)
      : draft_(draft), level_(&value, reading::level_shape, draft.faults), scope_timeout_(timeout) {}

  /// Nothing when the level does not even say its group.
  std::optional<ScopeLevel> read() {
    const auto group = level_.choice("group", group_words);
    if (!group) return std::nullopt;
    ScopeLevel level;
    level.group = *group;
    level.site = default_site(*group);
    level.place = level_.place("group");
    if (const auto on = level_.word("on")) read_site(*on, level);
    level.wrappers = read_wrappers();
    if (const auto timeout = level_.duration("timeout", {1ms, scope_timeout_})) level.timeout = *timeout;
    level.timeout_place = level_.place("timeout");
    if (const auto* const ask = level_.find("ask")) read_asking(*ask, level);
    if (const auto* const late = level_.find("late")) read_lateness(*late, level);
    return level;
  }

 private:
  /// A word, or {threads: N}.
  void read_asking(const reading::Value& ask, ScopeLevel& level) {
    level.ask_place = ask.place;
    if (ask.kind == reading::Value::Kind::mapping) {
      const Mapping threads(&ask, reading::asking_shape, draft_.faults);
      level.asking = Asking::threads;
      const auto given = threads.integer("threads", {1, most_asking_threads});
      level.threads = static_cast<std::uint32_t>(given.value_or(1));
      return;
    }
    const auto word = level_.word("ask");
    if (word && word->text == "threads") {
      draft_.faults.add(word->place, "'threads' does not say how many; expected {threads: N}");
    } else if (word) {
      level.asking = level_.choose(*word, "ask", ask_words).value_or(Asking::overlapped);
    }
  }

  /// A word, or {skip: DURATION}.
  void read_lateness(const reading::Value& late, ScopeLevel& level) {
    if (late.kind != reading::Value::Kind::mapping) {
      level.when_late = level_.choice("late", late_words).value_or(WhenLate::partial);
      return;
    }
    const Mapping skip(&late, reading::lateness_shape, draft_.faults);
    level.when_late = WhenLate::skip;
    if (const auto longest = skip.duration("skip", {1ms, 1h})) level.longest_skip = *longest;
  }

  void read_site(const Word& on, ScopeLevel& level) {
    level.place = on.place;
    if (on.text == "consumer") {
      level.site = Site::consumer;
    } else if (on.text == "gateway") {
      level.site = Site::gateway;
      if (level.group != Group::cluster) fault_site(on, level.group, "gateway goes with group cluster");
    } else if (on.text == "server") {
      level.site = Site::server;
      if (level.group < Group::node)
        fault_site(on, level.group, "server goes with groups node, process and thread");
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

  std::vector<LevelWrapper> read_wrappers() {
    const auto* const one = level_.find("wrapper");
    const bool several = level_.find("wrappers") != nullptr;
    if ((one != nullptr) == several) {
      draft_.faults.add(level_.place(), fmt::format("found {} in level; expected one of them",
                                                    several ? "both 'wrapper' and 'wrappers'"
                                                            : "neither 'wrapper' nor 'wrappers'"));
      return {};
    }
    std::vector<const reading::Value*> values;
    if (one != nullptr) values.push_back(one);
    for (const auto* value : level_.items("wrappers")) values.push_back(value);
    if (level_.is_empty("wrappers"))
      draft_.faults.add(level_.place("wrappers"), "there is no wrapper; a level needs at least one");
    return read_wrappers(values);
  }

  std::vector<LevelWrapper> read_wrappers(const std::vector<const reading::Value*>& values) {
    std::vector<LevelWrapper> wrappers;
    for (const auto* value : values) {
      const bool first = value == values.front();
      if (auto wrapper = read_wrapper(*value, first)) wrappers.push_back(std::move(*wrapper));
    }
    return wrappers;
  }

  std::optional<LevelWrapper> read_wrapper(const reading::Value& value, bool first) {
    const auto named = reading::read_named(value, "wrapper", draft_.faults);
    if (!named) return std::nullopt;
    const auto* const info = find_scope_wrapper(named->name.text);
    if (info == nullptr) return fault_unknown(named->name);
    if (first && !info->combines)
      draft_.faults.add(named->name.place,
                        fmt::format("'{}' takes one source only; the first wrapper of a level combines: "
                                    "put a gather, merge or reduce before it",
                                    named->name.text));
    auto parameters = read_parameters(*named, info->parameters, draft_.faults);
    if (!parameters || !can_make(*info, *parameters, named->name)) return std::nullopt;
    return LevelWrapper{named->name.text, std::move(*parameters)};
  }

  /// What only the wrapper itself knows to be wrong, such as a malformed pattern, shows when one is made.
  bool can_make(const ScopeWrapperInfo& info, const Parameters& parameters, const Word& name) {
    try {
      const UnknownNames names;
      return info.make(parameters, names) != nullptr;
    } catch (const ConfigurationError& error) {
      draft_.faults.add(name.place, error.what());
      return false;
    }
  }

  std::nullopt_t fault_unknown(const Word& name) {
    std::vector<std::string_view> known;
    for (const auto& info : scope_wrappers()) known.push_back(info.name);
    draft_.faults.add(name.place,
                      fmt::format("unknown scope wrapper '{}'{}", name.text, hint(name.text, known)));
    return std::nullopt;
  }

  const Draft& draft_;
  Mapping level_;
  std::chrono::nanoseconds scope_timeout_;
};

void check_order(const ScopeLevel& above, const ScopeLevel& level, Faults& faults) {
  if (level.group <= above.group)
    faults.add(
        level.place,
        fmt::format("group {} cannot follow group {}; the order is all, cluster, node, process, thread, "
                    "each once at most",
                    to_string(level.group), to_string(above.group)));
  else if (depth_of(level.site) < depth_of(above.site))
    faults.add(
        level.place,
        "the level above runs further inside; data goes from the servers over gateways and nodes to the "
        "consumer, never back");
}

void check_timeout(const ScopeLevel& above, const ScopeLevel& level, Faults& faults) {
  if (above.when_late == WhenLate::wait && level.timeout.count() > 0)
    faults.add(level.timeout_place,
               "the level above has 'late: wait' and would not heed this 'timeout'; leave one of them out");
}

}  // namespace

std::string_view to_string(Group group) noexcept {
  return group_words.at(static_cast<std::size_t>(group)).first;
}

std::vector<ScopeLevel> read_levels(const Mapping& scope, std::chrono::nanoseconds timeout,
                                    const Draft& draft) {
  std::vector<ScopeLevel> levels;
  for (const auto* item : scope.items("levels")) {
    auto level = LevelReader(*item, timeout, draft).read();
    if (!level) continue;
    if (!levels.empty()) {
      check_order(levels.back(), *level, draft.faults);
      check_timeout(levels.back(), *level, draft.faults);
    }
    if (levels.empty() && level->group != Group::all)
      draft.faults.add(level->place, fmt::format("found group {} at the first level; expected all",
                                                 to_string(level->group)));
    levels.push_back(std::move(*level));
  }
  if (scope.is_empty("levels"))
    draft.faults.add(scope.place("levels"), "there is no level; a scope needs at least the one of group all");
  return levels;
}

}  // namespace eventspace::expansion

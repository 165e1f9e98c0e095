#include "pathmaps/expansion/joint_levels.h"

#include <fmt/format.h>

#include "pathmaps/reading/keys.h"

namespace eventspace::expansion {

using reading::Mapping;

namespace {

constexpr reading::IntegerRange arity_range{2, 10'000};

std::optional<JointLevel> read_level(const reading::Value& value, reading::Faults& faults) {
  const Mapping mapping(&value, reading::joint_level_shape, faults);
  JointLevel level;
  level.place = mapping.place();
  level.on = mapping.word("on");
  if (const auto arity = mapping.integer("arity", arity_range))
    level.arity = static_cast<std::size_t>(*arity);
  const auto group = mapping.choice("group", joint_group_words);
  if (!group) return std::nullopt;
  level.group = *group;
  return level;
}

std::string_view word_of(JointGroup group) {
  return joint_group_words.at(static_cast<std::size_t>(group)).first;
}

void check_order(const std::vector<JointLevel>& levels, const JointLevel& next, reading::Faults& faults) {
  if (levels.empty() && next.group != JointGroup::all) {
    faults.add(next.place,
               fmt::format("found group {} at the first level; expected all", word_of(next.group)));
  } else if (!levels.empty() && next.group <= levels.back().group) {
    faults.add(
        next.place,
        fmt::format(
            "group {} cannot follow group {}; the order is all, cluster, node, process, each at most once",
            word_of(next.group), word_of(levels.back().group)));
  }
}

}  // namespace

std::vector<JointLevel> read_joint_levels(const Mapping& collective) {
  std::vector<JointLevel> levels;
  for (const auto* item : collective.items("levels")) {
    auto level = read_level(*item, collective.faults());
    if (!level) continue;
    check_order(levels, *level, collective.faults());
    levels.push_back(std::move(*level));
  }
  if (collective.is_empty("levels"))
    collective.faults().add(collective.place("levels"),
                            "found no levels; a collective needs at least a level of group all");
  if (levels.empty()) levels.push_back({.on = {}, .arity = {}, .place = collective.place()});
  return levels;
}

}  // namespace eventspace::expansion

#pragma once

// Private to pathmaps/.

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "pathmaps/plan/plan.h"
#include "pathmaps/reading/mapping.h"

namespace eventspace::expansion {

/// What the participants below one joint of a level have in common, from the coarse to the fine.
enum class JointGroup : std::uint8_t { all, cluster, node, process };
inline constexpr std::array<std::pair<std::string_view, JointGroup>, 4> joint_group_words{
    {{"all", JointGroup::all},
     {"cluster", JointGroup::cluster},
     {"node", JointGroup::node},
     {"process", JointGroup::process}}};

/// One level of the joints of a collective.
struct JointLevel {
  JointGroup group{JointGroup::all};
  std::optional<reading::Word> on;   ///< where its joints are; nothing: with the first thread below each
  std::optional<std::size_t> arity;  ///< a joint has no more children
  reading::Place place;
};

/// The description of a collective in the pathmap, as far as it is not in Plan::collectives.
struct CollectiveOutline {
  reading::Place place;
  ElementIndex element;  ///< that of the root joint
  std::string path;      ///< the name of its paths
  std::optional<reading::Word> root;
  std::vector<JointLevel> levels;  ///< at least one, the first of group all
};

/// `levels:` of a collective; one of group all when there are none.
std::vector<JointLevel> read_joint_levels(const reading::Mapping& collective);

}  // namespace eventspace::expansion

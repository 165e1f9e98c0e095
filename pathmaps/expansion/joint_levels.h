#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "pathmaps/plan/plan.h"
#include "pathmaps/reading/mapping.h"

namespace eventspace::expansion {

/// The property that all participants below a joint of a level share. From coarse to fine.
enum class JointGroup : std::uint8_t { all, cluster, node, process };
inline constexpr std::array<std::pair<std::string_view, JointGroup>, 4> joint_group_words{
    {{"all", JointGroup::all},
     {"cluster", JointGroup::cluster},
     {"node", JointGroup::node},
     {"process", JointGroup::process}}};

/// A level of joints in the tree of a collective.
struct JointLevel {
  JointGroup group{JointGroup::all};
  std::optional<reading::Word> on;   ///< the site of its joints; empty means the process of the first thread
                                     ///< below
  std::optional<std::size_t> arity;  ///< the largest number of children of a joint; empty means unlimited
  reading::Place place;
};

/// The data of a collective in the pathmap that grow_joints needs and Plan::collectives does not hold.
struct CollectiveOutline {
  reading::Place place;
  ElementIndex element;  ///< the element of the root joint
  std::string path;      ///< the name of its paths
  std::optional<reading::Word> root;
  std::vector<JointLevel> levels;  ///< at least one; the first has JointGroup::all
};

/// Reads `levels:` of a collective. Returns a single level with JointGroup::all if the key is missing.
std::vector<JointLevel> read_joint_levels(const reading::Mapping& collective);

}  // namespace eventspace::expansion

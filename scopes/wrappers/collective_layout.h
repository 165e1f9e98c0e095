#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "scopes/tree/plan_names.h"

namespace eventspace {

/// The joints of one collective whose children are all recorded in one process, at both ends, and the paths
/// of these children. All their times are of that process's clock, so results can be computed from the
/// records of that process alone. Plain data; numbers are the plan's.
struct CollectiveLayout {
  struct Edge {
    std::uint32_t path{0};
    bool is_thread{true};
  };
  struct Joint {
    std::uint32_t number{0};
    std::vector<std::size_t> edges{};       ///< its children's paths, as indices into CollectiveLayout::edges
    std::optional<std::uint32_t> uplink{};  ///< its path to the joint above, recorded here at its lower end
  };
  std::uint32_t collective{0};
  std::uint32_t process{0};
  std::vector<Edge> edges;
  std::vector<Joint> joints;
};

/// Returns the layouts of a plan that contain at least one thread's path.
[[nodiscard]] std::vector<CollectiveLayout> collective_layouts(const PlanNames& names);

}  // namespace eventspace

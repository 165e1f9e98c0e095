#pragma once

// Private to scopes/.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "scopes/tree/plan_names.h"

namespace eventspace {

/// What of one collective lies within one process: the joints all of whose children are recorded there at
/// both ends, and those children's paths. All its times are of one clock, so whoever has the records of that
/// process can say what happened there, and needs nobody else's. Plain data; numbers are those of the plan.
struct CollectiveLayout {
  struct Edge {
    std::uint32_t path{0};
    bool is_thread{true};
  };
  struct Joint {
    std::uint32_t number{0};
    std::vector<std::size_t> edges{};  ///< into it, in CollectiveLayout::edges
    std::optional<std::uint32_t>
        uplink{};  ///< its own path, recorded here at its lower end; nothing: the root
  };
  std::uint32_t collective{0};
  std::uint32_t process{0};
  std::vector<Edge> edges;
  std::vector<Joint> joints;
};

/// All layouts of a plan in which threads contribute.
[[nodiscard]] std::vector<CollectiveLayout> collective_layouts(const PlanNames& names);

}  // namespace eventspace

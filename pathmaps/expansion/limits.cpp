#include <array>
#include <string_view>
#include <utility>

#include "pathmaps/expansion/steps.h"

namespace eventspace::expansion {

using namespace std::chrono_literals;

void read_limits(const reading::Mapping& pathmap, Draft& draft) {
  constexpr std::array kinds{std::pair(std::string_view("curve"), true),
                             std::pair(std::string_view("none"), false)};
  draft.plan.keys = pathmap.choice("security", kinds).value_or(true);
  const reading::Mapping limits(pathmap.find("limits"), reading::limits_shape, draft.faults);
  auto& plan = draft.plan.limits;
  if (const auto bytes = limits.bytes("message", {64 << 10, 1 << 30}))
    plan.message_bytes = static_cast<std::size_t>(*bytes);
  if (const auto count = limits.integer("open_targets", {1, 1 << 20}))
    plan.open_targets = static_cast<std::size_t>(*count);
  if (const auto count = limits.integer("connections", {1, 1 << 16}))
    plan.connections = static_cast<std::size_t>(*count);
  if (const auto time = limits.duration("lease", {1s, 24h})) plan.lease = *time;
  if (const auto time = limits.duration("keep", {0s, 8760h})) plan.keep = *time;
}

}  // namespace eventspace::expansion

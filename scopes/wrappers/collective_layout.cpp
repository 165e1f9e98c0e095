#include "scopes/wrappers/collective_layout.h"

#include <algorithm>
#include <map>

namespace eventspace {
namespace {

using Key = std::pair<std::uint32_t, std::uint32_t>;  // collective and process

constexpr std::uint16_t lower_end = 0, upper_end = 1;

std::optional<std::uint32_t> process_at(const PlanNames& names, std::uint32_t path, std::uint16_t point) {
  const auto source = names.source_of(path, point);
  return source ? std::optional(source->process) : std::nullopt;
}

/// One joint: the paths into it, and its uplink.
struct Meeting {
  std::uint32_t collective{0};
  std::vector<CollectivePath> children;
  std::optional<std::uint32_t> uplink;
};

std::map<std::uint32_t, Meeting> meetings_of(const PlanNames& names) {
  std::map<std::uint32_t, Meeting> meetings;
  for (const CollectivePath& path : names.collective_paths()) {
    Meeting& meeting = meetings[path.joint];
    meeting.collective = path.collective;
    meeting.children.push_back(path);
    if (path.uplink_of) meetings[*path.uplink_of].uplink = path.path;
  }
  return meetings;
}

// Returns the process that records the joint's uplink at its lower end and all its children at both ends, if
// that is one process.
std::optional<std::uint32_t> process_of(const Meeting& meeting, const PlanNames& names) {
  std::optional<std::uint32_t> process;
  if (meeting.uplink) process = process_at(names, *meeting.uplink, lower_end);
  if (meeting.uplink && !process) return std::nullopt;
  for (const CollectivePath& child : meeting.children) {
    const auto lower = process_at(names, child.path, lower_end);
    if (!process) process = lower;
    if (!lower || lower != process || process_at(names, child.path, upper_end) != process)
      return std::nullopt;
  }
  return process;
}

}  // namespace

std::vector<CollectiveLayout> collective_layouts(const PlanNames& names) {
  std::map<Key, CollectiveLayout> layouts;
  for (const auto& [number, meeting] : meetings_of(names)) {
    const auto process = process_of(meeting, names);
    if (!process) continue;
    CollectiveLayout& layout = layouts[{meeting.collective, *process}];
    layout.collective = meeting.collective;
    layout.process = *process;
    CollectiveLayout::Joint joint{number, {}, meeting.uplink};
    for (const CollectivePath& child : meeting.children) {
      joint.edges.push_back(layout.edges.size());
      layout.edges.push_back({child.path, !child.uplink_of});
    }
    layout.joints.push_back(std::move(joint));
  }
  std::vector<CollectiveLayout> all;
  for (auto& [key, layout] : layouts) {
    if (std::ranges::any_of(layout.edges, &CollectiveLayout::Edge::is_thread))
      all.push_back(std::move(layout));
  }
  return all;
}

}  // namespace eventspace

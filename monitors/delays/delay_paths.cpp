#include "monitors/delays/delay_paths.h"

#include <algorithm>
#include <variant>

namespace eventspace {
namespace {

using Paths = std::map<std::uint32_t, DelayPath>;

// The channels of an element are two successive numbers; channels of collectives follow after all of these.
constexpr std::uint64_t first_collective = std::uint64_t{1} << 40;
std::uint64_t channel_of_writes(ElementIndex element) { return std::uint64_t{2} * element.number() + 2; }
std::uint64_t channel_of_takes(ElementIndex element) { return channel_of_writes(element) + 1; }

std::uint16_t first_point(const Plan& plan, const PathPlan& path) {
  return static_cast<std::uint16_t>(plan.traces[path.traces.front()].point);
}

void describe_elements(const Plan& plan, Paths& paths) {
  struct Users {
    bool has_recorded_writer{false};
    bool has_recorded_reader{false};
    bool are_takers_recorded{true};
  };
  std::map<ElementIndex, Users> users;
  for (const PathPlan& path : plan.paths) {
    if (!plan.elements[path.element].is_element()) continue;
    Users& of = users[path.element];
    const bool is_recorded = !path.traces.empty();
    of.has_recorded_writer |= is_recorded && path.use != PathUse::read;
    of.has_recorded_reader |= is_recorded && path.use != PathUse::write;
    of.are_takers_recorded &= is_recorded || path.use == PathUse::write;
  }
  for (const PathIndex number : plan.paths.indices()) {
    const PathPlan& way = plan.paths[number];
    const ElementPlan& end = plan.elements[way.element];
    if (way.traces.empty() || !end.is_element() || !plan.threads[way.thread].is_thread()) continue;
    const ElementConfig& config = std::get<TupleElement>(end.kind).config;
    const bool waits_for_room = config.when_full == WhenFull::wait && users[way.element].are_takers_recorded;
    paths[number.number32()] = {.thread = way.thread.number32(),
                                .point = first_point(plan, way),
                                .channel = channel_of_writes(way.element),
                                .room_channel = waits_for_room ? channel_of_takes(way.element) : 0,
                                .threshold = config.threshold,
                                .are_writes_unknown = !users[way.element].has_recorded_writer,
                                .are_writes_awaited = users[way.element].has_recorded_reader};
  }
}

// If one participant is not recorded, the last arrival is not known.
void describe_collectives(const Plan& plan, Paths& paths) {
  for (const CollectiveIndex number : plan.collectives.indices()) {
    const auto& participants = plan.collectives[number].participants;
    const bool are_all_recorded = std::ranges::all_of(
        participants, [&](const PathIndex path) { return !plan.paths[path].traces.empty(); });
    for (const PathIndex path : participants) {
      const PathPlan& way = plan.paths[path];
      if (way.traces.empty()) continue;
      paths[path.number32()] = {.thread = way.thread.number32(),
                                .point = first_point(plan, way),
                                .channel = first_collective + number.number(),
                                .are_writes_unknown = !are_all_recorded,
                                .is_collective = true,
                                .participants = participants.size()};
    }
  }
}

}  // namespace

bool has_found_nothing(const EventRecord& record) noexcept {
  return record.status == Status::empty || record.status == Status::full ||
         record.status == Status::timed_out;
}

std::map<std::uint32_t, DelayPath> delay_paths(const Plan& plan) {
  Paths paths;
  describe_elements(plan, paths);
  describe_collectives(plan, paths);
  return paths;
}

}  // namespace eventspace

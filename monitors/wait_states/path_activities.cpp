#include "monitors/wait_states/path_activities.h"

#include <string>

namespace eventspace {
namespace {

// Groups of the collectives of a pathmap are numbered from here, above communicators.
constexpr std::uint32_t first_group = std::uint32_t{1} << 31;

WaitKind kind_of(CollectiveKind kind) noexcept {
  switch (kind) {
    case CollectiveKind::barrier:
      return WaitKind::barrier;
    case CollectiveKind::broadcast:
    case CollectiveKind::scatter:
      return WaitKind::late_broadcast;
    case CollectiveKind::gather:
    case CollectiveKind::reduce:
      return WaitKind::early_reduce;
    case CollectiveKind::all_reduce:
      break;
  }
  return WaitKind::n_to_n;
}

}  // namespace

PathActivities::PathActivities(RunActivities& run, ThreadActivities& threads, Partners& partners,
                               const Plan& plan)
    : run_(&run), threads_(&threads), partners_(&partners), plan_(&plan), paths_(delay_paths(plan)) {
  for (const CollectiveIndex number : plan.collectives.indices()) {
    std::uint32_t place = 0;
    for (const PathIndex path : plan.collectives[number].participants)
      members_[path.number32()] = {number.number32(), place++};
  }
}

void PathActivities::add(const exports::Slice& slice, const exports::Track& track) {
  const EventRecord record = decode(slice.event.record);
  const auto path = paths_.find(record.path);
  if (path == paths_.end() || path->second.point != record.point) return;
  const std::uint32_t location = threads_->location(slice, track, path->second.thread);
  const std::uint32_t site = run_->site(std::string(slice.name));
  if (!slice.in_flight && has_found_nothing(record))
    return threads_->hold(slice, location, site, record.path);
  const ActivityRef by = threads_->append(slice, location, site, threads_->holds(location, record.path));
  if (path->second.is_collective) return add_exchange(record, path->second, by, slice.in_flight);
  if (!slice.in_flight) add_tuple(record, path->second, by);
}

void PathActivities::add_exchange(const EventRecord& record, const DelayPath& path, const ActivityRef& by,
                                  bool in_flight) {
  const bool is_done = record.verb == Verb::exchange && (in_flight || record.status == Status::ok);
  if (!is_done || record.parameter == 0) return;
  if (path.are_writes_unknown) return run_->mark_unfollowed(by);
  const auto [collective, place] = members_.at(record.path);
  const CollectivePlan& plan = plan_->collectives[CollectiveIndex(collective)];
  const Partners::Member member{.operation = {first_group + collective, 0, record.parameter},
                                .form = {kind_of(plan.kind), plan.participants.size(),
                                         static_cast<std::uint32_t>(plan.root.value_or(0))},
                                .number = place};
  partners_->come(member, by);
  if (!in_flight) partners_->leave(member, by);
}

// A reader sees a tuple when its write ends. A write to a full element waits for the take of an older tuple.
void PathActivities::add_tuple(const EventRecord& record, const DelayPath& path, const ActivityRef& by) {
  const std::uint64_t number = record.parameter;
  if (record.status != Status::ok || number == 0) return;
  if (record.verb == Verb::write) {
    if (path.are_writes_awaited) partners_->give({path.channel, number}, by, true);
    if (path.room_channel != 0 && number > path.threshold)
      partners_->await({path.room_channel, number - path.threshold}, by, WaitKind::late_receiver);
    return;
  }
  if (record.verb != Verb::read && record.verb != Verb::take) return;
  if (path.are_writes_unknown)
    run_->mark_unfollowed(by);
  else
    partners_->await({path.channel, number}, by, WaitKind::late_sender);
  if (record.verb == Verb::take && path.room_channel != 0)
    partners_->give({path.room_channel, number}, by, true);
}

}  // namespace eventspace

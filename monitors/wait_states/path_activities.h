#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "collectors/event_record.h"
#include "monitors/delays/delay_paths.h"
#include "monitors/export/reading/model.h"
#include "monitors/wait_states/partners.h"
#include "monitors/wait_states/run_activities.h"
#include "monitors/wait_states/thread_activities.h"
#include "pathmaps/plan/plan.h"

namespace eventspace {

/// Adds the operations on the paths of a plan to a run, and links them: a read or take waits for the write of
/// its tuple (late sender), a write to a full element for the take of an older tuple (late receiver), and an
/// operation of a collective as operations of MPI do. Operations that found nothing, and the one after them
/// on the same path that did, are one. Operations on elements with writers that are not recorded may wait,
/// but are not analysed. Not thread-safe.
class PathActivities {
 public:
  /// The arguments must outlive it.
  PathActivities(RunActivities& run, ThreadActivities& threads, Partners& partners, const Plan& plan);
  void add(const exports::Slice& slice, const exports::Track& track);

 private:
  void add_exchange(const EventRecord& record, const DelayPath& path, const ActivityRef& by, bool in_flight);
  void add_tuple(const EventRecord& record, const DelayPath& path, const ActivityRef& by);

  RunActivities* run_;
  ThreadActivities* threads_;
  Partners* partners_;
  const Plan* plan_;
  std::map<std::uint32_t, DelayPath> paths_;
  std::map<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>> members_;  // collective and place, by path
};

}  // namespace eventspace

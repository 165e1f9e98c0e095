#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "monitors/export/reading/model.h"
#include "monitors/wait_states/run_activities.h"
#include "scopes/tree/plan_names.h"

namespace eventspace {

/// The calls of the threads of a recording, each thread a location, with the regions that the program has
/// named and the gaps where records were lost. Slices come in the order of their begins. Not thread-safe.
class ThreadActivities {
 public:
  /// The arguments must outlive it.
  ThreadActivities(RunActivities& run, const PlanNames& names) : run_(&run), names_(&names) {}

  void add_region(const exports::Slice& slice, const exports::Track& track);
  void lose(const exports::Track& track, const exports::LostEvents& lost);

  /// The location of thread `number`, in which the slice was recorded.
  std::uint32_t location(const exports::Slice& slice, const exports::Track& track, std::uint32_t number);
  /// Adds a call. If `finds`, it began with the calls that are held, provided that the thread spent at least
  /// half of the time since then in them. If it spent less, it computed, and the held calls are calls of
  /// their own.
  ActivityRef append(const exports::Slice& slice, std::uint32_t location, std::uint32_t site, bool finds);
  /// Holds a call that found nothing; `by` identifies the things for which it polled. Calls of one sort are
  /// held as one, on the same condition. Calls that are held are added before the next call that does not
  /// find.
  void hold(const exports::Slice& slice, std::uint32_t location, std::uint32_t site, std::uint32_t by);
  /// Whether calls of this sort are held.
  [[nodiscard]] bool holds(std::uint32_t location, std::uint32_t by) const;
  /// Call once, at the end.
  void finish();

 private:
  struct OpenRegion {
    std::int64_t end_ns{0};
    std::uint32_t name{0};
  };
  struct Thread {
    std::uint32_t location{0};
    std::vector<OpenRegion> regions{};  // the innermost last
  };
  struct Held {
    Activity activity{};
    std::uint32_t by{0};
    std::int64_t polled_ns{0};  // in these calls
    [[nodiscard]] bool lasts_until(std::int64_t begin_ns) const noexcept;
  };

  RunActivities::Clock clock_of(const exports::Slice& slice, const exports::Track& track);
  void end_regions(Thread& thread, std::int64_t before);
  void release(std::uint32_t location);

  RunActivities* run_;
  const PlanNames* names_;
  std::map<std::uint32_t, Thread> threads_;        // by number
  std::map<std::uint32_t, Held> held_;             // by location
  std::map<exports::TrackId, std::int64_t> gaps_;  // their begins, by the first track of a thread
  std::map<std::string, std::uint32_t> clocks_;
};

}  // namespace eventspace

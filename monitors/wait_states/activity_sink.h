#pragma once

#include <cstdint>
#include <map>
#include <string_view>

#include "monitors/export/reading/model.h"
#include "monitors/wait_states/mpi_activities.h"
#include "monitors/wait_states/partners.h"
#include "monitors/wait_states/path_activities.h"
#include "monitors/wait_states/run_activities.h"
#include "monitors/wait_states/thread_activities.h"
#include "pathmaps/plan/plan.h"

namespace eventspace {

/// Makes a run from the events of a recording, which exports::RecordedEvents passes: calls of MPI by the
/// ranks of the first job, and operations on the paths of a pathmap. Not thread-safe.
class ActivitySink final : public exports::Sink {
 public:
  struct Limits {
    RunActivities::Limits run{};
    Partners::Limits partners{};
  };
  /// What limits an answer.
  struct Reservations {
    std::uint64_t lost_records{0};
    std::uint64_t damaged_chunks{0};
    /// Processes that did not record all of their events. Calls that belong together cannot be found then,
    /// since calls are missing without a trace.
    std::uint64_t thinned_processes{0};
    std::uint64_t likely_ends{0};       ///< of messages, matched by likelihood, because events were lost
    std::uint64_t left_out{0};          ///< calls, links and names beyond the limits of memory
    std::uint64_t pvm_calls{0};         ///< not analysed
    std::uint64_t other_jobs_calls{0};  ///< of processes that MPI_Comm_spawn has started; not analysed
  };

  /// `plan` and `names` must outlive it.
  ActivitySink(const Plan& plan, const PlanNames& names) : ActivitySink(plan, names, Limits{}) {}
  ActivitySink(const Plan& plan, const PlanNames& names, const Limits& limits);

  using Sink::add;
  void add(const exports::Track& track) override { tracks_[track.id] = track; }
  void add(const exports::Slice& slice) override;
  void add(const exports::LostEvents& lost) override { threads_.lose(tracks_[lost.track], lost); }
  void end(const exports::Totals& totals) override;

  /// The run; complete after end().
  [[nodiscard]] const RunActivities& run() const noexcept { return run_; }
  [[nodiscard]] const Reservations& reservations() const noexcept { return reservations_; }
  /// The word for a location: "rank" or "thread".
  [[nodiscard]] std::string_view location_word() const noexcept {
    return mpi_.ranks() > 0 ? "rank" : "thread";
  }

 private:
  RunActivities run_;
  Partners partners_;
  ThreadActivities threads_;
  MpiActivities mpi_;
  PathActivities paths_;
  std::map<exports::TrackId, exports::Track> tracks_;
  Reservations reservations_;
};

}  // namespace eventspace

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "monitors/critical_path/critical_path.h"
#include "monitors/critical_path/path_profile.h"
#include "monitors/wait_states/activity_sink.h"
#include "monitors/wait_states/run_activities.h"
#include "monitors/wait_states/wait_states.h"
#include "monitors/wait_states/wait_totals.h"

namespace eventspace {

/// The wait states and the critical path of a run, in data and in words. Pure.
struct PathReport {
  /// `run` must outlive it.
  PathReport(const RunActivities& run, const ActivitySink::Reservations& reservations, std::string_view word);

  const RunActivities* run;
  ActivitySink::Reservations reservations;
  std::string_view word;  ///< for a location: "rank" or "thread"
  WaitStates found;
  WaitTotals waits;
  CriticalPath path;
  PathProfile profile;
};

/// "computation in region 'solve'", "MPI_Recv at main (app.c:12)".
std::string name_of(const RunActivities& run, const PathActivity& activity);
/// The share of the path's length below which an imbalance is not worth mentioning.
inline constexpr double least_imbalance = 0.02;
/// The activity whose imbalance costs most, and how much evening it out could save; or that there is none:
/// "rank 3's computation in region 'solve' makes up 61% of the critical path; evening it out would save at
/// most 1.2s of 8s".
std::string answer_of(const PathReport& report);
/// Sentences about the path's composition, and the waits and where they began.
std::vector<std::string> evidence_of(const PathReport& report);
/// How sure the answer is: a sentence for each thing that is not known. Empty: everything is.
std::vector<std::string> reservations_of(const PathReport& report);

}  // namespace eventspace

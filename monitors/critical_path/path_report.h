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
/// Why no activity can be named, although there is a path: not all calls were recorded, or a considerable
/// part of the path consists of waits within the error of the clocks, or of calls that are not analysed. Such
/// parts count as work, so that a location that only waited would be named. Empty if an activity can be
/// named.
std::vector<std::string> doubts_of(const PathReport& report);
/// The activity whose imbalance costs most; null without a path, and if there are doubts.
const ActivityProfile* costliest_of(const PathReport& report);
/// That activity, and how much evening it out could save: "rank 3's computation in region 'solve' makes up
/// 61% of the critical path; evening it out would save at most 1.2s of 8s". Otherwise, that the path is
/// balanced, or the doubts.
std::string answer_of(const PathReport& report);
/// Sentences about the path's composition, and the waits and where they began.
std::vector<std::string> evidence_of(const PathReport& report);
/// How sure the answer is: a sentence for each thing that is not known. Empty if everything is known.
std::vector<std::string> reservations_of(const PathReport& report);

}  // namespace eventspace

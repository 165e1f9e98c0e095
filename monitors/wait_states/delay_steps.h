#pragma once

#include "monitors/delays/delay_origins.h"
#include "monitors/wait_states/run_activities.h"
#include "monitors/wait_states/wait_states.h"

namespace eventspace {

/// Passes a run to the analysis of delays, which follows each wait to its origin. Threads are locations; the
/// tag of a step is the index of its wait in `found.waits`. Waits that are not certain are passed as none.
///
/// A location whose first call is recorded began together with the others: when it had returned from
/// MPI_Init, or else with its first call. So its first waits have origins too.
///
/// Time: n log n for n calls. Pure.
void add_delay_steps(const RunActivities& run, const WaitStates& found, DelayOrigins& origins);

}  // namespace eventspace

#pragma once

#include "monitors/mpi/call_limits.h"
#include "monitors/mpi/job_look.h"
#include "monitors/mpi/job_verdict.h"

namespace eventspace {

/// Finds out from one look which ranks of an MPI job wait without success, and why: one verdict for each
/// cause. Pure.
///
/// A call is *overdue* when it is older than the limit of its communicator. A verdict names only causes that
/// at least one overdue call waits for, directly or through others, and processes that are dead or stopped.
/// The wait-for graph (job_graph.h) decides:
///
/// - a circle from which no rank can get out (a call of several parts needs all, Waitany needs any) is a
///   cycle if it has only messages, an order if it has only collective operations, else a lost message;
/// - an operation that all members have entered is a mismatch if their calls differ;
/// - a rank that waits for nothing is absent, or alive if it had an event in the last half of the floor. Such
///   a rank may be about to enter a circle, so alive is reported only for waits that exceed their limit by a
///   quarter;
/// - a rank whose process has ended does not send any more messages.
///
/// A wait for another job is not followed (JobReport::unfollowed). Such waits are calls with
/// JobCall::crosses, and operations that all members have entered and in which processes of other jobs take
/// part (MPI_Comm_spawn; MPI_Init of a spawned job; MPI_Finalize, if there are other jobs). No verdict names
/// these ranks because others wait for them.
///
/// A series of unsuccessful polls (JobCall::is_poll) is a wait like a call. But polling for more than one
/// thing, or for a message from any rank, does not make other ranks absent or slow: a master that polls while
/// its workers compute is healthy.
///
/// The time is proportional to the ranks and their communicators' sizes, except for ranks that wait for
/// circles.
JobReport judge(const JobLook& look, const CallLimits& limits);

}  // namespace eventspace

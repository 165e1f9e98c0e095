#pragma once

// Private to monitors/.

#include "monitors/mpi/call_limits.h"
#include "monitors/mpi/job_look.h"
#include "monitors/mpi/job_verdict.h"

namespace eventspace {

/// Finds out from one look which ranks of an MPI job wait in vain, and why: a verdict for each cause. Pure.
///
/// A call is *overdue* when it is older than the limit of its communicator. There is a verdict only on what
/// at least one overdue call waits for, directly or through others, and on processes that are dead or
/// stopped. The wait-for graph (job_graph.h) decides:
///
/// - a circle from which no rank can get out (a call of several parts needs all, one such as Waitany any) is
/// a
///   cycle if it has only messages, an order if it has only collective operations, else a lost message;
/// - an operation in which all members are is a mismatch if their calls differ;
/// - a rank that waits for nothing is absent, or alive if it had an event in the last half of the floor. As
/// it
///   may be about to enter a circle, alive is said only of waits that exceed their limit by a quarter;
/// - a rank whose process has ended sends no message any more.
///
/// A wait for another job is not followed (JobReport::unfollowed): that of a call which JobCall::crosses, and
/// that of ranks which have all come to an operation that processes of other jobs take part in
/// (MPI_Comm_spawn; MPI_Init of a spawned job; MPI_Finalize, if there are other jobs). No verdict names these
/// ranks because others wait for them.
///
/// A series of calls that look in vain (JobCall::is_poll) is a wait like a call. But if it looks for more
/// than one thing, or for a message from any rank, it is not what makes a rank absent or slow: a master that
/// polls while its workers compute is healthy.
///
/// The time is proportional to the ranks and their communicators' sizes, except for ranks that wait for
/// circles.
JobReport judge(const JobLook& look, const CallLimits& limits);

}  // namespace eventspace

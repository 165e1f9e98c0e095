#pragma once

#include <string_view>

namespace eventspace::metrics {

/// The definition of waiting, for metrics and all monitors that add up times. A thread waits while it is in a
/// call or operation that cannot complete before another thread has done its part:
///
/// - in MPI: receives, probes, waits for and tests of requests, collective operations, calls that begin or
///   end epochs of one-sided communication, synchronous sends, and calls that send and receive;
/// - in PVM: receives, and operations of groups;
/// - on paths: reads, takes and exchanges.
///
/// A send does not count as waiting, although a large send may last until its receive begins: a record does
/// not say how much of it was the transfer. The definition is a condition over events (docs/expressions.md);
/// the docs of metrics and of `profile` say the same in words.
inline constexpr std::string_view waiting_condition =
    "kind == 'mpi' and (verb == 'receive' or verb == 'probe' or verb == 'complete' or verb == 'look' or "
    "verb == 'window' or "
    "verb == 'collective' or call matches 'MPI_Sendrecv*' or call matches 'MPI_Ssend*') or "
    "kind == 'pvm' and not (nested == 1) and (verb == 'receive' or verb == 'group' or verb == 'look') or "
    "kind == 'operation' and point == 'thread' and (verb == 'read' or verb == 'take' or verb == 'exchange')";

}  // namespace eventspace::metrics

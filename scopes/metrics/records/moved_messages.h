#pragma once

// Private to scopes/.

#include <cstdint>
#include <span>
#include <vector>

#include "collectors/mpi/mpi_record.h"
#include "tuplespace/trace/trace_element.h"

namespace eventspace::metrics {

/// Messages of MPI that a call has received, all of one sender. Plain data.
struct ReceivedMessages {
  std::uint64_t messages{0};
  std::uint64_t bytes{0};  ///< that came, whatever room there was for them
  std::uint32_t partner{MpiCallRecord::none};
  std::uint32_t communicator{MpiCallRecord::no_communicator};
};

/// What a call of MPI, by its records, has received when it ended: a receive or a Sendrecv its message, a
/// call that completes requests those of the receives that it has completed. A non-blocking or persistent
/// receive has received nothing before it is completed, and one that has failed nothing at all.
struct Received {
  std::vector<ReceivedMessages> messages;
  std::uint64_t unknown{0};  ///< requests that were completed, and may have been receives
};
Received received_by(std::span<const TraceTuple> event);

/// The bytes that a call of MPI has sent, contributed, read or written, and received. What a call only
/// prepares counts where it is received; what is sent counts where the send begins.
std::uint64_t moved_bytes(std::span<const TraceTuple> event);

}  // namespace eventspace::metrics

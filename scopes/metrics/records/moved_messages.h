#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collectors/mpi/mpi_record.h"
#include "tuplespace/trace/trace_element.h"

namespace eventspace::metrics {

/// MPI messages from one sender that a call has received. Plain data.
struct ReceivedMessages {
  std::uint64_t messages{0};
  std::uint64_t bytes{0};  ///< that arrived, whatever room there was for them
  std::uint32_t partner{MpiCallRecord::none};
  std::uint32_t communicator{MpiCallRecord::no_communicator};
};

/// The messages that an MPI call had received when it ended, according to its records. A receive or a
/// Sendrecv receives its message; a call that completes requests receives the messages of the completed
/// receives. A non-blocking or persistent receive receives nothing before it is completed, and a failed
/// receive receives nothing.
struct Received {
  std::vector<ReceivedMessages> messages;
  std::uint64_t unknown{0};  ///< completed requests that may have been receives
};
Received received_by(std::span<const TraceTuple> event);

/// The bytes that an MPI call has sent, contributed, read or written, and received. The bytes of a prepared
/// receive count when it is completed; sent bytes count where the send begins.
std::uint64_t moved_bytes(std::span<const TraceTuple> event);

}  // namespace eventspace::metrics

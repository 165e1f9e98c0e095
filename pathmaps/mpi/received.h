#pragma once

#include <cstdint>

#include "collectors/mpi/mpi_record.h"
#include "pathmaps/mpi/weak_mpi.h"

namespace eventspace::mpi {

/// A rank, tag or count in the form of records; MpiCallRecord::none if it is negative.
constexpr std::uint32_t natural(int number) noexcept {
  return number < 0 ? MpiCallRecord::none : static_cast<std::uint32_t>(number);
}

/// Stores the byte count of a status, if it has one, in the record of the call that filled the status.
void take_bytes(const MPI_Status& status, MpiCallRecord& call) noexcept;

/// Stores the actual source, tag and bytes of the received message in the record of its receive. Without a
/// message (MPI_PROC_NULL, or a cancelled receive) only the bytes change, to 0.
void take_message(const MPI_Status& status, MpiCallRecord& receive) noexcept;

}  // namespace eventspace::mpi

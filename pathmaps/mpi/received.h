#pragma once

// Private to pathmaps/.

#include <cstdint>

#include "collectors/mpi/mpi_record.h"
#include "pathmaps/mpi/weak_mpi.h"

namespace eventspace::mpi {

/// A rank, tag or count as records have it; MpiCallRecord::none if it is negative.
constexpr std::uint32_t natural(int number) noexcept {
  return number < 0 ? MpiCallRecord::none : static_cast<std::uint32_t>(number);
}

/// Puts the bytes that a status tells into the record of the call that has filled it, if it tells them.
void take_bytes(const MPI_Status& status, MpiCallRecord& call) noexcept;

/// Puts the true source, tag and bytes of the message that a receive has received into its record. Without a
/// message, because there is no source or the receive was cancelled, only the bytes change, to 0.
void take_message(const MPI_Status& status, MpiCallRecord& receive) noexcept;

}  // namespace eventspace::mpi

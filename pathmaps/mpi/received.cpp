#include "pathmaps/mpi/received.h"

#include "pathmaps/mpi/real_mpi.h"

namespace eventspace::mpi {

void take_bytes(const MPI_Status& status, MpiCallRecord& call) noexcept {
  MPI_Count bytes = 0;
  if (real_mpi().get_elements(&status, MPI_BYTE, &bytes) == MPI_SUCCESS && bytes >= 0)
    call.bytes = static_cast<std::uint64_t>(bytes);
}

void take_message(const MPI_Status& status, MpiCallRecord& receive) noexcept {
  if (status.MPI_SOURCE < 0) {
    receive.bytes = 0;
    return;
  }
  take_bytes(status, receive);
  receive.partner = natural(status.MPI_SOURCE);
  receive.tag = natural(status.MPI_TAG);
}

}  // namespace eventspace::mpi

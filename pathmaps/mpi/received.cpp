#include "pathmaps/mpi/received.h"

#include "pathmaps/mpi/real_mpi.h"

namespace eventspace::mpi {

void take_message(const MPI_Status& status, MpiCallRecord& receive) noexcept {
  if (status.MPI_SOURCE < 0) {
    receive.bytes = 0;
    return;
  }
  MPI_Count bytes = 0;
  if (real_mpi().get_elements(&status, MPI_BYTE, &bytes) == MPI_SUCCESS && bytes >= 0)
    receive.bytes = static_cast<std::uint64_t>(bytes);
  receive.partner = natural(status.MPI_SOURCE);
  receive.tag = natural(status.MPI_TAG);
}

}  // namespace eventspace::mpi

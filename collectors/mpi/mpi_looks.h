#pragma once

// Private to collectors/.

#include "collectors/looks.h"
#include "collectors/mpi/mpi_record.h"

namespace eventspace {

/// Calls of MPI_Test and its like, and of MPI_Iprobe, that find nothing: of classes `complete` and `probe`.
struct LooksOfMpi {
  using Record = MpiCallRecord;
  static bool is_of(const MpiCallRecord& look, const MpiCallRecord& call) noexcept {
    if (look.call != call.call || look.site != call.site) return false;
    return call.of == MpiClass::complete ||
           (look.word6() == call.word6() && look.communicator == call.communicator);
  }
  // Tests of one place may look for other requests each time.
  static MpiCallRecord look_of(const MpiCallRecord& call) noexcept {
    MpiCallRecord look;
    if (call.of != MpiClass::complete) look = call;
    look.call = call.call;
    look.site = call.site;
    look.of = MpiClass::look;
    look.calls = 0;
    return look;
  }
};
using MpiLooks = Looks<LooksOfMpi>;

}  // namespace eventspace

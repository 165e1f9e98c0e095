#pragma once

#include <string>
#include <string_view>

#include "collectors/mpi/mpi_record.h"

namespace eventspace {

/// Describes a call in a few words, such as "MPI_Recv from 2 tag 7 on MPI_COMM_WORLD (4)" and
/// "MPI_Bcast #12 root 0 on MPI_COMM_WORLD (4)". `communicator`: its name.
std::string describe_mpi_call(const MpiCallRecord& call, std::string_view communicator);

}  // namespace eventspace

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "collectors/mpi/mpi_record.h"

namespace eventspace {

/// The name of the function of this number, such as "MPI_Recv"; "call 1000" for an unknown number.
std::string name_of_mpi_call(std::uint16_t number);

/// Describes a call in a few words, such as "MPI_Recv from 2 tag 7 on MPI_COMM_WORLD (4)" and "MPI_Bcast #12
/// root 0 on MPI_COMM_WORLD (4)"; for a call with requests, the first request and their number: "MPI_Waitall
/// from 2 tag 7 on MPI_COMM_WORLD (4), 3 requests". `communicator`: its name.
std::string describe_mpi_call(const MpiCallRecord& call, std::string_view communicator);

}  // namespace eventspace

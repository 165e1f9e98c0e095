#pragma once

// Replaces mpi.h: the library is also loaded into processes without MPI, where the symbols of mpi.h are
// missing.
#include <mpi.h>

#ifdef OPEN_MPI
#pragma weak ompi_mpi_comm_world
#pragma weak ompi_mpi_comm_self
#pragma weak ompi_mpi_comm_null
#pragma weak ompi_mpi_byte
#pragma weak ompi_mpi_datatype_null
#pragma weak ompi_request_null

namespace eventspace::mpi {

/// The handles of Open MPI that are addresses of its objects. A process that opens MPI with dlopen(3), as
/// Python does, lacks them when this library is loaded; real_mpi() finds them when MPI has begun.
struct PredefinedHandles {
  void* ompi_mpi_comm_world{&::ompi_mpi_comm_world};
  void* ompi_mpi_comm_self{&::ompi_mpi_comm_self};
  void* ompi_mpi_comm_null{&::ompi_mpi_comm_null};
  void* ompi_mpi_byte{&::ompi_mpi_byte};
  void* ompi_mpi_datatype_null{&::ompi_mpi_datatype_null};
  void* ompi_request_null{&::ompi_request_null};
};
extern PredefinedHandles predefined_handles;

}  // namespace eventspace::mpi

// MPI_COMM_WORLD and the like are defined with this macro.
#undef OMPI_PREDEFINED_GLOBAL
#define OMPI_PREDEFINED_GLOBAL(type, global) (static_cast<type>(::eventspace::mpi::predefined_handles.global))
#endif

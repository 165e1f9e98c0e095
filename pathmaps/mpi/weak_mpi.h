#pragma once

// Private to pathmaps/.

// In the place of mpi.h: the library is loaded into processes without MPI, too, where what mpi.h refers to is
// missing.
#include <mpi.h>

#ifdef OPEN_MPI
#pragma weak ompi_mpi_comm_world
#pragma weak ompi_mpi_comm_self
#pragma weak ompi_mpi_comm_null
#pragma weak ompi_mpi_group_null
#pragma weak ompi_mpi_byte
#pragma weak ompi_mpi_datatype_null
#pragma weak ompi_request_null
#endif

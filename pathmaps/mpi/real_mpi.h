#pragma once

// Private to pathmaps/.

#include <mpi.h>

// The library is loaded into processes without MPI, too: what mpi.h refers to may be missing there.
#ifdef OPEN_MPI
#pragma weak ompi_mpi_comm_world
#pragma weak ompi_mpi_comm_self
#pragma weak ompi_mpi_comm_null
#pragma weak ompi_mpi_group_null
#pragma weak ompi_mpi_byte
#pragma weak ompi_mpi_datatype_null
#endif

namespace eventspace::mpi {

/// Functions of MPI that this library calls. None communicates. Found by name, because the process may have
/// no MPI.
struct RealMpi {
  decltype(&PMPI_Type_size_x) type_size{nullptr};
  decltype(&PMPI_Get_elements_x) get_elements{nullptr};
  decltype(&PMPI_Error_class) error_class{nullptr};
  decltype(&PMPI_Comm_rank) comm_rank{nullptr};
  decltype(&PMPI_Comm_size) comm_size{nullptr};
  decltype(&PMPI_Comm_group) comm_group{nullptr};
  decltype(&PMPI_Comm_remote_group) comm_remote_group{nullptr};
  decltype(&PMPI_Comm_test_inter) comm_test_inter{nullptr};
  decltype(&PMPI_Group_size) group_size{nullptr};
  decltype(&PMPI_Group_translate_ranks) translate_ranks{nullptr};
  decltype(&PMPI_Group_free) group_free{nullptr};

  /// Whether all were found.
  [[nodiscard]] bool is_whole() const noexcept;
};

/// Looks for them once; thread-safe.
const RealMpi& real_mpi() noexcept;

/// Looks for a function behind this library; null if there is none.
void* find_next(const char* name) noexcept;

}  // namespace eventspace::mpi

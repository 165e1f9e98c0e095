#pragma once

#include <array>

#include "pathmaps/mpi/weak_mpi.h"

namespace eventspace::mpi {

/// Functions of MPI that this library calls, all without communication. They are looked up by name, because
/// the process may not have MPI.
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
  decltype(&PMPI_Query_thread) query_thread{nullptr};
  decltype(&PMPI_Topo_test) topo_test{nullptr};
  decltype(&PMPI_Cartdim_get) cartdim_get{nullptr};
  decltype(&PMPI_Graph_neighbors_count) graph_neighbors_count{nullptr};
  decltype(&PMPI_Dist_graph_neighbors_count) dist_graph_neighbors_count{nullptr};
  /// For Open MPI: the request that stands for all requests that are complete when they are made. May be
  /// missing.
  const void* complete_request{nullptr};

  /// Whether all functions were found.
  [[nodiscard]] bool is_whole() const noexcept;
};

/// Finds the functions, and the handles of weak_mpi.h, once, when MPI has begun. Thread-safe.
const RealMpi& real_mpi() noexcept;

/// Libraries with the functions of MPI, for a process that has opened MPI with dlopen(3).
#ifdef OPEN_MPI
inline constexpr std::array libraries_of_mpi{"libmpi.so.40", "libmpi.so"};
#else
inline constexpr std::array libraries_of_mpi{"libmpich.so.12", "libmpi.so.12"};
#endif

/// Finds a function in the libraries after this one; null if it is missing.
void* find_next(const char* name) noexcept;

}  // namespace eventspace::mpi

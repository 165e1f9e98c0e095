#include "pathmaps/mpi/real_mpi.h"

#include "pathmaps/preloading/next_function.h"

namespace eventspace::mpi {
namespace {

template <class Function>
void find(const char* name, Function& function) noexcept {
  function = reinterpret_cast<Function>(find_next(name));
}

#ifdef OPEN_MPI
void find_handle(const char* name, void*& handle) noexcept {
  if (handle == nullptr) handle = find_next(name);
}

void find_handles() noexcept {
  PredefinedHandles& all = predefined_handles;
  find_handle("ompi_mpi_comm_world", all.ompi_mpi_comm_world);
  find_handle("ompi_mpi_comm_self", all.ompi_mpi_comm_self);
  find_handle("ompi_mpi_comm_null", all.ompi_mpi_comm_null);
  find_handle("ompi_mpi_byte", all.ompi_mpi_byte);
  find_handle("ompi_mpi_datatype_null", all.ompi_mpi_datatype_null);
  find_handle("ompi_request_null", all.ompi_request_null);
}
#else
void find_handles() noexcept {}  // they are numbers
#endif

}  // namespace

#ifdef OPEN_MPI
constinit PredefinedHandles predefined_handles;
#endif

void* find_next(const char* name) noexcept { return preloading::find_next(name, libraries_of_mpi); }

bool RealMpi::is_whole() const noexcept {
  return type_size != nullptr && get_elements != nullptr && error_class != nullptr && comm_rank != nullptr &&
         comm_size != nullptr && comm_group != nullptr && comm_remote_group != nullptr &&
         comm_test_inter != nullptr && group_size != nullptr && translate_ranks != nullptr &&
         group_free != nullptr && query_thread != nullptr && topo_test != nullptr && cartdim_get != nullptr &&
         graph_neighbors_count != nullptr && dist_graph_neighbors_count != nullptr;
}

const RealMpi& real_mpi() noexcept {
  static const RealMpi real = [] {
    find_handles();
    RealMpi found;
    find("PMPI_Type_size_x", found.type_size);
    find("PMPI_Get_elements_x", found.get_elements);
    find("PMPI_Error_class", found.error_class);
    find("PMPI_Comm_rank", found.comm_rank);
    find("PMPI_Comm_size", found.comm_size);
    find("PMPI_Comm_group", found.comm_group);
    find("PMPI_Comm_remote_group", found.comm_remote_group);
    find("PMPI_Comm_test_inter", found.comm_test_inter);
    find("PMPI_Group_size", found.group_size);
    find("PMPI_Group_translate_ranks", found.translate_ranks);
    find("PMPI_Group_free", found.group_free);
    find("PMPI_Query_thread", found.query_thread);
    find("PMPI_Topo_test", found.topo_test);
    find("PMPI_Cartdim_get", found.cartdim_get);
    find("PMPI_Graph_neighbors_count", found.graph_neighbors_count);
    find("PMPI_Dist_graph_neighbors_count", found.dist_graph_neighbors_count);
    found.complete_request = find_next("ompi_request_empty");
    return found;
  }();
  return real;
}

}  // namespace eventspace::mpi

#include "pathmaps/mpi/object_calls.h"

#include <cstring>

#include "pathmaps/mpi/communicators.h"
#include "pathmaps/mpi/real_mpi.h"
#include "pathmaps/mpi/requests.h"
#include "pathmaps/mpi/windows.h"

namespace eventspace::mpi {
namespace {

bool is_made(int error, const MPI_Comm* comm) {
  return error == MPI_SUCCESS && comm != nullptr && *comm != MPI_COMM_NULL && real_mpi().is_whole();
}

}  // namespace

void has_begun_mpi(int error) noexcept {
  if (error != MPI_SUCCESS || !real_mpi().is_whole()) return;
  int level = MPI_THREAD_MULTIPLE;
  if (real_mpi().query_thread(&level) == MPI_SUCCESS && level != MPI_THREAD_MULTIPLE)
    all_requests().expect_one_thread();
  try {
    all_communicators().add_first();
  } catch (...) {  // no memory: calls are recorded without their communicators
  }
}

void has_made(const Maker& maker, int error, const MPI_Comm* comm) noexcept {
  if (!is_made(error, comm)) return;
  try {
    all_communicators().add(*comm, maker.parent, maker.call, maker.tag);
  } catch (...) {  // likewise
  }
}

void makes_later(const Maker& maker, int error, const MPI_Comm* comm) noexcept {
  if (!is_made(error, comm)) return;
  try {
    all_communicators().add_duplicate(*comm, maker.parent, maker.call);
  } catch (...) {  // likewise
  }
}

void has_made_window(const Maker& maker, int error, const MPI_Win* window) noexcept {
  if (error != MPI_SUCCESS || window == nullptr || !real_mpi().is_whole()) return;
  try {
    all_communicators().add_window(*window, maker.parent, maker.call);
  } catch (...) {  // likewise
  }
}

void gives_name(MPI_Comm comm, const char* name) noexcept {
  if (name == nullptr || all_communicators().find(comm) == nullptr) return;
  try {
    all_communicators().rename(comm, {name, ::strnlen(name, MPI_MAX_OBJECT_NAME)});
  } catch (...) {  // no memory: it keeps its name
  }
}

void frees(const MPI_Comm* comm) noexcept {
  if (comm != nullptr) all_communicators().remove(*comm);
}

void frees_window(const MPI_Win* window) noexcept {
  if (window == nullptr) return;
  all_communicators().remove_window(*window);
  all_windows().forget(*window);
}

}  // namespace eventspace::mpi

#pragma once

#include <cstdint>

#include "pathmaps/mpi/weak_mpi.h"

/// What calls of MPI do to communicators and windows: make, name and free them. Wrappers call these functions
/// after the call, with its result, except where stated. They keep Communicators and Windows current. No
/// function throws: objects for which there is no memory are not known, and calls are recorded without them.
namespace eventspace::mpi {

/// The call that makes an object, and the communicator that it makes the object from.
struct Maker {
  MPI_Comm parent{};
  std::uint16_t call{0};  ///< its number in mpi_calls.h
  std::uint32_t tag{0};   ///< MpiCallRecord::none if it has none
};

void has_begun_mpi(int error) noexcept;
void has_made(const Maker& maker, int error, const MPI_Comm* comm) noexcept;
/// The call returns before the communicator is made.
void makes_later(const Maker& maker, int error, const MPI_Comm* comm) noexcept;
void has_made_window(const Maker& maker, int error, const MPI_Win* window) noexcept;
/// The program gives the communicator a name. Called before the call.
void gives_name(MPI_Comm comm, const char* name) noexcept;
/// Called before the call, because MPI may give the handle to another object at once.
void frees(const MPI_Comm* comm) noexcept;
void frees_window(const MPI_Win* window) noexcept;

}  // namespace eventspace::mpi

#pragma once

// Private to pathmaps/.

#include <cstdint>
#include <string>

#include "collectors/mpi/mpi_recorder.h"
#include "pathmaps/preloading/joined_process.h"
#include "paths/views/view.h"

namespace eventspace::mpi {

/// The most names of communicators, and of their members, in one process; later communicators are shown as
/// "?".
inline constexpr std::uint32_t max_communicator_names = 4096;

/// A process joins the session as "PROGRAM.RANK". The rank is that of the environment in which the launcher
/// starts the process; without one the name is "PROGRAM:PID". One that MPI_Comm_spawn has started, which has
/// an MPI_COMM_WORLD of its own, is "PROGRAM.JOB:RANK", which is not taken for that rank of its parents.
using MpiThread = preloading::ThreadUse<MpiRecorder>;

/// Which job of its launcher a process belongs to that MPI_Comm_spawn has started; 0 of others.
std::uint32_t spawned_job() noexcept;
/// "JOB:RANK" of the process that has started this job: the root of its MPI_Comm_spawn, by its job and its
/// rank in MPI_COMM_WORLD. From the environment in which Open MPI starts a process; empty if that does not
/// say it, and of jobs that were not spawned. Throws if there is no memory.
std::string parent_of_job();
/// How many ranks the job has, by the environment in which the launcher starts a process; 0: not known.
std::uint32_t ranks_of_job() noexcept;

/// Gives a communicator a name, or a text of its members, in the session; or a job its parent. May call the
/// system.
void name_communicator(const OwnName& name) noexcept;

}  // namespace eventspace::mpi

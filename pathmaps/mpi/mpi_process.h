#pragma once

#include <cstdint>
#include <string>

#include "collectors/mpi/mpi_recorder.h"
#include "pathmaps/preloading/joined_process.h"
#include "paths/views/view.h"

namespace eventspace::mpi {

/// Maximum number of names of communicators, and of their members, in one process; later communicators are
/// shown as "?".
inline constexpr std::uint32_t max_communicator_names = 4096;

/// A process joins the session as "PROGRAM.RANK". The rank comes from the environment that the launcher sets;
/// without a rank the name is "PROGRAM:PID". A process that MPI_Comm_spawn has started has its own
/// MPI_COMM_WORLD and is named "PROGRAM.JOB:RANK", so it is not confused with a rank of its parents.
using MpiThread = preloading::ThreadUse<MpiRecorder>;

/// The number of this job among the jobs of its launcher if MPI_Comm_spawn has started the process; 0
/// otherwise.
std::uint32_t spawned_job() noexcept;
/// "JOB:RANK" of the process that has started this job: the root of its MPI_Comm_spawn, by its job and its
/// rank in MPI_COMM_WORLD. Read from the environment that Open MPI sets; empty if it is not there or the job
/// was not spawned. Throws if memory runs out.
std::string parent_of_job();
/// The number of ranks of the job, from the environment that the launcher sets; 0 if not known.
std::uint32_t ranks_of_job() noexcept;

/// Sets in the session the name or the member list of a communicator, or the parent of a job. May make system
/// calls.
void name_communicator(const OwnName& name) noexcept;

}  // namespace eventspace::mpi

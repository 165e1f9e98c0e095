#pragma once

// Private to pathmaps/.

#include <cstdint>

#include "collectors/mpi/mpi_recorder.h"
#include "pathmaps/preloading/joined_process.h"
#include "paths/views/view.h"

namespace eventspace::mpi {

/// The most names of communicators, and of their members, in one process; later communicators are shown as
/// "?".
inline constexpr std::uint32_t most_communicator_names = 4096;

/// A process joins the session as "PROGRAM.RANK". The rank is that of the environment in which the launcher
/// starts the process; without one the name is "PROGRAM:PID".
using MpiThread = preloading::ThreadUse<MpiRecorder>;

/// How many ranks the job has, by the environment in which the launcher starts a process; 0: not known.
std::uint32_t ranks_of_job() noexcept;

/// Gives a communicator a name, or a text of its members, in the session. May call the system.
void name_communicator(const OwnName& name) noexcept;

}  // namespace eventspace::mpi

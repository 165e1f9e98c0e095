#pragma once

// Private to pathmaps/.

#include <cstdint>
#include <string_view>

#include "collectors/mpi/mpi_recorder.h"
#include "paths/views/view.h"

namespace eventspace::mpi {

/// The newest records of calls that are kept of each thread, unless $EVENTSPACE_MPI_CALLS is another number
/// between the bounds. One takes 64 bytes.
inline constexpr std::uint32_t calls_threshold = 2000;
inline constexpr std::uint32_t least_calls_threshold = 16;
inline constexpr std::uint32_t most_calls_threshold = 500'000;
/// The most names of communicators, and of their members, in one process; later communicators are shown as
/// "?".
inline constexpr std::uint32_t most_communicator_names = 4096;

/// Joins the session of the environment without a pathmap, as process "PROGRAM.RANK", once. The rank is that
/// of the environment in which the launcher starts the process; without one the name is "PROGRAM:PID". If
/// the process cannot join, its calls are not recorded; the reason is printed if $EVENTSPACE_VERBOSE is set.
void join() noexcept;
/// Whether the process has joined, and is not a forked child of the one that has.
bool has_joined() noexcept;
/// The calling thread's recorder; null if there is no room for one, or the thread is ending. The first call
/// by a thread registers it with the session; later ones only look.
MpiRecorder* own_recorder() noexcept;
/// Gives a communicator a name, or a text of its members, in the session. May call the system.
void name_communicator(const OwnName& name) noexcept;
/// Names a place in the program in the session. May call the system. Returns whether there was room.
bool name_site(std::uint16_t number, std::string_view place) noexcept;

}  // namespace eventspace::mpi

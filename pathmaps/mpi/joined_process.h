#pragma once

// Private to pathmaps/.

#include <cstdint>
#include <string_view>

#include "collectors/mpi/mpi_recorder.h"

namespace eventspace::mpi {

/// The newest calls that are kept of each thread.
inline constexpr std::uint32_t calls_threshold = 2000;
/// The most communicators of one process that get a name; later ones are shown as "?".
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
/// Names a communicator in the session. May call the system.
void name_communicator(std::uint32_t number, std::string_view name) noexcept;

}  // namespace eventspace::mpi

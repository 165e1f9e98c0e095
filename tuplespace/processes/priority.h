#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace eventspace {

/// How a process competes with an application for processors. Watching must give way to the application: what
/// is watched can wait, the application cannot.
enum class Priority : std::uint8_t {
  idle,   ///< SCHED_IDLE: runs on what the application leaves, a share of some thousandths otherwise
  low,    ///< nice 10: about a tenth of a processor for which a thread of the application competes
  normal  ///< as it was started
};
std::string_view to_string(Priority priority) noexcept;
/// Returns nothing for a word that is none of "idle", "low" and "normal".
std::optional<Priority> priority_from(std::string_view word) noexcept;

/// Gives the calling thread, and all threads that it starts from then on, this priority. A process that is
/// nicer already stays so. Call it before the process has other threads; without privileges it cannot be
/// undone. Returns what could not be set and why, for a message; empty when all was.
std::string take_priority(Priority priority);

/// Where the kernel shares processors by session first (`kernel.sched_autogroup_enabled`), the priority of a
/// thread counts only among the threads of its session. These functions are about the session of the calling
/// process.

/// Whether the kernel does so, and the session has other processes than this one and what it starts, as that
/// of a shell has. Its priority is theirs, and is left alone.
bool shares_its_session_group() noexcept;
/// Gives the group of the session the nice value of `priority` (10, and 19 for idle), if the session was made
/// by this process and the kernel shares by session. The kernel lets a user do this ten times a second over
/// all processes, so it may block for up to `patience` until its turn comes. Returns as take_priority.
std::string take_session_priority(Priority priority, double patience_s = 2);

}  // namespace eventspace

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace eventspace {

/// How a process competes with an application for processors. Watching must give way to the application: a
/// monitor can wait, the application cannot.
enum class Priority : std::uint8_t {
  idle,   ///< SCHED_IDLE: uses the time that the application leaves, otherwise a share of some thousandths
  low,    ///< nice 10: about a tenth of a processor for which a thread of the application competes
  normal  ///< unchanged from the start
};
std::string_view to_string(Priority priority) noexcept;
/// Returns nullopt for words other than "idle", "low" and "normal".
std::optional<Priority> priority_from(std::string_view word) noexcept;

/// Gives the calling thread, and all threads that it starts from then on, this priority. A process that is
/// already nicer stays so. Call it before the process has other threads; without privileges it cannot be
/// undone. Returns an error message; empty on success.
std::string take_priority(Priority priority);

/// If the kernel first shares processors between sessions (`kernel.sched_autogroup_enabled`), the priority of
/// a thread counts only among the threads of its session. These functions concern the session of the calling
/// process.

/// Whether the kernel does so, and the session has processes other than this one and its children, such as a
/// shell's session. Then its priority belongs to them too, and is not changed.
bool shares_its_session_group() noexcept;
/// Gives the group of the session the nice value of `priority` (10, and 19 for idle), if the session was made
/// by this process and the kernel shares by session. The kernel lets a user do this ten times a second over
/// all processes, so it may block for up to `patience` until its turn comes. Returns like take_priority.
std::string take_session_priority(Priority priority, double patience_s = 2);

}  // namespace eventspace

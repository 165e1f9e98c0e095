#pragma once

#include <cstdint>
#include <string_view>

namespace eventspace {

/// The state of a thread, of a joint of a collective, or of a part of a scope. A joint is stuck when its
/// operation on the joint above exceeds the set time, a part of a scope when a pull does; neither is ever
/// computing or blocked. `stuck` and all later values count as stalled: they have had no event for the set
/// time.
enum class Verdict : std::uint8_t {
  running,        ///< an event began or ended within the set time
  not_started,    ///< its process has no segment yet, or it has not bound itself yet
  ended,          ///< its process left in an orderly way
  not_collected,  ///< silent, but unknown because not all of its operations are recorded
  waiting,        ///< of an MPI job: in a call for longer than the set time, but not stalled by any verdict
  apart,  ///< of an MPI job: outside calls for longer than the set time, but no rank waits too long for it
  stuck,  ///< inside an operation for longer than the set time
  computing,   ///< outside any operation, and using the processor
  blocked,     ///< outside any operation, and not using the processor
  silent,      ///< outside any operation, in another PID namespace, so its state is unknown
  stopped,     ///< its process is stopped by a signal
  dead,        ///< its process is gone without an orderly end
  unreachable  ///< its segment could not be read, because a server did not answer or the file was refused
};
/// The words for a verdict, also with at most nine characters, for a column.
struct VerdictWords {
  std::string_view whole;
  std::string_view brief;
};
VerdictWords words_of(Verdict verdict) noexcept;
inline std::string_view to_string(Verdict verdict) noexcept { return words_of(verdict).whole; }
bool is_stalled(Verdict verdict) noexcept;
/// Whether the thread will do nothing any more: it has ended, or its process is dead.
constexpr bool is_gone(Verdict verdict) noexcept {
  return verdict == Verdict::ended || verdict == Verdict::dead;
}

}  // namespace eventspace

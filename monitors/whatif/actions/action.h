#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

namespace eventspace::whatif {

/// Durations and times of programs and simulations.
using Picoseconds = std::int64_t;
/// About 53 days; the sum of two still fits.
inline constexpr Picoseconds longest_time = std::numeric_limits<Picoseconds>::max() / 2;
inline constexpr Picoseconds ps_per_ns = 1000;
inline constexpr Picoseconds ps_per_second = 1'000'000'000'000;
constexpr double in_seconds(Picoseconds time) noexcept {
  return static_cast<double>(time) / static_cast<double>(ps_per_second);
}

enum class ActionKind : std::uint8_t {
  compute,   ///< the program's own work, on a processor
  idle,      ///< time that does not depend on the processor: sleeping, or a task that began later than others
  overhead,  ///< work of the message library beside messages: packing, tests, probes
  send,
  isend,  ///< begins to send; a `wait` ends it
  receive,
  ireceive,
  wait,       ///< for one request
  multicast,  ///< to several tasks
  group       ///< a collective operation, as one action
};

enum class GroupOperation : std::uint8_t {
  barrier,
  broadcast,       ///< bytes: of the message
  reduce,          ///< bytes: of a task's contribution
  all_reduce,      ///< the same
  gather,          ///< the same
  scatter,         ///< bytes: that each task receives
  all_gather,      ///< bytes: of a task's contribution
  all_to_all,      ///< bytes: from each task to each other task
  reduce_scatter,  ///< bytes: of all that a task contributes
  scan             ///< bytes: of a task's contribution
};
inline constexpr std::array<std::string_view, 10> group_operation_words{
    "barrier", "bcast",     "reduce",   "allreduce",     "gather",
    "scatter", "allgather", "alltoall", "reducescatter", "scan"};

/// What an action represents, beside its kind. Actions with a mark of `mark_limits` depended on the times of
/// the recorded run: on another network, the program might have behaved differently.
enum class Mark : std::uint16_t {
  probe = 1,      ///< polled for a message
  test = 2,       ///< polled whether a request is complete
  timed = 4,      ///< waited for a message for a limited time
  wildcard = 8,   ///< would have accepted a message from any task, or with any tag
  any = 16,       ///< waited until some of several requests were complete
  partial = 32,   ///< a receive that reads the messages of its sender as a byte stream
  sync = 64,      ///< a send that is complete only after its receive has begun
  more = 128,     ///< belongs to the same call as the action before it
  answered = 256  ///< a send to a server; complete only after the server's answer
};
inline constexpr std::array<std::string_view, 9> mark_words{"probe",   "test", "timed", "wildcard", "any",
                                                            "partial", "sync", "more",  "answered"};
inline constexpr std::uint16_t mark_limits = 1 | 2 | 4 | 8 | 16;

/// One step of a task. A plain value of 40 bytes, because a program may have ten million.
struct Action {
  ActionKind kind{ActionKind::compute};
  GroupOperation operation{GroupOperation::barrier};
  std::uint16_t marks{0};
  std::uint16_t function{0};  ///< of the message library: place in Program::functions; 0: not known
  std::uint32_t peer{0};      ///< task; for a multicast, place in Program::destinations; for a collective,
                              ///< rank of the root
  std::uint32_t tag{0};
  std::uint32_t group{0};    ///< group of a collective operation or message; messages of different groups
                             ///< never match
  std::uint32_t request{0};  ///< for isend, ireceive and wait: place among the requests of its task
  std::uint64_t bytes{0};    ///< for an overhead: unsuccessful calls that it represents, if more than one
  /// Time for which it keeps the task's processor busy; for a receive or wait, after the message has arrived.
  Picoseconds takes{0};

  [[nodiscard]] constexpr bool has(Mark mark) const noexcept {
    return (marks & static_cast<std::uint16_t>(mark)) != 0;
  }
  [[nodiscard]] constexpr Action& with(Mark mark) noexcept {
    marks = static_cast<std::uint16_t>(marks | static_cast<std::uint16_t>(mark));
    return *this;
  }
  /// Number of calls of the program that it represents, unless it belongs to the call of another action.
  [[nodiscard]] constexpr std::uint64_t calls() const noexcept {
    return kind == ActionKind::overhead && bytes > 0 ? bytes : 1;
  }
  [[nodiscard]] constexpr bool sends() const noexcept {
    return kind == ActionKind::send || kind == ActionKind::isend;
  }
  [[nodiscard]] constexpr bool receives() const noexcept {
    return kind == ActionKind::receive || kind == ActionKind::ireceive;
  }
  friend bool operator==(const Action&, const Action&) = default;
};
static_assert(sizeof(Action) == 40);

}  // namespace eventspace::whatif

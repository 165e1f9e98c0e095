#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "monitors/whatif/actions/action.h"
#include "monitors/whatif/simulation/trace.h"
#include "monitors/whatif/simulation/transport.h"

namespace eventspace::whatif {

/// Time that one task spent in one function of the message library.
struct FunctionShare {
  std::uint64_t calls{0};
  Picoseconds time{0};  ///< blocked time included
  Picoseconds blocked{0};

  /// Counts an action of the function that has ended.
  void add(const Action& action, Picoseconds took, Picoseconds of_it_blocked) noexcept {
    time += took;
    blocked += of_it_blocked;
    if (!action.has(Mark::more)) calls += action.calls();
  }
};
using MarkCounts = std::array<std::uint64_t, mark_words.size()>;
inline void count_marks(const Action& action, MarkCounts& marked) noexcept {
  for (std::size_t i = 0; action.marks != 0 && i < marked.size(); ++i)
    marked[i] += (action.marks >> i & 1U) * action.calls();
}

/// The simulated times and counts of a task. execution = compute + idle + overhead + blocked time.
struct TaskOutcome {
  Picoseconds execution{0};  ///< end of its last action; all begin at 0
  Picoseconds compute{0};
  Picoseconds idle{0};
  Picoseconds overhead{0};  ///< of the message library, and for handing messages over
  /// Blocked: from the begin of a wait until the other task began its part.
  Picoseconds algorithmic{0};
  Picoseconds service{0};  ///< blocked: the rest, which the network and the message library need
  NetworkShare network{};
  std::uint64_t messages{0};  ///< that it sent; a multicast counts once
  std::uint64_t bytes{0};
  std::vector<FunctionShare> functions{};  ///< in the order of Program::functions
  [[nodiscard]] Picoseconds blocked() const noexcept { return algorithmic + service; }
};

struct Outcome {
  Picoseconds execution{0};  ///< of the task that ended last
  std::vector<TaskOutcome> tasks;
  std::uint64_t collisions{0};  ///< on the medium, whatever the number of stations involved
  std::uint64_t events{0};
  std::uint64_t bytes_sent{0};  ///< to each destination
  std::uint64_t bytes_received{0};
  std::uint64_t bytes_left{0};  ///< of messages that were not received
  std::uint64_t messages_left{0};
  std::uint32_t stopped{0};                ///< tasks of a cut program that wait for actions that were cut off
  MarkCounts marked{};                     ///< calls that happened as recorded, by Mark
  std::optional<SimulationTrace> trace{};  ///< if SimulationSettings::traces
};

}  // namespace eventspace::whatif

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "monitors/whatif/actions/action.h"

/// Predicts the same program on another network. A program is the sequence of actions of each task of a
/// parallel program, without the times of waiting for others (actions/). A simulation computes these waiting
/// times for a network (simulation/). From "Analysis of Intertask Communication in PVM Computations on
/// Workstation Clusters" (Zabel, 1996), chapters 3 and 4.
namespace eventspace::whatif {

inline constexpr std::uint32_t max_tasks = 1U << 20;
inline constexpr std::uint32_t max_groups = 1U << 16;
inline constexpr std::uint32_t max_functions = 1U << 12;
inline constexpr std::uint64_t max_message_bytes = std::uint64_t{1} << 44;

/// The tasks that take part in collective operations together.
struct Group {
  std::vector<std::uint32_t> members;  ///< tasks, by rank in the group
  friend bool operator==(const Group&, const Group&) = default;
};

struct Task {
  std::string name;  ///< empty means that it has only a number
  std::vector<Action> actions;
  std::vector<std::uint32_t> lines;  ///< line of each action in its file; empty if the actions do not come
                                     ///< from a text
  std::uint32_t requests{0};         ///< the most requests that are open at once
};

/// The program is not known from `at` on: records were lost, or recording ended earlier.
struct ProgramCut {
  Picoseconds at{0};
  std::string reason;
  friend bool operator==(const ProgramCut&, const ProgramCut&) = default;
};

/// Time that the calls of a function by a task took in the recorded run.
struct RecordedShare {
  Picoseconds time{0};     ///< waiting included
  Picoseconds library{0};  ///< the part that is work of the library
  [[nodiscard]] Picoseconds blocked() const noexcept { return time - library; }
};

struct Program {
  std::string source;  ///< file
  std::vector<Task> tasks;
  std::vector<Group> groups;                             ///< the first one has all tasks
  std::vector<std::string> functions;                    ///< names; the first one is empty
  std::vector<std::vector<std::uint32_t>> destinations;  ///< of multicasts
  std::optional<Picoseconds> recorded{};                 ///< how long the recorded run took
  std::optional<ProgramCut> cut{};
  /// By task and function, for a recording; otherwise empty.
  std::vector<std::vector<RecordedShare>> recorded_calls{};

  [[nodiscard]] std::size_t actions() const noexcept;
  /// "app.3"; the number of a task without a name.
  [[nodiscard]] std::string short_name_of(std::uint32_t task) const;
  /// "task 3", or "task 3 (app.3)".
  [[nodiscard]] std::string name_of(std::uint32_t task) const;
  /// "run.actions:17", or "action 12 of task 3" if it is not from a text.
  [[nodiscard]] std::string place_of(std::uint32_t task, std::size_t action) const;
  /// Describes the action: "receive from task 3 (tag 7)".
  [[nodiscard]] std::string describe(std::uint32_t task, std::size_t action) const;
};

}  // namespace eventspace::whatif

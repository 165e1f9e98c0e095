#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "monitors/whatif/actions/program.h"

namespace eventspace::whatif {

/// Makes a program action by action, with all checks that do not need other tasks. All functions throw
/// ConfigurationError, with the source and the line, for invalid input; the builder must not be used
/// afterwards. Not thread-safe.
///
///     ProgramBuilder builder("run.actions");
///     builder.declare(2, 1);
///     builder.add(0, {.kind = ActionKind::send, .peer = 1, .bytes = 48}, 2);
///     builder.end(0, 3);
///     ...
///     Program program = builder.finish();
class ProgramBuilder {
 public:
  explicit ProgramBuilder(std::string source);

  /// Sets the number of tasks; group 0 has all tasks. Call once, before all other functions.
  void declare(std::uint64_t tasks, std::uint32_t line = 0);
  /// Lowers the number of tasks; the tasks beyond must be without actions.
  void lower(std::uint32_t tasks) { declared_ = tasks; }
  [[nodiscard]] std::uint32_t tasks() const noexcept { return declared_; }
  void name(std::uint32_t task, std::string name, std::uint32_t line = 0);
  /// Groups are numbered from 1, in any order.
  void group(std::uint32_t number, std::vector<std::uint32_t> members, std::uint32_t line = 0);
  /// The number of a function.
  std::uint16_t function(std::string_view name, std::uint32_t line = 0);
  /// The number of a list of destinations, for Action::peer of a multicast.
  std::uint32_t destinations(std::vector<std::uint32_t> tasks, std::uint32_t line = 0);

  /// Adds an action without a request. `line` 0 means that it does not come from a text.
  void add(std::uint32_t task, const Action& action, std::uint32_t line = 0);
  /// Adds an isend or ireceive; `request`: any number that is not used by an open request of the task.
  /// Returns its place among the task's actions.
  std::size_t begin(std::uint32_t task, Action action, std::uint64_t request, std::uint32_t line = 0);
  /// Adds a wait for each of `requests`; only the last has `wait.takes`.
  void wait(std::uint32_t task, const Action& wait, std::span<const std::uint64_t> requests,
            std::uint32_t line = 0);
  [[nodiscard]] bool is_open(std::uint32_t task, std::uint64_t request) const;
  /// Ends the task. No action can be added to it afterwards.
  void end(std::uint32_t task, std::uint32_t line = 0);
  [[nodiscard]] bool has_ended(std::uint32_t task) const;

  /// An action that was added, for completing it later, for example with the source of a receive.
  [[nodiscard]] Action& action(std::uint32_t task, std::size_t place) {
    return program_.tasks[task].actions[place];
  }
  [[nodiscard]] Program& program() noexcept { return program_; }

  /// Returns the program. Throws if a task has not ended, because its trace is missing or truncated.
  Program finish();
  /// The same, where the ends of tasks are not marked: each task must have an action.
  Program finish_unended();

 private:
  struct Open {
    std::unordered_map<std::uint64_t, std::uint32_t> slots{};
    std::vector<std::uint32_t> free{};
    bool has_ended{false};
  };
  [[noreturn]] void refuse(std::uint32_t line, const std::string& what) const;
  void check_task(std::uint32_t task, std::uint32_t line) const;
  void check(std::uint32_t task, const Action& action, std::uint32_t line) const;
  void append(std::uint32_t task, const Action& action, std::uint32_t line);
  void require_groups() const;
  Program give();

  Program program_;
  std::uint32_t declared_{0};
  std::vector<Open> open_;  // by task, up to the highest task used
  std::unordered_map<std::string, std::uint16_t> functions_;
  std::unordered_map<std::uint32_t, std::uint32_t> first_use_;  // of groups: line
};

}  // namespace eventspace::whatif

#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "monitors/whatif/actions/program_builder.h"
#include "monitors/whatif/recording/recorded_program.h"

namespace eventspace::whatif {

/// The tasks of a program that is read from a recording, with the times of their actions: adds computing
/// between calls, and cuts off the unknown rest. Not thread-safe.
class RecordedTasks {
 public:
  RecordedTasks(std::string source, std::int64_t recorder_ns);

  ProgramBuilder& builder() noexcept { return builder_; }
  /// Begins the next call of the task, and adds the time since its last call. `beside_ns` is the part of
  /// `time` that is known not to be work of the library: it was blocked, or inner work was recorded. A call
  /// of several actions may be given in consecutive parts, after the whole.
  void call(std::uint32_t task, const ActionTime& time, std::int64_t beside_ns = 0);
  /// Adds an action of the call; `takes_time`: it gets the duration of the call, otherwise none.
  void add(std::uint32_t task, Action action, bool takes_time = true);
  std::size_t begin(std::uint32_t task, const Action& action, std::uint64_t request, bool takes_time = true);
  void wait(std::uint32_t task, const Action& action, const std::vector<std::uint64_t>& requests);

  /// The program is not known from `time` on.
  void cut(std::int64_t time, const std::string& reason);
  /// Marks the task as ended: it has no more calls.
  void ends(std::uint32_t task) { tasks_[task].has_ended = true; }
  [[nodiscard]] bool has_begun(std::uint32_t task) const { return tasks_.contains(task); }
  [[nodiscard]] bool is_empty() const noexcept { return tasks_.empty(); }
  void note(std::string text) { notes_.push_back(std::move(text)); }

  /// `what`: the word for a task, such as "rank".
  RecordedProgram finish(std::string_view what);

 private:
  struct Of {
    std::int64_t first_ns{0};
    std::int64_t last_ns{0};  // end of the last call
    ActionTime call{};
    std::int64_t beside_ns{0};  // part that is not work of the library
    bool has_ended{false};
    std::vector<ActionTime> times{};
  };
  void append(std::uint32_t task, const ActionTime& time) { tasks_[task].times.push_back(time); }
  [[nodiscard]] Picoseconds call_takes(std::uint32_t task, bool takes_time);
  void cut_off(RecordedProgram& made) const;
  void begin_together(RecordedProgram& made) const;
  [[nodiscard]] std::uint32_t tasks_needed() const;

  ProgramBuilder builder_;
  std::int64_t recorder_ns_;
  std::map<std::uint32_t, Of> tasks_;
  std::int64_t cut_ns_{std::numeric_limits<std::int64_t>::max()};
  std::string cut_reason_;
  std::vector<std::string> notes_;
};

}  // namespace eventspace::whatif

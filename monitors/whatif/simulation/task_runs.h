#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "monitors/whatif/actions/group_steps.h"
#include "monitors/whatif/actions/program.h"
#include "monitors/whatif/simulation/agenda.h"
#include "monitors/whatif/simulation/matching.h"
#include "monitors/whatif/simulation/outcome.h"
#include "monitors/whatif/simulation/simulate.h"
#include "monitors/whatif/simulation/transport.h"

namespace eventspace::whatif {

/// The tasks of a simulation. Each goes through its actions; an action has stages, between which the task is
/// busy or blocked. Not thread-safe.
class TaskRuns final : public Actor, public Matching::Tasks {
 public:
  /// The arguments must outlive it.
  TaskRuns(const Program& program, const SimulationSettings& settings, Agenda& agenda, Matching& matching,
           Transport& transport);
  /// Starts all tasks at time 0.
  void begin();

  void happen(std::uint32_t what, std::uint32_t which) override;
  void completed(std::uint32_t task, std::uint32_t request, Picoseconds at, Picoseconds partner_began,
                 Picoseconds own_began) override;

  [[nodiscard]] std::vector<TaskOutcome>& outcomes() noexcept { return outcomes_; }
  [[nodiscard]] const auto& marked() const noexcept { return marked_; }
  [[nodiscard]] std::optional<SimulationTrace>& trace() noexcept { return trace_; }

  /// A task that has not ended: its action, and the task that it waits for.
  struct Waiting {
    std::uint32_t task{0};
    std::size_t action{0};
    std::uint32_t for_task{0};
  };
  /// All waiting tasks.
  [[nodiscard]] std::vector<Waiting> waiting() const;

 private:
  // How a task continues at the end of a stage.
  enum class Flow : std::uint8_t { goes_on, pauses, ends_action };
  struct Request {
    bool is_done{false};
    bool receives{false};
    std::uint32_t partner{0};
    Picoseconds at{0};
    Picoseconds partner_began{0};
    Picoseconds own_began{0};
  };
  struct Run {
    std::size_t next{0};               // action
    std::uint32_t step{0};             // of a collective operation
    std::uint32_t waits_for{nothing};  // request
    std::uint8_t stage{0};
    bool send_waits{false};
    Picoseconds began{0};  // the action
    Picoseconds blocked_since{0};
    Picoseconds blocked{0};         // in the action
    std::vector<Request> requests;  // of the program, and two for internal use
  };

  void advance(std::uint32_t task);
  Flow perform(std::uint32_t task, const Action& action);
  Flow work(std::uint32_t task, const Action& action);
  Flow send(std::uint32_t task, const Action& action);
  Flow receive(std::uint32_t task, const Action& action);
  Flow wait(std::uint32_t task, const Action& action);
  Flow multicast(std::uint32_t task, const Action& action);
  Flow group(std::uint32_t task, const Action& action);
  Flow group_step(std::uint32_t task, const Action& action, const GroupStep& step);

  Flow hold(std::uint32_t task, Picoseconds duration, std::uint8_t then);
  Flow hold_overhead(std::uint32_t task, Picoseconds duration, std::uint8_t then);
  Flow block(std::uint32_t task, std::uint32_t request, std::uint8_t then);
  void post(std::uint32_t task, const Receive& receive);
  bool start_send(std::uint32_t task, const Message& message, bool is_sync);
  void end_action(std::uint32_t task, const Action& action);
  void unblock(Run& run, std::uint32_t task);
  [[nodiscard]] Picoseconds library(const Action& action) const {
    return scaled(action.takes, settings_->overhead);
  }
  [[nodiscard]] static Picoseconds scaled(Picoseconds duration, double factor);
  [[nodiscard]] std::uint32_t rank_in(std::uint32_t group, std::uint32_t task) const;
  [[nodiscard]] std::uint32_t waits_for_task(std::uint32_t task) const;
  [[nodiscard]] std::uint32_t own_request(std::uint32_t task, std::uint32_t which) const {
    return program_->tasks[task].requests + which;
  }
  [[nodiscard]] Picoseconds send_cost(std::uint32_t from, std::uint32_t to) const {
    return matching_->is_local(from, to) ? 0 : transport_->send_cost();
  }
  [[nodiscard]] Picoseconds receive_cost(std::uint32_t from, std::uint32_t to) const {
    return matching_->is_local(from, to) ? 0 : transport_->receive_cost();
  }

  const Program* program_;
  const SimulationSettings* settings_;
  Agenda* agenda_;
  Matching* matching_;
  Transport* transport_;
  std::vector<Run> runs_;
  std::vector<TaskOutcome> outcomes_;
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>>
      ranks_;  // by group: tasks and ranks, sorted
  MarkCounts marked_{};
  std::optional<SimulationTrace> trace_;
};

}  // namespace eventspace::whatif

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "monitors/watching/watched.h"
#include "monitors/whatif/recording/recorded_program.h"
#include "monitors/whatif/simulation/outcome.h"

namespace eventspace::efficiency {

/// A recorded program on an ideal network: the result of its simulation (monitors/whatif) on an infinitely
/// fast network with no work of the message library, beside the recorded times. Plain data and pure
/// functions. Times are in nanoseconds, recorded ones on the clock of the recorder, ideal ones since the
/// begin of the simulated run.
class IdealRun {
 public:
  /// REQUIRES: the outcome is of this program, and has a trace with times.
  IdealRun(const whatif::RecordedProgram& recorded, const whatif::Outcome& outcome);

  /// A task is a rank of an MPI job, or a thread with this name.
  [[nodiscard]] std::optional<std::uint32_t> task_of_rank(std::uint32_t rank) const;
  [[nodiscard]] std::optional<std::uint32_t> task_named(std::string_view name) const;

  /// When the task would reach the point that it reached at `recorded_ns`. Between two calls, time advances
  /// as recorded.
  [[nodiscard]] double ideal_at(std::uint32_t task, std::int64_t recorded_ns) const;
  /// Until when the program is known; nullopt means to its end.
  [[nodiscard]] const std::optional<std::int64_t>& known_until() const noexcept { return known_until_; }
  [[nodiscard]] const std::string& why_not_known() const noexcept { return why_not_known_; }

  /// A part of the recorded run.
  struct Interval {
    std::int64_t begin_ns{0};
    std::int64_t end_ns{0};
    [[nodiscard]] bool has(std::int64_t ns) const noexcept { return ns >= begin_ns && ns < end_ns; }
  };
  /// The calls of one function at one place, of all tasks.
  struct Site {
    std::string name;  ///< "MPI_Recv at main (app.c:12)"
    std::uint64_t calls{0};
    double transfer_ns{0};       ///< by which they were longer than on the ideal network
    double serialisation_ns{0};  ///< that they would wait there too
  };
  /// Of the calls that began in the interval, most transfer first.
  [[nodiscard]] std::vector<Site> sites(const Interval& interval) const;
  /// The waits of a task on the ideal network, and the waits of others that it caused: they waited until it
  /// reached some point, and it was the last to reach it by its own work.
  struct Waited {
    double waited_ns{0};
    double caused_ns{0};
  };
  /// By task, of the calls that began in the interval.
  [[nodiscard]] std::vector<Waited> waits(const Interval& interval) const;
  [[nodiscard]] const std::vector<std::string>& notes() const noexcept { return notes_; }

 private:
  struct Point {
    std::int64_t recorded_ns{0};
    double ideal_ns{0};
  };
  void add_task(const whatif::RecordedProgram& recorded, const whatif::SimulationTrace& trace,
                std::uint32_t task);
  void add_waits(const whatif::RecordedProgram& recorded, const whatif::SimulationTrace& trace,
                 std::uint32_t task);

  std::vector<std::vector<Point>> points_;  // by task; rising
  std::vector<std::string> names_;
  std::vector<std::string> functions_;
  struct Call {
    std::int64_t begin_ns{0};
    std::int64_t end_ns{0};
    double ideal_ns{0};  // its duration
    std::uint32_t function{0};
    std::uint32_t calls{1};
  };
  std::vector<Call> calls_;  // of all tasks
  struct Wait {
    std::int64_t begin_ns{0};  // of the call
    double waited_ns{0};
    std::uint32_t task{0};
    std::uint32_t origin{0};
  };
  std::vector<Wait> waits_;
  std::vector<std::string> notes_;
  std::optional<std::int64_t> known_until_;
  std::string why_not_known_;
};

/// Reads the program of a recording and simulates it. `why_not` is set if that is not possible: the recording
/// begins in the middle, records are missing at its beginning, a rank has several threads, or messages do not
/// match. Nullopt then, and if `goes_on` returned false. `watched`: the result of open_recorded() or
/// find_watched().
std::optional<IdealRun> ideal_run_of(const Watched& watched, const std::function<bool()>& goes_on,
                                     std::string& why_not);

}  // namespace eventspace::efficiency

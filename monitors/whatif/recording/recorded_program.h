#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "monitors/watching/watched.h"
#include "monitors/whatif/actions/program.h"

namespace eventspace::whatif {

/// Begin and end of an action of a recording, on the recorder's clock.
struct ActionTime {
  std::int64_t begin_ns{0};
  std::int64_t end_ns{0};
  [[nodiscard]] std::int64_t duration() const noexcept { return end_ns - begin_ns; }
};

/// Converts nanoseconds of a recording to a time that can be simulated; forged recordings may have any
/// values.
constexpr Picoseconds ps_of(std::int64_t ns) noexcept {
  return std::clamp<std::int64_t>(ns, 0, longest_time / ps_per_ns) * ps_per_ns;
}

/// A program read from a recording. The actions of calls `take` their whole durations, waiting included,
/// until separate_overheads() (fitted_network.h) has found the library's part of them.
struct RecordedProgram {
  Program program;
  std::vector<std::vector<ActionTime>> times{};  ///< by task and action
  std::vector<std::string> notes{};              ///< missing or merely probable facts
  /// Whether sends wait for their receives from some size on. PVM accepts incoming messages during a send, so
  /// two tasks may send to each other.
  bool sends_may_wait{true};
};

struct RecordingSettings {
  std::int64_t recorder_ns{40};  ///< what recording costs for each event: taken out of computing
  /// Called now and then with the share of the work that is done. Returns whether to continue.
  std::function<bool(double)> progress{[](double) { return true; }};
  /// For an analysis of the recorded run instead of a prediction: functions are told apart by the place of
  /// their calls ("MPI_Recv at main (app.c:12)"), and by their paths ("take border/north"). Exchanges on
  /// paths are barriers of all participants instead of work of the library, with no costs known for another
  /// network.
  bool is_detailed{false};
};

/// Reads the MPI job of a recording, each rank a task, or its PVM tasks. Without either, reads the threads of
/// its pathmap; their messages are tuples written to and taken from elements with one reader. Time between
/// events is computing. Nullopt if `progress` returned false.
///
/// The program is cut (Program::cut) where records were lost, or where the calls of a rank are no longer
/// recorded. Throws ConfigurationError if there is nothing to predict: no messages, records lost before the
/// first call, several calling threads in a rank. `watched`: the result of open_recorded().
std::optional<RecordedProgram> read_recorded_program(const Watched& watched,
                                                     const RecordingSettings& settings);

}  // namespace eventspace::whatif

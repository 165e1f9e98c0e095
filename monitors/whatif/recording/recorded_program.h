#pragma once

// Private to monitors/.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "monitors/watching/watched.h"
#include "monitors/whatif/actions/program.h"

namespace eventspace::whatif {

/// When an action of a recording was done, on the recorder's clock.
struct ActionTime {
  std::int64_t begin_ns{0};
  std::int64_t end_ns{0};
  [[nodiscard]] std::int64_t duration() const noexcept { return end_ns - begin_ns; }
};

/// Nanoseconds of a recording as a time that can be simulated; those of one that is forged may be any.
constexpr Picoseconds ps_of(std::int64_t ns) noexcept {
  return std::clamp<std::int64_t>(ns, 0, longest_time / ps_per_ns) * ps_per_ns;
}

/// A program as a recording has it. The actions of calls `take` their whole durations, waiting included,
/// until separate_overheads() (fitted_network.h) has found the library's part of them.
struct RecordedProgram {
  Program program;
  std::vector<std::vector<ActionTime>> times{};  ///< of each action of each task
  std::vector<std::string> notes{};              ///< what was not there, or is only likely
  /// Whether the library lets sends wait for their receives, from some size on. Of PVM a send takes in what
  /// comes meanwhile, so that two tasks may send to each other.
  bool sends_may_wait{true};
};

struct RecordingSettings {
  std::int64_t recorder_ns{40};  ///< what recording costs for each event: taken out of computing
  /// Called from time to time with the share of the work that is done. Returns whether to go on.
  std::function<bool(double)> progress{[](double) { return true; }};
};

/// Reads the MPI job of a recording, each rank a task, or its tasks of PVM; or, if it has neither, the
/// threads of its pathmap, whose messages are the tuples that they write to and take from elements with one
/// reader. What threads do between events is computing. None if `progress` said that it is not to go on.
///
/// From where records were lost, or from where one rank's calls are not recorded any more, the program is cut
/// (Program::cut). Throws ConfigurationError if there is nothing to predict: no messages, records lost before
/// the first call, several calling threads in a rank. `watched` is that of open_recorded().
std::optional<RecordedProgram> read_recorded_program(const Watched& watched,
                                                     const RecordingSettings& settings);

}  // namespace eventspace::whatif

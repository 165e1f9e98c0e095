#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "monitors/servers/child_process.h"
#include "monitors/watching/budget_option.h"

namespace eventspace {

/// The recording of a run, and the output at its end.
struct RunRecording {
  std::filesystem::path file{};  ///< empty if the recording is not kept
  bool replaces{false};          ///< whether to replace a file of that name
  bool profiles{false};          ///< prints the profile of the run at its end
  Budget budget{};               ///< for the overhead of the run; the recorder keeps it

  [[nodiscard]] bool is_wanted() const noexcept { return !file.empty() || profiles; }
  /// The budget that `run` itself keeps, as there is no recorder that does.
  [[nodiscard]] Budget own_budget() const noexcept { return is_wanted() ? std::nullopt : budget; }
};

/// A recorder beside an application that `run` starts: a separate process, `eventspace record`. It records
/// before the first process of the application runs, and ends after the last process has ended. Processes
/// leave their segments when they end (SegmentKeeping), so that a process that runs for a millisecond is
/// recorded completely; the recorder removes segments that it has read, and the rest is removed at the end.
/// Not thread-safe.
class RunRecorder {
 public:
  /// `words`: the arguments of `record` except the options of a run: the pathmap or the session. Sets the
  /// variable by which processes leave their segments, for this process and its children. Returns when
  /// recording has begun. Throws EnvironmentError if it does not begin; the recorder has printed the reason.
  RunRecorder(const RunRecording& recording, std::vector<std::string> words, std::string session);
  /// Ends the recorder, if finish() was not called.
  ~RunRecorder();
  RunRecorder(const RunRecorder&) = delete;
  RunRecorder& operator=(const RunRecorder&) = delete;

  /// Call when all processes have ended: lets the recorder read the remaining segments, and prints the
  /// profile if requested. Returns exit_fine; exit_found_wrong if the budget could not be kept, but the
  /// recording can be read; exit_unreachable if it is not complete. The recorder has printed the reason.
  int finish();

 private:
  void await_begin();

  RunRecording recording_;
  std::string session_;
  std::filesystem::path file_;
  std::optional<ChildProcess> recorder_;
};

}  // namespace eventspace

#pragma once

// Private to monitors/.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "monitors/servers/child_process.h"

namespace eventspace {

/// What is recorded of a run, and what is said of it at its end.
struct RunRecording {
  std::filesystem::path file{};  ///< empty: no recording stays
  bool replaces{false};          ///< a file of that name
  bool profiles{false};          ///< prints the profile of the run at its end

  [[nodiscard]] bool is_wanted() const noexcept { return !file.empty() || profiles; }
};

/// A recorder beside an application that `run` starts: `eventspace record`, a process of its own. It records
/// before the first process of the application runs, and ends after the last one has ended. Meanwhile
/// processes leave their segments when they end (SegmentKeeping), so that one that runs for a millisecond is
/// recorded whole; the recorder removes them once it has read them, and the rest is removed at the end. Not
/// thread-safe.
class RunRecorder {
 public:
  /// `words`: what `record` is called with, but for the options of a run: the pathmap or the session. Sets
  /// the variable by which processes leave their segments, for this process and its children. Returns when
  /// recording has begun. Throws EnvironmentError if it does not begin; the recorder has said why.
  RunRecorder(const RunRecording& recording, std::vector<std::string> words, std::string session);
  /// Ends the recorder, if finish() was not called.
  ~RunRecorder();
  RunRecorder(const RunRecorder&) = delete;
  RunRecorder& operator=(const RunRecorder&) = delete;

  /// All processes have ended: has the recorder read what they have left, and prints the profile if one is
  /// wanted. Returns whether the recording is whole; otherwise the recorder has said why not.
  bool finish();

 private:
  void await_begin();

  RunRecording recording_;
  std::string session_;
  std::filesystem::path file_;
  std::optional<ChildProcess> recorder_;
};

}  // namespace eventspace

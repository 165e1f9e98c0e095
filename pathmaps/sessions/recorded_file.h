#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include <eventspace/pathmap.h>
#include "pathmaps/plan/plan.h"
#include "pathmaps/sessions/recorded_run.h"
#include "scopes/recordings/recording_reader.h"

namespace eventspace {

/// A recording with the plan of its session.
struct RecordedFile {
  std::shared_ptr<const Plan> plan;  ///< null if the recorded pathmap has faults
  std::shared_ptr<RecordedRun> run;  ///< null if the recorded pathmap has faults
  /// A copy of the recorded pathmap, for code that reads it again; empty if the session did not have one. It
  /// is removed with `kept` and `run`.
  std::filesystem::path pathmap;
  std::vector<Fault> faults;  ///< of the recorded pathmap
  std::shared_ptr<const void> kept;
};

/// Makes the plan of a recording, which is not trusted: no other file is read for it, and no shared object is
/// loaded. A pathmap that includes a file or names a shared object is a fault; recorders write neither.
/// Throws EnvironmentError if the pathmap cannot be copied.
RecordedFile open_recorded_file(RecordingReader recording);

/// Opens a recording and makes its plan. Throws EnvironmentError as RecordingReader does, and
/// ConfigurationError, with one line for each fault, if the recorded pathmap has faults.
RecordedFile require_recorded_file(const std::filesystem::path& file);

}  // namespace eventspace

#pragma once

#include <filesystem>
#include <string>

#include "monitors/watching/watched.h"

namespace eventspace {

/// A snapshot that a monitor takes when it has found a problem: a recording of the current contents of the
/// session's trace elements. Used by one thread.
class StallSnapshot {
 public:
  /// `program`: the recording program, with its version. Throws ConfigurationError if `watched` is a
  /// recording or records nothing, EnvironmentError if `file` exists or its folder does not: before the
  /// monitor has waited for days. Does not create the file.
  StallSnapshot(const Watched& watched, std::filesystem::path file, std::string program);

  /// Writes the snapshot, and reports that on standard error. `consumer` is of the same session. Throws
  /// EnvironmentError if the file cannot be written.
  void take(Consumer& consumer) const;

 private:
  const Watched* watched_;
  std::filesystem::path file_;
  std::string program_;
  ScopeTree tree_;
};

}  // namespace eventspace

#pragma once

// Private to monitors/.

#include <filesystem>
#include <string>

#include "monitors/watching/watched.h"

namespace eventspace {

/// A snapshot that a monitor takes when it has found something: what the trace elements of the session hold
/// then, as a recording. Used by one thread.
class StallSnapshot {
 public:
  /// `program`: what records, with its version. Throws ConfigurationError if `watched` is a recording or
  /// records nothing, EnvironmentError if `file` exists or its folder does not: before the monitor has waited
  /// for days. Makes no file.
  StallSnapshot(const Watched& watched, std::filesystem::path file, std::string program);

  /// Writes it, and says so on standard error. `consumer` is of the same session. Throws EnvironmentError if
  /// the file cannot be written.
  void take(Consumer& consumer) const;

 private:
  const Watched* watched_;
  std::filesystem::path file_;
  std::string program_;
  ScopeTree tree_;
};

}  // namespace eventspace

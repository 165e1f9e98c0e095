#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "monitors/heartbeat/heartbeat_pace.h"
#include "monitors/watching/watched.h"

namespace eventspace::web {

/// A report that a monitor writes when it has found a stall, of the events in the trace elements at that
/// time. Used by one thread.
///
///     StallReport report(watched, "hang.html", program);   // fails early
///     ... a stall ...
///     report.take(consumer);
///     report.write(pace);      // once the session's signals and consumer are gone
class StallReport {
 public:
  /// Throws ConfigurationError if `watched` is a recording or records nothing; EnvironmentError if `output`
  /// exists, or its folder does not, or this build cannot write reports: before the monitor has waited for
  /// days.
  StallReport(const Watched& watched, std::filesystem::path output, std::string program);
  ~StallReport();
  StallReport(StallReport&&) noexcept;
  StallReport& operator=(StallReport&&) noexcept;

  /// Reads the trace elements, through a temporary recording. `consumer` is of the same session. Throws
  /// EnvironmentError.
  void take(Consumer& consumer);
  /// Writes the report, if take() was called. `name` is the session in the page. Throws as write_report does.
  void write(const HeartbeatPace::Wishes& pace);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace eventspace::web

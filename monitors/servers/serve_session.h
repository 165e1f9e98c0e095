#pragma once

// Private to monitors/.

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

namespace eventspace {

/// How the server of a session without a pathmap runs.
struct SessionServing {
  std::string session;                             ///< empty: $EVENTSPACE_SESSION
  std::optional<std::chrono::nanoseconds> idle{};  ///< ends when it was not needed for so long
  bool background{false};       ///< in a process of its own, which this one does not wait for
  std::filesystem::path job{};  ///< not empty: as this machine's server of the job (pathmaps/jobs)
};

/// Runs the server until a signal or until it is idle, or leaves it in the background and returns when it
/// serves, or, of a job, as soon as its process is there. Returns the exit status. Throws ConfigurationError
/// without a name that can be a session's, and EnvironmentError if another server serves the session or the
/// server cannot start.
int serve_session(const SessionServing& serving);

}  // namespace eventspace

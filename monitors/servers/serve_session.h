#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

namespace eventspace {

/// How the server of a session without a pathmap runs.
struct SessionServing {
  std::string session;                             ///< empty means $EVENTSPACE_SESSION
  std::optional<std::chrono::nanoseconds> idle{};  ///< ends when it has not been needed for so long
  bool background{false};       ///< in a separate process, for which this one does not wait
  std::filesystem::path job{};  ///< if not empty: serves as this machine's server of the job (pathmaps/jobs)
};

/// Runs the server until a signal arrives or it is idle; or leaves it in the background and returns when it
/// serves, for a job as soon as its process exists. Returns the exit status. Throws ConfigurationError
/// without a valid session name, and EnvironmentError if another server serves the session or the server
/// cannot start.
int serve_session(const SessionServing& serving);

}  // namespace eventspace

#pragma once

// Private to monitors/.

#include <cstdint>
#include <string>
#include <vector>

namespace eventspace {

/// Which running processes a command is for.
struct ProcessChoice {
  std::vector<std::int32_t> pids;
  std::vector<std::string> names;  ///< patterns (paths/parameters/glob.h) of the names of programs

  [[nodiscard]] bool is_empty() const noexcept { return pids.empty() && names.empty(); }
};

/// The pids of the choice, each once, in their order: those given first, then those with a name that matches.
/// Throws ConfigurationError if a pattern has a fault, and EnvironmentError if no process has a name that
/// matches.
std::vector<std::int32_t> chosen_processes(const ProcessChoice& choice);

}  // namespace eventspace

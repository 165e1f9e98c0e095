#pragma once

// Private to monitors/whatif/.

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "monitors/whatif/actions/program.h"
#include "monitors/whatif/recording/fitted_network.h"

namespace eventspace::whatif {

/// The program that is asked about: of a recording, with the network that was fitted to it; or of a text of
/// actions or a trace of SMPI.
struct AskedProgram {
  Program program;
  std::optional<FittedNetwork> fitted{};  ///< of a recording
  std::vector<std::string> notes{};       ///< what limits the answer
};

struct ProgramSettings {
  std::int64_t recorder_ns{40};
  double flops_per_second{1e9};
  std::function<bool(double)> progress{[](double) { return true; }};
};

/// Reads it; what the file is can be seen from its beginning. None if `progress` said that it is not to go
/// on. Throws EnvironmentError if it cannot be read; ConfigurationError and FaultyInput if it is wrong.
std::optional<AskedProgram> read_asked_program(const std::filesystem::path& file,
                                               const ProgramSettings& settings);

}  // namespace eventspace::whatif

#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "monitors/whatif/actions/program.h"
#include "monitors/whatif/recording/fitted_network.h"

namespace eventspace::whatif {

/// The program to simulate: from a recording, with the network fitted to it, or from a text of actions or an
/// SMPI trace.
struct AskedProgram {
  Program program;
  std::optional<FittedNetwork> fitted{};  ///< for a recording
  std::vector<std::string> notes{};       ///< limits of the answer
};

struct ProgramSettings {
  std::int64_t recorder_ns{40};
  double flops_per_second{1e9};
  std::function<bool(double)> progress{[](double) { return true; }};
};

/// Reads the program; the beginning of the file shows its format. Nullopt if `progress` returned false.
/// Throws EnvironmentError if the file cannot be read, ConfigurationError or FaultyInput if it is invalid.
std::optional<AskedProgram> read_asked_program(const std::filesystem::path& file,
                                               const ProgramSettings& settings);

}  // namespace eventspace::whatif

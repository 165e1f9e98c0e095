#pragma once

#include <filesystem>
#include <string>

#include "monitors/cli/options.h"

namespace eventspace {

/// The options that `up` and `down` share.
struct FleetOptions {
  std::filesystem::path pathmap;
  std::string session;
  std::string node;  ///< empty: all nodes
  Format format{Format::text};
};

/// Adds them. `verb`: what the command does to servers, "Start" or "Stop".
void add_fleet(CLI::App& app, FleetOptions& options, const std::string& verb);

}  // namespace eventspace

// The options of the program, from the command line and the environment.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "apps/windtunnel/gas/settings.h"
#include "apps/windtunnel/program/stall.h"

namespace eventspace::windtunnel {

struct Options {
  std::filesystem::path pathmap;  // default: $EVENTSPACE_PATHMAP
  std::string process;            // default: $EVENTSPACE_PROCESS, otherwise the pathmap's only process
  Settings settings;
  std::optional<StallOrder> stall;
  bool collect = true;            // if false, no event collectors, regardless of the pathmap
  std::filesystem::path frames;   // an existing directory for pictures; empty disables pictures
  std::filesystem::path summary;  // a JSON file; empty disables it
};

// Returns nothing if help was requested, which has been printed then. Throws ConfigurationError or
// std::invalid_argument with the fault and the allowed values.
std::optional<Options> parse_options(int argc, const char* const* argv);

}  // namespace eventspace::windtunnel

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
  std::string process;            // default: $EVENTSPACE_PROCESS, else the pathmap's only process
  Settings settings;
  std::optional<StallOrder> stall;
  bool collect = true;            // false: no event collectors, whatever the pathmap says
  std::filesystem::path frames;   // an existing directory for pictures; empty: no pictures
  std::filesystem::path summary;  // a JSON file; empty: none
};

// Returns nothing if help was requested, which has been printed then. Throws ConfigurationError or
// std::invalid_argument that says what is wrong and what is allowed.
std::optional<Options> parse_options(int argc, const char* const* argv);

}  // namespace eventspace::windtunnel

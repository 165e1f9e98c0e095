#pragma once

// Private to monitors/.

#include <ostream>
#include <string>
#include <vector>

#include "monitors/cli/options.h"
#include "scopes/streams/report.h"

namespace eventspace {

/// What was found of one network: its report or, if its front-end did not answer, why.
struct FoundNetwork {
  std::string name;
  std::int32_t pid{0};  ///< of the front-end; 0: not known
  std::string silence{};
  streams::NetworkReport report{};
};

/// A line for each network.
void print_networks(std::ostream& out, Format format, const std::vector<FoundNetwork>& networks);
/// A line for each stream in each process of a network, with its counts.
void print_streams(std::ostream& out, Format format, const streams::NetworkReport& report);

}  // namespace eventspace

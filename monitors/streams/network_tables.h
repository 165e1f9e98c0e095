#pragma once

#include <ostream>
#include <vector>

#include "monitors/cli/options.h"
#include "monitors/streams/asked_networks.h"
#include "scopes/streams/report.h"

namespace eventspace {

/// A line for each network.
void print_networks(std::ostream& out, Format format, const std::vector<FoundNetwork>& networks);
/// A line for each stream in each process of a network, with its counts.
void print_streams(std::ostream& out, Format format, const streams::NetworkReport& report);
/// A line for each filter of these streams.
void print_filters(std::ostream& out, Format format, const streams::NetworkReport& report);

}  // namespace eventspace

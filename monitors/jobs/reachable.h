#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "pathmaps/jobs/job_node.h"

namespace eventspace {

/// Returns for each machine the first of its addresses whose port accepts a connection from here; empty if
/// none does within `patience`. Tries all at once, up to 256 connections at a time, and sends nothing. The
/// identity of the server is proved later, by its keys.
std::vector<std::string> reachable_addresses(const std::vector<JobNode>& nodes,
                                             std::chrono::milliseconds patience);

}  // namespace eventspace

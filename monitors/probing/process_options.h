#pragma once

// Private to monitors/.

#include <CLI/App.hpp>
#include <string>

#include "monitors/probing/processes/chosen_processes.h"

namespace eventspace {

/// Adds `--pid` and `--name`, which can be repeated.
void add_processes(CLI::App& app, ProcessChoice& choice);

/// Throws ConfigurationError, which calls it `what`, if the pattern has a fault; an empty one has none.
void require_glob(const std::string& what, const std::string& pattern);

}  // namespace eventspace

#pragma once

// Private to monitors/.

#include <CLI/App.hpp>

#include "monitors/probing/processes/chosen_processes.h"

namespace eventspace {

/// Adds `--pid` and `--name`, which can be repeated.
void add_processes(CLI::App& app, ProcessChoice& choice);

}  // namespace eventspace

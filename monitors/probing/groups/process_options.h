#pragma once

// Private to monitors/.

#include <CLI/App.hpp>
#include <string>

#include "monitors/probing/groups/process_choice.h"

namespace eventspace {

/// Adds `--pid`, `--name`, `--job`, `--group`, `--within`, `--without`, which can be repeated, and `--where`.
void add_processes(CLI::App& app, ProcessChoice& choice);

/// How commands ask for it: "say ASKED: --pid N, --name GLOB, --job ID, --group NAME or --where EXPR".
std::string ask_for_processes(const std::string& asked);

/// Throws ConfigurationError if a pattern of functions (name_matches()) has a fault.
void require_function_pattern(const std::string& pattern);

/// Throws ConfigurationError, which calls it `what`, if the pattern has a fault; an empty one has none.
void require_glob(const std::string& what, const std::string& pattern);

}  // namespace eventspace

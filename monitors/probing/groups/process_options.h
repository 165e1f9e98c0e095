#pragma once

#include <CLI/App.hpp>
#include <string>

#include "monitors/probing/groups/process_choice.h"
#include "monitors/probing/symbols/function_names.h"

namespace eventspace {

/// Adds `--pid`, `--name`, `--job`, `--group`, `--within`, `--without`, which can be repeated, and `--where`.
void add_processes(CLI::App& app, ProcessChoice& choice);

/// The text in which commands ask for a choice: "no processes are chosen; use --pid N, ...".
std::string ask_for_processes();

}  // namespace eventspace

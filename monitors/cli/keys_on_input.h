#pragma once

#include <CLI/App.hpp>
#include <memory>
#include <string>

#include "paths/security/key_file.h"

namespace eventspace {

/// `--keys-on-input`: how `up` and `run` pass the session's keys to another machine through the launcher:
/// never as an argument or variable, which other users may see.
void add_keys_on_input(CLI::App& app, bool& keys_on_input);
/// Reads the keys from standard input, and makes them the session's keys on this machine. Throws
/// ConfigurationError if they are missing.
std::shared_ptr<const UsedKeys> take_keys_from_input(const std::string& session);

}  // namespace eventspace

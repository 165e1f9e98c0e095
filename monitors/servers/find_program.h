#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace eventspace {

/// The file of the running program.
std::filesystem::path own_program();

/// Finds the file of a command by its first word: the word itself if it contains a slash, else the first
/// executable of that name in $PATH, else one in the directory of the running program; nullopt if none is
/// found.
std::optional<std::filesystem::path> find_program(const std::string& name);

/// Returns the file of a shared library of EventSpace, an absolute path, where it lies in an installation
/// beside the running program; nullopt if it is not there.
std::optional<std::filesystem::path> find_library(const std::string& name);
/// Returns the file of the library that programs with probes load (include/eventspace/probe.h), an
/// absolute path, where it lies in an installation beside the running program; nullopt if it is not there.
std::optional<std::filesystem::path> find_probe_library();

}  // namespace eventspace

#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tuplespace/system/private_directory.h"

namespace eventspace {

/// Returns the directory of this user's sockets and files for running sessions, and makes it if necessary. It
/// is the first available of these; all processes of this user on a machine find the same directory, with or
/// without the variable:
///
///     $XDG_RUNTIME_DIR/eventspace    if that directory exists and belongs to this user
///     /run/user/UID/eventspace       the same
///     /tmp/eventspace-UID            with a number behind it if another user has taken the name
///
/// So a variable that came from another user (su, sudo) or from another machine (a batch system) is harmless.
/// Throws EnvironmentError if the directory cannot be made, or is open to other users.
std::filesystem::path runtime_directory();

/// The same for readers: does not create it. Returns nullopt if the directory does not exist, also if it
/// could not be made, such as with a read-only /tmp: then sessions of this user do not use it. Throws
/// EnvironmentError if it is open to other users.
std::optional<std::filesystem::path> existing_runtime_directory();

/// Returns messages about names that other users have taken, so that this user's sockets or segments are in
/// directories with other names. Usually empty.
std::vector<std::string> taken_directory_names();

}  // namespace eventspace

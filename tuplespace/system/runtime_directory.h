#pragma once

// Private to tuplespace/.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tuplespace/system/private_directory.h"

namespace eventspace {

/// Returns the directory of this user's sockets and files for running sessions, and makes it if need be. It
/// is the first of these that can be had; all processes of this user on a machine find the same one, with the
/// variable or without it:
///
///     $XDG_RUNTIME_DIR/eventspace    if that directory exists and belongs to this user
///     /run/user/UID/eventspace       the same
///     /tmp/eventspace-UID            with a number behind it if another user has taken the name
///
/// So a variable that came from another user (su, sudo) or from another machine (a batch system) does no
/// harm. Throws EnvironmentError if the directory cannot be made, or is open to other users.
std::filesystem::path runtime_directory();

/// The same for readers: makes nothing. Returns nothing if there is no such directory, also where it could
/// not be made, such as with a read-only /tmp: then no session of this user uses it. Throws EnvironmentError
/// if it is open to other users.
std::optional<std::filesystem::path> existing_runtime_directory();

/// Returns lines for people: names that other users have taken, so that this user's sockets or segments are
/// in directories with other names. Empty as a rule.
std::vector<std::string> taken_directory_names();

}  // namespace eventspace

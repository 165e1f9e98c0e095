#pragma once

// Private to tuplespace/.

#include <filesystem>

namespace eventspace {

/// Makes `directory`, whose parent must exist, for this user alone (mode 0700), unless it is there. In a
/// directory that other users can write to, such as /tmp, one of this name may belong to them, or be a link
/// that they made; so the result is checked. Throws EnvironmentError if it cannot be made, or is not a
/// directory of this user alone.
void make_private_directory(const std::filesystem::path& directory);

/// Returns the directory of this user's sockets and files for running sessions, and makes it if need be:
/// $XDG_RUNTIME_DIR/eventspace, or /tmp/eventspace-UID if that variable is unset or empty. Throws as
/// make_private_directory does.
std::filesystem::path runtime_directory();

}  // namespace eventspace

#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace eventspace {

// Directories of this user alone in places where every user may make files, such as /tmp and /dev/shm.
//
// The names of such directories are known, so another user may take one first. That is harmless: the next
// name with a number is used then, and all processes of this user find the same name.
//
//     PARENT/NAME          as long as no other user has taken it
//     PARENT/NAME.1        the lowest number that belongs to this user; without one, the lowest free number
//
// In such a place (its sticky bit is set), users cannot rename or remove files of other users. All functions
// are thread-safe and do not wait.

/// Makes `directory`, whose parent must exist, for this user alone (mode 0700), unless it is there. Throws
/// EnvironmentError if it cannot be made, or is not a directory of this user alone.
void make_private_directory(const std::filesystem::path& directory);

/// Returns the directory NAME of this user in `parent`, which is made if it is missing; see above. If
/// `parent` does not exist, or this user may not make files there, still returns PARENT/NAME, which then does
/// not exist. Throws EnvironmentError if the directory belongs to this user and is open to others, or if
/// `parent` is open to all users without the sticky bit. Reads all of `parent` if PARENT/NAME does not belong
/// to this user.
std::filesystem::path private_directory(const std::filesystem::path& parent, std::string_view name);

/// Like make_private_directory() and private_directory(), but for readers: does not create the directory, and
/// returns nullopt if it does not exist.
std::optional<std::filesystem::path> existing_private_directory(const std::filesystem::path& directory);
std::optional<std::filesystem::path> existing_private_directory(const std::filesystem::path& parent,
                                                                std::string_view name);

/// Returns whether `directory` belongs to this user and only this user may make files in it.
bool is_own_directory(const std::filesystem::path& directory);

/// Returns a message if another user has taken PARENT/NAME; otherwise nullopt.
std::optional<std::string> notice_of_taken_name(const std::filesystem::path& parent, std::string_view name);

}  // namespace eventspace

#pragma once

#include <filesystem>

namespace eventspace {

/// Returns the file that `file` names, an absolute path without symbolic links, if only the user of this
/// process and root can change or replace it. Call before running its code.
///
/// That holds under these conditions:
///  - It is a regular file.
///  - It, each directory from the root to it, and each symbolic link on the way belongs to the user or to
///    root.
///  - No other user may write to it or to any of these directories. A group may write if it is the user's
///    own: it has the user's name, and the user is its only member. A directory that others may write to is
///    accepted if it is sticky, such as /tmp, because others can neither rename nor remove the user's files
///    there.
///
/// Each name is opened in the directory that was opened and checked before it, and links are resolved here,
/// so that no link can lead around a check. Nothing on the returned path can be exchanged by others
/// afterwards, so it can be opened by name at any time.
///
/// Throws ConfigurationError with the file or directory at fault and the reason.
std::filesystem::path require_trusted_file(const std::filesystem::path& file);

}  // namespace eventspace

#pragma once

// Private to paths/.

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "paths/security/session_security.h"

namespace eventspace {

/// The keys of a session: one pair for all its listening sockets, and one for all its connecting ones. As
/// text:
///
///     eventspace-keys 1
///     listening SECRET
///     connecting SECRET
///
/// Each secret is the secret half of a pair in 40 characters of Z85.
struct SessionKeys {
  CurveKeys listening;
  CurveKeys connecting;
};
SessionKeys make_session_keys();
/// The second throws ConfigurationError, whose text names `source` and repeats nothing of `text`.
std::string to_text(const SessionKeys& keys);
SessionKeys parse_session_keys(std::string_view text, std::string_view source);

/// Keys that were read from a file, and the lock by which others know that they are used: a file in the
/// user's directory is removed with the last process of the session on this machine that uses it. A process
/// that is killed leaves the file to the next one that uses it. Not for forked children, whose copy has no
/// effect. Immutable, so thread-safe.
class UsedKeys {
 public:
  virtual ~UsedKeys() = default;
  [[nodiscard]] virtual const SessionKeys& keys() const noexcept = 0;
  [[nodiscard]] virtual const std::filesystem::path& file() const noexcept = 0;
};

/// Where the keys of a session are on this machine: $EVENTSPACE_KEYS, if it is set and not empty, else "keys"
/// in the session's own directory (mode 0700) in runtime_directory(). Makes that directory. Throws
/// EnvironmentError if it cannot.
std::filesystem::path key_file_of(std::string_view session);

/// Returns the session's keys. The first process that asks makes them; of several that ask at once, all get
/// the same. If $EVENTSPACE_KEYS names a file, it must exist, and stays when the last process ends.
///
/// A file is used only if it is a regular file, belongs to this user, has mode 0600 or less, and one name; a
/// symbolic link is not followed. Throws EnvironmentError, which says what was found, where, and what to do.
std::shared_ptr<const UsedKeys> use_session_keys(std::string_view session);

/// The same for keys that came from elsewhere, see parse_session_keys: writes them into the file of the
/// session first, in place of others. Processes that use the others are not reached by those with the new
/// ones.
std::shared_ptr<const UsedKeys> use_given_keys(std::string_view session, const SessionKeys& keys);

/// Keeps the file when its last user ends, for a session whose servers are on other machines, until
/// release_session_keys. No effect on the file of $EVENTSPACE_KEYS.
void keep_session_keys(const UsedKeys& used);
/// The file ends with its last user, or now if no process uses it. No effect if there is none.
void release_session_keys(std::string_view session);

/// What a member of the session needs: it admits all others, and connects to all others. For Network.
std::shared_ptr<const SessionSecurity> security_of_member(const std::shared_ptr<const UsedKeys>& used);
/// The same for keys in a file that others make and remove, and to which no lock is applied: that of a job of
/// several machines. The file is checked as above. Throws EnvironmentError and ConfigurationError.
std::shared_ptr<const SessionSecurity> security_of_file(const std::filesystem::path& file);

/// Reads a file with secrets, after the checks above. `purpose` is for messages: "the keys of session x".
std::string read_secret_file(const std::filesystem::path& file, std::string_view purpose);
/// Writes a new file of mode 0600. Throws EnvironmentError if there is a file already, or it cannot be
/// written.
void write_secret_file(const std::filesystem::path& file, std::string_view text);

}  // namespace eventspace

#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "paths/security/session_security.h"

namespace eventspace {

/// The keys of a session: one pair for all its listening sockets, and one for all its connecting sockets. As
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
/// The second throws ConfigurationError, whose text names `source` without repeating parts of `text`.
std::string to_text(const SessionKeys& keys);
SessionKeys parse_session_keys(std::string_view text, std::string_view source);

/// Keys that were read from a file, with a lock that shows that they are in use: a file in the user's
/// directory is removed with the last process of the session on this machine that uses it. A killed process
/// leaves the file to its next user. In forked children, the copy does not have an effect. Immutable, so
/// thread-safe.
class UsedKeys {
 public:
  virtual ~UsedKeys() = default;
  [[nodiscard]] virtual const SessionKeys& keys() const noexcept = 0;
  [[nodiscard]] virtual const std::filesystem::path& file() const noexcept = 0;
};

/// Returns the file of a session's keys on this machine: $EVENTSPACE_KEYS, if it is set and not empty,
/// otherwise "keys" in the session's directory (mode 0700) in runtime_directory(). Makes that directory.
/// Throws EnvironmentError if it cannot.
std::filesystem::path key_file_of(std::string_view session);

/// Returns the session's keys. The first calling process makes them; concurrent callers all get the same
/// keys. If $EVENTSPACE_KEYS names a file, it must exist, and stays when the last process ends.
///
/// A file is used only if it is a regular file, belongs to this user, has mode 0600 or less, and one name; a
/// symbolic link is not followed. Throws EnvironmentError with the fault, the file and advice.
std::shared_ptr<const UsedKeys> use_session_keys(std::string_view session);

/// The same for keys from elsewhere, see parse_session_keys: first writes them into the session's file,
/// replacing others. Processes with the replaced keys are unreachable for processes with the new keys.
std::shared_ptr<const UsedKeys> use_given_keys(std::string_view session, const SessionKeys& keys);

/// Keeps the file when its last user ends, for a session whose servers are on other machines, until
/// release_session_keys. Does not affect the file of $EVENTSPACE_KEYS.
void keep_session_keys(const UsedKeys& used);
/// Removes the file with its last user, or now if no process uses it. Does nothing if there is none.
void release_session_keys(std::string_view session);

/// The security of a member of the session, which admits and connects to all others. For Network.
std::shared_ptr<const SessionSecurity> security_of_member(const std::shared_ptr<const UsedKeys>& used);
/// The same for keys in a file that others make and remove, without a lock: the file of a job of several
/// machines. The file is checked as above. Throws EnvironmentError and ConfigurationError.
std::shared_ptr<const SessionSecurity> security_of_file(const std::filesystem::path& file);

/// Reads a file with secrets, after the checks above. `purpose` is for messages: "the keys of session x".
std::string read_secret_file(const std::filesystem::path& file, std::string_view purpose);
/// Writes a new file of mode 0600. Throws EnvironmentError if the file exists or cannot be written.
void write_secret_file(const std::filesystem::path& file, std::string_view text);

}  // namespace eventspace

#include "paths/security/key_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include <eventspace/error.h>
#include "tuplespace/system/mapping.h"
#include "tuplespace/system/runtime_directory.h"
#include "tuplespace/system/session_files.h"

namespace eventspace {
namespace {

using std::filesystem::path;

constexpr std::string_view first_line_of_keys = "eventspace-keys 1\n";
constexpr std::size_t max_bytes = 4096;  // of a file with secrets

std::optional<path> given_file() {
  const char* const given = std::getenv("EVENTSPACE_KEYS");
  if (given == nullptr || *given == '\0') return std::nullopt;
  return path(given);
}

[[noreturn]] void refuse(const path& file, std::string_view purpose, std::string_view found) {
  throw EnvironmentError(
      fmt::format("cannot use {} from {}: {}; expected a file of this user alone, of mode 0600, with one "
                  "name; remove it and create it again",
                  purpose, file.string(), found));
}

void check(const FileHandle& handle, const path& file, std::string_view purpose) {
  struct stat status {};
  if (::fstat(handle.get(), &status) != 0)
    throw EnvironmentError::from_errno(fmt::format("cannot inspect {}", file.string()), errno);
  if (!S_ISREG(status.st_mode)) refuse(file, purpose, "it is not a regular file");
  if (status.st_uid != ::geteuid())
    refuse(file, purpose, fmt::format("it belongs to user {}", status.st_uid));
  if ((status.st_mode & 077) != 0)
    refuse(file, purpose, fmt::format("other users have access to it (mode {:o})", status.st_mode & 07777));
  if (status.st_nlink > 1) refuse(file, purpose, fmt::format("it has {} names", status.st_nlink));
  if (static_cast<std::size_t>(status.st_size) > max_bytes) refuse(file, purpose, "it is too large");
}

/// Returns an invalid handle if the file does not exist.
FileHandle open_secret(const path& file, std::string_view purpose) {
  // O_NONBLOCK: opening a FIFO must not wait for its writer.
  FileHandle handle(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (handle.valid()) {
    check(handle, file, purpose);
  } else if (errno == ELOOP) {
    refuse(file, purpose, "it is a symbolic link");
  } else if (errno != ENOENT) {
    throw EnvironmentError::from_errno(fmt::format("cannot open {} for {}", file.string(), purpose), errno);
  }
  return handle;
}

std::string read_all(const FileHandle& handle, const path& file) {
  std::string text(max_bytes, '\0');
  const ssize_t bytes = ::pread(handle.get(), text.data(), text.size(), 0);
  if (bytes < 0) throw EnvironmentError::from_errno(fmt::format("cannot read {}", file.string()), errno);
  text.resize(static_cast<std::size_t>(bytes));
  return text;
}

FileHandle make_draft(const path& draft, std::string_view text) {
  FileHandle handle(::open(draft.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!handle.valid())
    throw EnvironmentError::from_errno(fmt::format("cannot make {}", draft.string()), errno);
  (void)::fchmod(handle.get(), 0600);  // whatever the umask is
  if (::pwrite(handle.get(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) {
    const int error = errno;
    ::unlink(draft.c_str());
    throw EnvironmentError::from_errno(fmt::format("cannot write {}", draft.string()), error);
  }
  return handle;
}

path draft_of(const path& file) {
  static std::atomic<unsigned> last{0};
  path draft = file;
  return draft += fmt::format(".{}.{}.new", ::getpid(), ++last);
}

// Whether this name still refers to `handle`.
bool is_named(const FileHandle& handle, const path& file) {
  struct stat opened {};
  struct stat named {};
  return ::fstat(handle.get(), &opened) == 0 && ::lstat(file.c_str(), &named) == 0 &&
         opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

// A file that is kept has the mode 0400.
void remove_unused(const FileHandle& handle, const path& file) noexcept {
  struct stat status {};
  if (::flock(handle.get(), LOCK_EX | LOCK_NB) != 0 || !is_named(handle, file)) return;
  if (::fstat(handle.get(), &status) == 0 && (status.st_mode & S_IWUSR) != 0) ::unlink(file.c_str());
}

/// The lock is shared by all users of the file. The last user can get the lock exclusively.
class LockedKeys final : public UsedKeys {
 public:
  LockedKeys(SessionKeys keys, path file, FileHandle handle, bool removes)
      : keys_(std::move(keys)), file_(std::move(file)), handle_(std::move(handle)), removes_(removes) {}
  // An application may have closed the descriptor and opened another file with the number: is_named detects
  // that, and then nothing is done. A process that opens the file at this moment waits for the lock and then
  // finds that the file has lost its name.
  ~LockedKeys() override {
    if (removes_ && owner_ == ::getpid() && is_named(handle_, file_)) remove_unused(handle_, file_);
  }
  LockedKeys(const LockedKeys&) = delete;
  LockedKeys& operator=(const LockedKeys&) = delete;

  [[nodiscard]] const SessionKeys& keys() const noexcept override { return keys_; }
  [[nodiscard]] const path& file() const noexcept override { return file_; }

 private:
  SessionKeys keys_;
  path file_;
  FileHandle handle_;
  bool removes_;
  pid_t owner_{::getpid()};
};

std::shared_ptr<const UsedKeys> used(FileHandle handle, const path& file, bool removes) {
  std::string text = read_all(handle, file);
  try {
    SessionKeys keys = parse_session_keys(text, file.string());
    overwrite(text);
    return std::make_shared<LockedKeys>(std::move(keys), file, std::move(handle), removes);
  } catch (...) {
    overwrite(text);
    throw;
  }
}

/// Creates a file of this name, unless one exists. Returns an invalid handle if it does.
FileHandle put(const path& file, const SessionKeys& keys, bool replaces) {
  const path draft = draft_of(file);
  std::string text = to_text(keys);
  FileHandle handle = make_draft(draft, text);
  overwrite(text);
  (void)::flock(handle.get(), LOCK_SH);  // before it gets its name, so that it cannot be removed in between
  const int failed = replaces
                         ? ::rename(draft.c_str(), file.c_str())
                         : ::renameat2(AT_FDCWD, draft.c_str(), AT_FDCWD, file.c_str(), RENAME_NOREPLACE);
  if (failed == 0) return handle;
  const int error = errno;
  ::unlink(draft.c_str());
  if (error == EEXIST) return {};
  throw EnvironmentError::from_errno(fmt::format("cannot make {}", file.string()), error);
}

}  // namespace

SessionKeys make_session_keys() { return {make_curve_keys(), make_curve_keys()}; }

std::string to_text(const SessionKeys& keys) {
  std::string listening = text_of(keys.listening.secret.bytes());
  std::string connecting = text_of(keys.connecting.secret.bytes());
  std::string text =
      fmt::format("{}listening {}\nconnecting {}\n", first_line_of_keys, listening, connecting);
  overwrite(listening);
  overwrite(connecting);
  return text;
}

namespace {

CurveKeys line_of_keys(std::string_view& text, std::string_view word, std::string_view source) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos || !text.starts_with(word))
    throw ConfigurationError(fmt::format("{} has no line with the key '{}'", source, word));
  const std::string_view line = text.substr(word.size() + 1, end - word.size() - 1);
  PublicKey bytes = key_of_text(line, fmt::format("'{}' in {}", word, source));
  text.remove_prefix(end + 1);
  CurveKeys keys = curve_keys_of(SecretKey(bytes));
  ::explicit_bzero(bytes.data(), bytes.size());
  return keys;
}

}  // namespace

SessionKeys parse_session_keys(std::string_view text, std::string_view source) {
  if (!text.starts_with(first_line_of_keys)) {
    throw ConfigurationError(
        fmt::format("{} does not have the keys of a session: expected 'eventspace-keys 1' in its first line; "
                    "`eventspace up PATHMAP` makes such keys",
                    source));
  }
  text.remove_prefix(first_line_of_keys.size());
  CurveKeys listening = line_of_keys(text, "listening", source);
  CurveKeys connecting = line_of_keys(text, "connecting", source);
  if (!text.empty()) throw ConfigurationError(fmt::format("{} has more than the keys of a session", source));
  return {std::move(listening), std::move(connecting)};
}

path key_file_of(std::string_view session) {
  if (const auto given = given_file()) return *given;
  const path directory = runtime_directory() / session_files::escaped(session);
  make_private_directory(directory);
  return directory / "keys";
}

std::shared_ptr<const UsedKeys> use_session_keys(std::string_view session) {
  const path file = key_file_of(session);
  const bool is_given = given_file().has_value();
  const std::string purpose = fmt::format("the keys of session {}", session);
  constexpr int max_tries = 100;  // each fails only if another process removes or makes the file at the same
                                  // time
  for (int i = 0; i < max_tries; ++i) {
    FileHandle handle = open_secret(file, purpose);
    if (!handle.valid() && is_given) {
      throw EnvironmentError(
          fmt::format("{} are expected in {}, which EVENTSPACE_KEYS names, but the file does not exist; "
                      "`eventspace up PATHMAP` makes them, in a file that can be copied there (mode 0600)",
                      purpose, file.string()));
    }
    if (!handle.valid()) handle = put(file, make_session_keys(), false);
    if (!handle.valid() || ::flock(handle.get(), LOCK_SH) != 0 || !is_named(handle, file)) continue;
    return used(std::move(handle), file, !is_given);
  }
  throw EnvironmentError(fmt::format("{} cannot be used: {} does not stay there", purpose, file.string()));
}

std::shared_ptr<const UsedKeys> use_given_keys(std::string_view session, const SessionKeys& keys) {
  const path file = key_file_of(session);
  // Keeps the file if it has these keys: its lock shows its users to each other.
  if (FileHandle handle = open_secret(file, fmt::format("the keys of session {}", session)); handle.valid()) {
    std::string there = read_all(handle, file);
    std::string given = to_text(keys);
    const bool same = there == given;
    overwrite(there);
    overwrite(given);
    if (same && ::flock(handle.get(), LOCK_SH) == 0 && is_named(handle, file))
      return used(std::move(handle), file, !given_file());
  }
  if (given_file()) {
    throw ConfigurationError(
        fmt::format("EVENTSPACE_KEYS names {}, which does not have the keys that were handed over for "
                    "session {}; unset it",
                    file.string(), session));
  }
  return used(put(file, keys, true), file, true);
}

void keep_session_keys(const UsedKeys& used) {
  if (!given_file() && ::chmod(used.file().c_str(), 0400) != 0)
    throw EnvironmentError::from_errno(fmt::format("cannot keep {}", used.file().string()), errno);
}

void release_session_keys(std::string_view session) {
  if (given_file()) return;
  const path file = key_file_of(session);
  const FileHandle handle = open_secret(file, fmt::format("the keys of session {}", session));
  if (!handle.valid()) return;
  (void)::fchmod(handle.get(), 0600);
  remove_unused(handle, file);
}

namespace {

std::shared_ptr<const SessionSecurity> security_with(const SessionKeys& keys, const path& file,
                                                     std::shared_ptr<const void> hold) {
  return std::make_shared<const SessionSecurity>(SessionSecurity{copy_of(keys.listening),
                                                                 keys.listening.open,
                                                                 copy_of(keys.connecting),
                                                                 {{keys.connecting.open, Role::owner}},
                                                                 file.string(),
                                                                 {},
                                                                 std::move(hold)});
}

}  // namespace

std::shared_ptr<const SessionSecurity> security_of_member(const std::shared_ptr<const UsedKeys>& used) {
  return security_with(used->keys(), used->file(), used);
}

std::shared_ptr<const SessionSecurity> security_of_file(const path& file) {
  std::string text = read_secret_file(file, "the keys of the job");
  try {
    const SessionKeys keys = parse_session_keys(text, file.string());
    overwrite(text);
    return security_with(keys, file, nullptr);
  } catch (...) {
    overwrite(text);
    throw;
  }
}

std::string read_secret_file(const path& file, std::string_view purpose) {
  const FileHandle handle = open_secret(file, purpose);
  if (!handle.valid())
    throw EnvironmentError(
        fmt::format("{} should be in {}, but the file does not exist", purpose, file.string()));
  return read_all(handle, file);
}

void write_secret_file(const path& file, std::string_view text) { (void)make_draft(file, text); }

}  // namespace eventspace

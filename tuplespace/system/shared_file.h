#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "tuplespace/system/file_lock.h"
#include "tuplespace/system/mapping.h"

namespace eventspace {

// Common parts of the files in shared memory: segments and element files.

/// Returns whether the process that made `file` still has it: it holds a lock on the file, which ends at the
/// latest with the process or its exec(2). Unlike a process id, the lock is the same in all containers that
/// share the directory. False if the file does not exist; true if it cannot be opened for lack of
/// descriptors, so that files of a living process are never removed.
///
/// A forked child does not share the lock of a PublishedFile, unless it is made by clone(2) or vfork(2),
/// whose callers do not run the handlers of fork(2): then it keeps the lock until it ends or calls exec(2).
bool is_in_use(const std::filesystem::path& file);

/// Returns the state of that lock on an open file.
FileLock lock_on(const FileHandle& handle) noexcept;
/// The same for a file by its name; `held` if it cannot be opened for lack of descriptors, `free` if it does
/// not exist.
FileLock lock_on(const std::filesystem::path& file);

/// Takes that lock on an open file, without waiting. It ends when the last descriptor of this opening is
/// closed, in this process and in children that were forked. Returns 0, or the number of the error: EAGAIN if
/// another opening has the lock.
int take_lock(const FileHandle& handle) noexcept;

/// Returns whether `path` is currently the name of this open file, and not a link to it.
bool is_named(const FileHandle& handle, const std::filesystem::path& path);

/// A file that this process has published. It is in use (see above) as long as this object exists. The
/// destructor removes the file, unless another file has its name by now, or this is a copy of the object in a
/// forked child: the file belongs to the parent.
class PublishedFile {
 public:
  PublishedFile() noexcept;  ///< no file
  ~PublishedFile();
  PublishedFile(PublishedFile&&) noexcept;
  PublishedFile& operator=(PublishedFile&& other) noexcept;

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  /// False in a forked child, and after leave().
  [[nodiscard]] bool belongs_to_this_process() const noexcept;
  /// Keeps the file when this object is destroyed.
  void leave() noexcept { owner_ = 0; }

 private:
  friend class FileDraft;
  class Lock;
  PublishedFile(std::filesystem::path path, FileHandle handle);

  std::filesystem::path path_;
  std::unique_ptr<Lock> lock_;
  std::int32_t owner_{0};
};

/// A file that appears complete or not at all: it has another name until it is published. Its memory is
/// reserved at construction, so that processes that map it do not fault for lack of memory. It is in use from
/// then on, see is_in_use. The file is removed unless it is published.
class FileDraft {
 public:
  /// `what` names the kind of file in messages, such as "segment". Throws EnvironmentError if the file cannot
  /// be made; on failure, no file is left behind.
  FileDraft(std::filesystem::path file, std::uint64_t bytes, std::string_view what);
  ~FileDraft();
  FileDraft(const FileDraft&) = delete;
  FileDraft& operator=(const FileDraft&) = delete;

  [[nodiscard]] const FileHandle& handle() const noexcept { return handle_; }
  /// Whether the lock that marks the file as in use could be taken: a file system may lack locks.
  [[nodiscard]] bool is_locked() const noexcept { return is_locked_; }
  /// Renames the file to its final name. Replaces a file of that name if it is no longer in use. Throws
  /// EnvironmentError if it is, or on failure. Call once; handle() is invalid afterwards.
  [[nodiscard]] PublishedFile publish();

 private:
  void create();
  void take_name();
  [[noreturn]] void fail(const std::string& why, int error_number);
  [[noreturn]] void fail_in_use();

  std::filesystem::path file_;
  std::string draft_;
  std::string what_;
  FileHandle handle_;
  FileHandle lock_;  // the same file, opened again
  bool is_locked_{false};
};

/// Reserves memory, of zeros where there was none, for `bytes` bytes of a file from `offset` on, and makes
/// the file at least that long. Returns 0, or the number of the error; the file may be longer then. It works
/// in spite of signals, and does not raise any: beyond the limit of file sizes (RLIMIT_FSIZE) it returns
/// EFBIG.
int reserve_memory(const FileHandle& handle, std::uint64_t offset, std::uint64_t bytes) noexcept;

enum class FileAccess : std::uint8_t { read, write };

/// An open file that belongs to this user, has one name, and is not accessible to other users. Symbolic links
/// are not followed.
struct OwnFile {
  FileHandle handle;
  std::uint64_t bytes{0};
};
/// Opens `file`. Throws EnvironmentError if it cannot be opened. Calls `refuse`, which must throw, with the
/// reason if it is not a regular file of this user alone.
OwnFile open_own_file(const std::filesystem::path& file, FileAccess access, std::string_view what,
                      const std::function<void(const std::string& why)>& refuse);

/// Copies `text` into a field that ends with a zero byte. Throws ConfigurationError if it is too long or
/// contains a zero byte; `what` names the field in the message.
void copy_text(std::span<char> field, std::string_view text, std::string_view what);
/// Returns the text in a field, up to its first zero byte or the end of the field.
std::string_view text_in(std::span<const char> field) noexcept;
inline bool has_end(std::span<const char> field) noexcept { return text_in(field).size() < field.size(); }

inline constexpr std::uint64_t checksum_seed = 0xcbf29ce484222325;
/// A hash similar to FNV-1a that consumes eight bytes at a time where possible: directories of 100 000
/// entries are checked at each opening.
std::uint64_t checksum_of(std::uint64_t seed, std::span<const std::byte> bytes) noexcept;

}  // namespace eventspace

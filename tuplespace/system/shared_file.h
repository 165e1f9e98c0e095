#pragma once

// Private to tuplespace/.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "tuplespace/system/mapping.h"

namespace eventspace {

// Common parts of the files in shared memory: segments and element files.

/// A file that appears complete or not at all: it has another name until it is published. Its memory is
/// reserved at construction, so that no process that maps it faults for lack of memory. The file is removed
/// unless it is published.
class FileDraft {
 public:
  /// `what` names the kind of file in messages, such as "segment". Throws EnvironmentError if the file cannot
  /// be made; no file is left behind then.
  FileDraft(std::filesystem::path file, std::uint64_t bytes, std::string_view what);
  ~FileDraft();
  FileDraft(const FileDraft&) = delete;
  FileDraft& operator=(const FileDraft&) = delete;

  [[nodiscard]] const FileHandle& handle() const noexcept { return handle_; }
  /// Renames the file to its final name, replacing a file of that name. Throws EnvironmentError on failure.
  void publish();

 private:
  [[noreturn]] void fail(const std::string& why, int error_number);

  std::filesystem::path file_;
  std::string draft_;
  std::string what_;
  FileHandle handle_;
  bool published_{false};
};

/// Reserves memory, of zeros where there was none, for `bytes` bytes of a file from `offset` on, and makes
/// the file as long as that. Returns 0, or the number of the error; the file may be longer then. Signals do
/// not disturb it, and it raises none: beyond the limit of file sizes (RLIMIT_FSIZE) it returns EFBIG.
int reserve_memory(const FileHandle& handle, std::uint64_t offset, std::uint64_t bytes) noexcept;

enum class FileAccess : std::uint8_t { read, write };

/// An open file that belongs to this user and that no other user has access to. Symbolic links are not
/// followed.
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
/// A hash in the way of FNV-1a that consumes eight bytes at a time where it can: directories of 100 000
/// entries are checked at each opening.
std::uint64_t checksum_of(std::uint64_t seed, std::span<const std::byte> bytes) noexcept;

}  // namespace eventspace

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

// What files in shared memory have in common: segments and element files.

/// A file that appears complete or not at all: it has a name of its own until it is whole. Its memory is
/// reserved, so that nobody who maps it faults for lack of it. Removed unless it is published.
class FileDraft {
 public:
  /// `what` it is, for messages, such as "segment". Throws EnvironmentError; nothing is left behind then.
  FileDraft(std::filesystem::path file, std::uint64_t bytes, std::string_view what);
  ~FileDraft();
  FileDraft(const FileDraft&) = delete;
  FileDraft& operator=(const FileDraft&) = delete;

  [[nodiscard]] const FileHandle& handle() const noexcept { return handle_; }
  /// Gives it its name, in place of what had it. Throws EnvironmentError.
  void publish();

 private:
  [[noreturn]] void fail(const std::string& why, int error_number);

  std::filesystem::path file_;
  std::string draft_;
  std::string what_;
  FileHandle handle_;
  bool published_{false};
};

enum class FileAccess : std::uint8_t { read, write };

/// A file that belongs to this user and to nobody else, opened; no link is followed.
struct OwnFile {
  FileHandle handle;
  std::uint64_t bytes{0};
};
/// Throws EnvironmentError when it cannot be opened. Calls `refuse`, which must throw, with the reason when
/// it is no regular file of this user alone.
OwnFile open_own_file(const std::filesystem::path& file, FileAccess access, std::string_view what,
                      const std::function<void(const std::string& why)>& refuse);

/// Copies `text` into a field of Size bytes that ends with a zero byte. Throws ConfigurationError, with
/// `what` it names, when it is too long or has a zero byte in it.
void copy_text(std::span<char> field, std::string_view text, std::string_view what);
/// The text in a field, up to its first zero byte or its end.
std::string_view text_in(std::span<const char> field) noexcept;
inline bool has_end(std::span<const char> field) noexcept { return text_in(field).size() < field.size(); }

inline constexpr std::uint64_t checksum_seed = 0xcbf29ce484222325;
/// FNV-1a, a word at a time where it can: directories of 100 000 entries are checked at each opening.
std::uint64_t checksum_of(std::uint64_t seed, std::span<const std::byte> bytes) noexcept;

}  // namespace eventspace

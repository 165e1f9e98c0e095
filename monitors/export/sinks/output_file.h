#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "tuplespace/system/mapping.h"

namespace eventspace::exports {

/// The path of standard output.
inline constexpr std::string_view standard_output = "/dev/stdout";

/// A file that is written sequentially through a buffer. Not thread-safe.
class OutputFile {
 public:
  /// Opens an existing file, or creates it with mode 0600. Standard output is not reopened: writing continues
  /// at its current position, or at its end if it was opened to append. Throws EnvironmentError on failure.
  explicit OutputFile(const std::filesystem::path& file);

  /// The buffer: written_on() and flush() write the appended text.
  [[nodiscard]] std::string& text() noexcept { return buffer_; }
  void append(std::string_view bytes) { buffer_ += bytes; }
  /// Writes the buffer if it is large. Throws EnvironmentError on failure.
  void written_on() {
    if (buffer_.size() >= max_buffered) flush();
  }
  /// Writes the buffer. Throws EnvironmentError with the name of the file and the reason.
  void flush();
  [[nodiscard]] std::uint64_t bytes() const noexcept { return written_ + buffer_.size(); }

 private:
  static constexpr std::size_t max_buffered = std::size_t{1} << 18;

  std::filesystem::path name_;
  FileHandle file_;
  std::string buffer_;
  std::uint64_t written_{0};
};

}  // namespace eventspace::exports

#pragma once

// Private to monitors/.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "tuplespace/system/mapping.h"

namespace eventspace::exports {

/// The place of standard output.
inline constexpr std::string_view standard_output = "/dev/stdout";

/// A file that is written from the front to the end through a buffer. Not thread-safe.
class OutputFile {
 public:
  /// Opens a file that exists, or makes it with mode 0600. Standard output is not opened anew: it is
  /// written on where it stands, and at its end if it was opened to append. Throws EnvironmentError if it
  /// cannot.
  explicit OutputFile(const std::filesystem::path& file);

  /// The buffer: what is appended to it is written by written_on() and flush().
  [[nodiscard]] std::string& text() noexcept { return buffer_; }
  void append(std::string_view bytes) { buffer_ += bytes; }
  /// Writes the buffer if it is large. Throws EnvironmentError if it cannot be written.
  void written_on() {
    if (buffer_.size() >= most_buffered) flush();
  }
  /// Writes the buffer. Throws EnvironmentError, which names what was written and why it failed.
  void flush();
  [[nodiscard]] std::uint64_t bytes() const noexcept { return written_ + buffer_.size(); }

 private:
  static constexpr std::size_t most_buffered = std::size_t{1} << 18;

  std::filesystem::path name_;
  FileHandle file_;
  std::string buffer_;
  std::uint64_t written_{0};
};

}  // namespace eventspace::exports

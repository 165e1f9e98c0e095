#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace eventspace::streams {

/// Named texts in a file that only this user can read (mode 0600), as lines "NAME TEXT". Each function reads
/// the file. Changes are atomic, also with respect to other programs. Thread-safe. Functions throw
/// EnvironmentError if the file cannot be read or written.
class StoredNames {
 public:
  static constexpr std::size_t max_names = 1000;
  static constexpr std::size_t longest_name = 63;    ///< bytes
  static constexpr std::size_t max_bytes = 1 << 22;  ///< limit for the file

  using Names = std::map<std::string, std::string, std::less<>>;

  /// `of`: the owner of `file`, a noun for messages such as "session 'a'".
  StoredNames(std::filesystem::path file, std::string of) : file_(std::move(file)), of_(std::move(of)) {}

  [[nodiscard]] const std::filesystem::path& file() const noexcept { return file_; }
  /// Calls `check` for each line; if it returns false, the line is refused with its number.
  [[nodiscard]] Names read(
      const std::function<bool(std::string_view name, std::string_view text)>& check) const;
  /// Throws ConfigurationError if there are too many names. `text` must be a single line.
  void store(std::string_view name, std::string_view text) const;
  /// Returns whether the name existed.
  bool remove(std::string_view name) const;

  /// Throws ConfigurationError unless it is a letter followed by letters, digits, '.', '-' and '_', is not
  /// too long, and is not "all".
  static void check_name(std::string_view name);

 private:
  [[nodiscard]] Names read_lines() const;
  void change(const std::function<void(Names&)>& how) const;

  std::filesystem::path file_;
  std::string of_;
};

}  // namespace eventspace::streams

#pragma once

#include <filesystem>
#include <string>

namespace eventspace::exports {

/// The output of an export while it is written: a file of mode 0600, or a directory of mode 0700, beside its
/// final place and with a temporary name, ".NAME.partial-XXXXXX". commit() gives it the final name; without
/// commit() it is removed. So the final name never has an incomplete export, however the program ends. Not
/// thread-safe.
class PartialOutput {
 public:
  struct Config {
    std::filesystem::path final_place;  ///< "-" means standard output
    bool is_directory{false};
    bool replaces{false};  ///< an existing file or directory of the name
    /// A directory is replaced only if it has this file, which shows that it is an export.
    std::string marker{};
  };
  /// Throws EnvironmentError with advice if the name exists and must not be replaced, or if the output cannot
  /// be created there.
  explicit PartialOutput(const Config& config);
  ~PartialOutput();
  PartialOutput(const PartialOutput&) = delete;
  PartialOutput& operator=(const PartialOutput&) = delete;

  /// The place to write: an empty file, or a directory that does not exist yet, inside a temporary directory.
  [[nodiscard]] const std::filesystem::path& place() const noexcept { return place_; }
  /// A directory on the same file system, for other files.
  [[nodiscard]] std::filesystem::path directory() const;
  /// Throws EnvironmentError if it cannot get the final name; an existing file of that name is then kept.
  void commit();

 private:
  void require_free() const;
  // Gives a directory the name of an older directory, which is then in made_; false if there is no older one.
  // Throws EnvironmentError on failure, and keeps the older directory.
  bool exchanged();

  Config config_;
  std::filesystem::path made_;  // empty means nothing to remove
  std::filesystem::path place_;
};

}  // namespace eventspace::exports

#pragma once

// Private to monitors/.

#include <filesystem>
#include <string>

namespace eventspace::exports {

/// The output of an export while it is written: a file of mode 0600, or a directory of mode 0700, beside its
/// final place and under a name of its own, ".NAME.partial-XXXXXX". commit() gives it the final name;
/// without, it is removed. So there is never half an export under that name, whatever ends the program. Not
/// thread-safe.
class PartialOutput {
 public:
  struct Config {
    std::filesystem::path final_place;  ///< "-": standard output
    bool is_directory{false};
    bool replaces{false};  ///< what has the name already
    /// A directory is only replaced if it has this file: it is an export then.
    std::string marker{};
  };
  /// Throws EnvironmentError, which says what to do, if the name is taken and is not to be replaced, or the
  /// output cannot be made there.
  explicit PartialOutput(const Config& config);
  ~PartialOutput();
  PartialOutput(const PartialOutput&) = delete;
  PartialOutput& operator=(const PartialOutput&) = delete;

  /// Where to write: an empty file, or a directory that does not exist yet inside one with a name of its own.
  [[nodiscard]] const std::filesystem::path& place() const noexcept { return place_; }
  /// A directory on the same file system, for other files.
  [[nodiscard]] std::filesystem::path directory() const;
  /// Throws EnvironmentError if it cannot get the final name. What has the name is then kept.
  void commit();

 private:
  void require_free() const;
  // Gives a directory the name of an older one, which is then in made_; false if there is none. Throws
  // EnvironmentError if it cannot; the older one is kept then.
  bool exchanged();

  Config config_;
  std::filesystem::path made_;  // empty: nothing to remove
  std::filesystem::path place_;
};

}  // namespace eventspace::exports

#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <thread>

#include "tuplespace/system/mapping.h"

namespace eventspace {

/// Tells when files appear in a directory, by rename(2), as segments do: by a thread that sleeps until then.
class DirectoryWatch {
 public:
  /// That thread calls `appeared` once for any number of files whose names begin with `prefix`, of all that
  /// appear from now on. When the directory cannot be watched, as it is not there or the user's watches are
  /// used up (fs.inotify.max_user_instances), nothing is ever told; see problem().
  DirectoryWatch(const std::filesystem::path& directory, std::string prefix, std::function<void()> appeared);
  ~DirectoryWatch();
  DirectoryWatch(const DirectoryWatch&) = delete;
  DirectoryWatch& operator=(const DirectoryWatch&) = delete;

  [[nodiscard]] bool works() const noexcept { return problem_.empty(); }
  /// What was found, and which limit to raise, when it does not work; else empty.
  [[nodiscard]] const std::string& problem() const noexcept { return problem_; }

 private:
  [[nodiscard]] std::string begin(const std::filesystem::path& directory);
  void run();
  [[nodiscard]] bool has_one() const;

  std::string prefix_;
  std::function<void()> appeared_;
  FileHandle changes_;
  FileHandle stop_;
  std::string problem_;
  std::thread thread_;
};

}  // namespace eventspace

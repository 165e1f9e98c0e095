#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <thread>

#include "tuplespace/system/mapping.h"

namespace eventspace {

/// Calls a function when files appear in a directory by rename(2), like segments and element files. A
/// separate thread sleeps until then (inotify).
///
/// Not thread-safe, except works() and problem(). The destructor stops and joins the thread.
class DirectoryWatch {
 public:
  /// From now on, that thread calls `appeared` after files have appeared whose names begin with `prefix`; one
  /// call may cover several files. If the directory cannot be watched, because it does not exist or a limit
  /// is reached (fs.inotify.max_user_instances), `appeared` is never called; see problem().
  DirectoryWatch(const std::filesystem::path& directory, std::string prefix, std::function<void()> appeared);
  ~DirectoryWatch();
  DirectoryWatch(const DirectoryWatch&) = delete;
  DirectoryWatch& operator=(const DirectoryWatch&) = delete;

  [[nodiscard]] bool works() const noexcept { return problem_.empty(); }
  /// If works() is false: the error, and the limit to raise. Empty otherwise.
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

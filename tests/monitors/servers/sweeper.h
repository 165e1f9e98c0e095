#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace eventspace::testing_commands {

/// The running processes that were started with a runtime directory (XDG_RUNTIME_DIR) in `directory`, except
/// this one. If `argument` is not empty, only those with it on their command line.
std::vector<int> processes_in(const std::filesystem::path& directory, const std::string& argument = "");

/// Kills all of them. Returns whether none was left within the time limit.
bool kill_all_in(const std::filesystem::path& directory);

/// If this process is killed, a helper process kills the processes in `directory` and removes it, because
/// `eventspace up` leaves servers that have no parent. Does nothing after an orderly end. Construct it while
/// this process has only one thread.
class Sweeper {
 public:
  explicit Sweeper(const std::filesystem::path& directory);
  ~Sweeper();
  Sweeper(const Sweeper&) = delete;
  Sweeper& operator=(const Sweeper&) = delete;

 private:
  int tie_;
};

}  // namespace eventspace::testing_commands

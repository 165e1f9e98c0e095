#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace eventspace::testing_commands {

/// The processes that were started with a runtime directory (XDG_RUNTIME_DIR) in `directory` and still run,
/// but for this one: those that have `argument` among their words; empty: all.
std::vector<int> processes_in(const std::filesystem::path& directory, const std::string& argument = "");

/// Kills them all; whether none was left before the limit.
bool kill_all_in(const std::filesystem::path& directory);

/// When this process is killed, somebody else kills those in `directory` and removes it: `eventspace up`
/// leaves servers that are nobody's children. Does nothing when it goes in good order. Make it while this
/// process has one thread only.
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

#pragma once

#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "monitors/servers/child_process.h"
#include "tuplespace/processes/process_stat.h"

namespace eventspace::testing_probing {

/// A program that a test inspects. The destructor kills it.
class Target {
 public:
  /// `output`: the file for its output; empty: the test's output.
  explicit Target(const std::vector<std::string>& command, const std::string& output = {})
      : process_(ChildProcess::start({command, {}, output})) {}
  ~Target() {
    process_.signal(SIGKILL);
    process_.wait();
  }
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;

  [[nodiscard]] pid_t pid() const noexcept { return process_.pid(); }
  [[nodiscard]] ChildProcess& process() noexcept { return process_; }

 private:
  ChildProcess process_;
};

/// Waits, up to a minute, until `condition` holds. Returns whether it does.
inline bool eventually(const std::function<bool()>& condition) {
  for (int i = 0; i < 6000; ++i) {
    if (condition()) return true;
    ::usleep(10000);
  }
  return false;
}

/// The state as in /proc: 'T' stopped, 'Z' a zombie; 'X' if the process does not exist.
inline char state_of(std::int32_t pid) {
  return read_process_stat(pid).value_or(ProcessStat{'X', 0, 0, {}}).state;
}

/// The content of the file; empty if it cannot be read.
inline std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace eventspace::testing_probing

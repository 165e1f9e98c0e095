// A program that a test starts. Its output goes to files, and the destructor kills it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace eventspace::windtunnel {

class ChildProcess {
 public:
  // 'argv' begins with the program's file; 'environment' adds NAME=VALUE to the environment of this process.
  ChildProcess(const std::vector<std::string>& argv, const std::vector<std::string>& environment,
               std::filesystem::path output_stem);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  void signal(int number) const;

  // Returns the exit status, or 128 plus the signal that ended the child; nothing if it has not ended in
  // time.
  std::optional<int> wait(std::chrono::seconds limit = std::chrono::seconds(60));

  std::string output() const;
  std::string errors() const;

  // Waits until the child has written the text to standard error; returns false if it has not in time.
  bool waits_until_it_says(const std::string& text, std::chrono::seconds limit = std::chrono::seconds(60));

 private:
  std::filesystem::path stem_;
  pid_t pid_ = -1;
  int descriptor_ = -1;
  std::optional<int> status_;
};

}  // namespace eventspace::windtunnel

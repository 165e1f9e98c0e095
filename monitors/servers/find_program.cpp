#include "monitors/servers/find_program.h"

#include <unistd.h>

#include <cstdlib>
#include <sstream>

namespace eventspace {
namespace {

bool is_executable(const std::filesystem::path& file) {
  std::error_code error;
  return std::filesystem::is_regular_file(file, error) && ::access(file.c_str(), X_OK) == 0;
}

}  // namespace

std::filesystem::path own_program() { return std::filesystem::read_symlink("/proc/self/exe"); }

std::optional<std::filesystem::path> find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  const char* const path = std::getenv("PATH");
  std::istringstream directories(path != nullptr ? path : "/usr/bin:/bin");
  for (std::string directory; std::getline(directories, directory, ':');) {
    const std::filesystem::path file = std::filesystem::path(directory.empty() ? "." : directory) / name;
    if (is_executable(file)) return file;
  }
  const std::filesystem::path beside = own_program().parent_path() / name;
  return is_executable(beside) ? std::optional(beside) : std::nullopt;
}

std::optional<std::filesystem::path> find_probe_library() { return find_library("libeventspace-probes.so"); }

std::optional<std::filesystem::path> find_library(const std::string& name) {
  std::error_code error;
  const auto file = std::filesystem::weakly_canonical(
      own_program().parent_path() / EVENTSPACE_LIBRARIES_FROM_PROGRAM / name, error);
  return !error && std::filesystem::is_regular_file(file, error) ? std::optional(file) : std::nullopt;
}

}  // namespace eventspace

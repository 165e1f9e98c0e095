#include "tuplespace/system/runtime_directory.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

#include <eventspace/error.h>
#include "tuplespace/system/session_files.h"

namespace eventspace {
namespace {

using std::filesystem::path;

std::optional<path> directory_of_login() {
  const char* const given = std::getenv("XDG_RUNTIME_DIR");
  if (given != nullptr && *given != '\0' && is_own_directory(given)) return given;
  path usual = fmt::format("/run/user/{}", ::geteuid());
  return is_own_directory(usual) ? std::optional(std::move(usual)) : std::nullopt;
}

}  // namespace

path runtime_directory() {
  if (const auto login = directory_of_login()) {
    path directory = *login / "eventspace";
    make_private_directory(directory);
    return directory;
  }
  path directory = private_directory("/tmp", own_directory_name());
  if (is_own_directory(directory)) return directory;
  throw EnvironmentError(fmt::format(
      "cannot make {} for the sockets of sessions; set XDG_RUNTIME_DIR to a directory of this user",
      directory.string()));
}

std::optional<path> existing_runtime_directory() {
  if (const auto login = directory_of_login()) return existing_private_directory(*login / "eventspace");
  return existing_private_directory("/tmp", own_directory_name());
}

std::vector<std::string> taken_directory_names() {
  std::vector<std::string> lines;
  const auto add = [&lines](const path& parent, const std::string& name) {
    if (auto line = notice_of_taken_name(parent, name)) lines.push_back(std::move(*line));
  };
  if (!directory_of_login()) add("/tmp", own_directory_name());
  const path segments = shared_memory_directory();
  if (!is_own_directory(segments)) add(segments, own_directory_name());
  return lines;
}

}  // namespace eventspace

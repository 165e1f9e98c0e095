#include "tuplespace/system/runtime_directory.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "tuplespace/system/error.h"

namespace eventspace {

void make_private_directory(const std::filesystem::path& directory) {
  if (::mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST) {
    throw EnvironmentError::from_errno(fmt::format("cannot make directory {}", directory.string()), errno);
  }
  struct stat status {};
  if (::lstat(directory.c_str(), &status) != 0) {
    throw EnvironmentError::from_errno(fmt::format("cannot look at {}", directory.string()), errno);
  }
  if (!S_ISDIR(status.st_mode) || status.st_uid != ::geteuid() || (status.st_mode & 077) != 0) {
    throw EnvironmentError(fmt::format(
        "{} must be a directory of this user alone (mode 0700); remove it, or set XDG_RUNTIME_DIR",
        directory.string()));
  }
}

std::filesystem::path runtime_directory() {
  const char* const given = std::getenv("XDG_RUNTIME_DIR");
  const bool is_given = given != nullptr && *given != '\0';
  std::filesystem::path directory(is_given ? fmt::format("{}/eventspace", given)
                                           : fmt::format("/tmp/eventspace-{}", ::geteuid()));
  make_private_directory(directory);
  return directory;
}

}  // namespace eventspace

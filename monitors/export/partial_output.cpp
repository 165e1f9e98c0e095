#include "monitors/export/partial_output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include <eventspace/error.h>
#include "monitors/export/sinks/output_file.h"
#include "tuplespace/system/mapping.h"
#include "tuplespace/system/temporary_folder.h"

namespace eventspace::exports {
namespace {

std::filesystem::path parent_of(const std::filesystem::path& place) {
  return place.has_parent_path() ? place.parent_path() : std::filesystem::path(".");
}

std::string partial_name(const std::filesystem::path& place) {
  return (parent_of(place) / fmt::format(".{}.partial-XXXXXX", place.filename().string())).string();
}

// An export directory may be named with a slash at its end.
std::filesystem::path without_slash(const std::filesystem::path& place) {
  return place.has_filename() || !place.has_parent_path() ? place : place.parent_path();
}

// RENAME_NOREPLACE: a file that was created in the meantime is not replaced.
bool renamed(const std::filesystem::path& from, const std::filesystem::path& to, bool replaces) {
  if (!replaces) {
    if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
    if (errno != EINVAL && errno != ENOSYS) return false;  // otherwise the file system does not support it
    struct stat status {};
    if (::lstat(to.c_str(), &status) == 0) {
      errno = EEXIST;
      return false;
    }
  }
  return ::rename(from.c_str(), to.c_str()) == 0;
}

EnvironmentError not_replaced(const std::filesystem::path& place, int why) {
  return EnvironmentError::from_errno("cannot replace " + place.string(), why);
}

}  // namespace

PartialOutput::PartialOutput(const Config& config) : config_(config) {
  if (config_.final_place == "-") {
    place_ = standard_output;
    return;
  }
  config_.final_place = without_slash(config_.final_place);
  require_free();
  std::string name = partial_name(config_.final_place);
  if (config_.is_directory) {
    if (::mkdtemp(name.data()) == nullptr)
      throw EnvironmentError::from_errno("cannot make " + config_.final_place.string(), errno);
    made_ = name;
    place_ = made_ / config_.final_place.filename();
    return;
  }
  const FileHandle file(::mkostemp(name.data(), O_CLOEXEC));
  if (!file.valid()) throw EnvironmentError::from_errno("cannot make " + config_.final_place.string(), errno);
  place_ = made_ = name;
}

PartialOutput::~PartialOutput() {
  std::error_code ignored;
  if (!made_.empty()) std::filesystem::remove_all(made_, ignored);
}

std::filesystem::path PartialOutput::directory() const {
  return config_.final_place == "-" ? temporary_folder() : parent_of(config_.final_place);
}

void PartialOutput::require_free() const {
  const std::filesystem::path& place = config_.final_place;
  std::error_code error;
  const auto status = std::filesystem::symlink_status(place, error);
  if (!std::filesystem::exists(status)) return;
  if (!config_.replaces) {
    throw EnvironmentError(fmt::format(
        "{} already exists; name another output with -o, or replace it with --force", place.string()));
  }
  if (config_.is_directory) {
    if (std::filesystem::is_directory(status) && std::filesystem::exists(place / config_.marker, error))
      return;
    throw EnvironmentError(fmt::format(
        "{} was not replaced: it is not a directory that contains {}, as an export of this format "
        "does; name another output with -o",
        place.string(), config_.marker));
  }
  if (!std::filesystem::is_regular_file(status))
    throw EnvironmentError(fmt::format(
        "{} was not replaced: it is not a regular file; name another output with -o", place.string()));
}

bool PartialOutput::exchanged() {
  const std::filesystem::path& place = config_.final_place;
  if (::renameat2(AT_FDCWD, place_.c_str(), AT_FDCWD, place.c_str(), RENAME_EXCHANGE) == 0) return true;
  if (errno == ENOENT) return false;  // nothing to replace
  if (errno != EINVAL && errno != ENOSYS) throw not_replaced(place, errno);
  const std::filesystem::path aside = made_ / "replaced";  // the file system does not support exchange
  if (::rename(place.c_str(), aside.c_str()) != 0) {
    if (errno == ENOENT) return false;
    throw not_replaced(place, errno);
  }
  if (renamed(place_, place, false)) return true;
  const int why = errno;
  if (renamed(aside, place, false)) throw not_replaced(place, why);
  made_.clear();  // so that it is not removed
  throw EnvironmentError::from_errno(
      fmt::format("cannot replace {}; its old content is now in {}", place.string(), aside.string()), why);
}

void PartialOutput::commit() {
  if (made_.empty()) return;
  if (config_.is_directory && config_.replaces) {
    require_free();
    if (exchanged()) return;
  }
  if (!renamed(place_, config_.final_place, config_.replaces && !config_.is_directory)) {
    const int why = errno;
    if (why == EEXIST || why == ENOTEMPTY)
      throw EnvironmentError(config_.final_place.string() +
                             " was created while the output was written; name another output with -o");
    throw EnvironmentError::from_errno("cannot rename the export to " + config_.final_place.string(), why);
  }
  if (!config_.is_directory) made_.clear();
}

}  // namespace eventspace::exports

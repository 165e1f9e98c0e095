#include "tuplespace/system/private_directory.h"

#include <dirent.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <vector>

#include <eventspace/error.h>
#include "tuplespace/parsing/number_in.h"

namespace eventspace {
namespace {

using std::filesystem::path;

enum class Owner : std::uint8_t { none, this_user, another };

// A link or a file with this name counts as taken by another user, because this user would not make it.
Owner owner_of(const path& directory) {
  struct stat status {};
  if (::lstat(directory.c_str(), &status) != 0) {
    if (errno == ENOENT) return Owner::none;
    throw EnvironmentError::from_errno(fmt::format("cannot inspect {}", directory.string()), errno);
  }
  if (!S_ISDIR(status.st_mode) || status.st_uid != ::geteuid()) return Owner::another;
  if ((status.st_mode & 077) == 0) return Owner::this_user;
  throw EnvironmentError(
      fmt::format("{} is open to other users (mode {:o}), and its files may be theirs; remove it, or make it "
                  "private again (chmod 700)",
                  directory.string(), status.st_mode & 0777));
}

void require_safe(const path& parent) {
  struct stat status {};
  if (::stat(parent.c_str(), &status) != 0 || (status.st_mode & S_IWOTH) == 0) return;
  if ((status.st_mode & S_ISVTX) != 0) return;
  throw EnvironmentError(
      fmt::format("every user may remove and replace the files in {} (mode {:o}); set its sticky bit (chmod "
                  "+t), or choose another directory (EVENTSPACE_SHM_DIR, XDG_RUNTIME_DIR)",
                  parent.string(), status.st_mode & 07777));
}

// Returns the numbers N of all entries NAME.N in `parent`, in order.
std::vector<std::uint32_t> numbers_in(const path& parent, std::string_view name) {
  std::vector<std::uint32_t> numbers;
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(::opendir(parent.c_str()), ::closedir);
  if (!listing) throw EnvironmentError::from_errno(fmt::format("cannot read {}", parent.string()), errno);
  const std::string prefix = fmt::format("{}.", name);
  while (const dirent* const entry = ::readdir(listing.get())) {
    const std::string_view found(entry->d_name);
    if (!found.starts_with(prefix)) continue;
    const std::string_view digits = found.substr(prefix.size());
    const auto number = number_in<std::uint32_t>(digits);
    if (number && digits[0] != '0') numbers.push_back(*number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

path numbered(const path& parent, std::string_view name, std::uint32_t number) {
  return parent / (number == 0 ? std::string(name) : fmt::format("{}.{}", name, number));
}

// The names of one directory that this user has, and the lowest free name; 0 is the name itself.
struct Names {
  std::vector<std::uint32_t> own;
  std::uint32_t free{0};
};

Names look_through(const path& parent, std::string_view name) {
  Names names;
  std::vector<std::uint32_t> taken = numbers_in(parent, name);
  const Owner unnumbered = owner_of(parent / name);
  if (unnumbered != Owner::none) taken.insert(taken.begin(), 0);
  for (const std::uint32_t number : taken) {
    if (names.free == number) ++names.free;
    if (owner_of(numbered(parent, name, number)) == Owner::this_user) names.own.push_back(number);
  }
  return names;
}

// Another process of this user may do the same. mkdir(2) lets only one of them make a name; if a name became
// free in between, they may have made different names; the process that detects this removes its own.
std::optional<path> try_make(const path& parent, std::string_view name) {
  const Names before = look_through(parent, name);
  if (!before.own.empty()) return numbered(parent, name, before.own.front());
  path made = numbered(parent, name, before.free);
  if (::mkdir(made.c_str(), 0700) != 0) {
    if (errno == EEXIST) return std::nullopt;
    if (errno == EACCES || errno == EROFS || errno == EPERM) return parent / name;
    throw EnvironmentError::from_errno(fmt::format("cannot make directory {}", made.string()), errno);
  }
  if (look_through(parent, name).own.size() == 1) return made;
  ::rmdir(made.c_str());
  return std::nullopt;
}

void require_own(const path& directory, Owner owner) {
  if (owner == Owner::this_user) return;
  throw EnvironmentError(
      fmt::format("{} must be a directory of this user alone (mode 0700); remove it, or set XDG_RUNTIME_DIR",
                  directory.string()));
}

}  // namespace

void make_private_directory(const path& directory) {
  if (::mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST) {
    throw EnvironmentError::from_errno(fmt::format("cannot make directory {}", directory.string()), errno);
  }
  require_own(directory, owner_of(directory));
}

std::optional<path> existing_private_directory(const path& directory) {
  const Owner owner = owner_of(directory);
  if (owner == Owner::none) return std::nullopt;
  require_own(directory, owner);
  return directory;
}

std::optional<path> existing_private_directory(const path& parent, std::string_view name) {
  struct stat status {};
  if (::stat(parent.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return std::nullopt;
  require_safe(parent);
  path usual = parent / name;
  if (owner_of(usual) == Owner::this_user) return usual;
  const Names names = look_through(parent, name);
  return names.own.empty() ? std::nullopt : std::optional(numbered(parent, name, names.own.front()));
}

path private_directory(const path& parent, std::string_view name) {
  path usual = parent / name;
  struct stat status {};
  if (::stat(parent.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return usual;
  require_safe(parent);
  if (owner_of(usual) == Owner::this_user) return usual;
  constexpr int max_attempts = 100;  // each fails only if another process made or removed a name at the same
                                     // time
  for (int attempt = 0; attempt < max_attempts; ++attempt) {
    if (auto made = try_make(parent, name)) return std::move(*made);
  }
  throw EnvironmentError(
      fmt::format("cannot make directory {}: other processes take all of its names", usual.string()));
}

bool is_own_directory(const path& directory) {
  struct stat status {};
  return ::stat(directory.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == ::geteuid() &&
         (status.st_mode & 022) == 0;
}

std::optional<std::string> notice_of_taken_name(const path& parent, std::string_view name) {
  struct stat status {};
  const path usual = parent / name;
  if (::lstat(usual.c_str(), &status) != 0 || owner_of(usual) != Owner::another) return std::nullopt;
  return fmt::format("{} belongs to user {}; {} is used instead", usual.string(), status.st_uid,
                     private_directory(parent, name).string());
}

}  // namespace eventspace

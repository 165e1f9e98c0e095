#include "tuplespace/system/trusted_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <deque>
#include <string_view>
#include <vector>

#include <eventspace/error.h>
#include "tuplespace/system/mapping.h"

namespace eventspace {
namespace {

namespace fs = std::filesystem;

constexpr int max_links = 40;  // as in the kernel

/// Whether the user of this process is the only member of a group. A group of another name may be the primary
/// group of any user, which its member list does not show.
bool is_own_group(gid_t group) {
  std::array<char, 16384> user_text{};
  std::array<char, 16384> group_text{};
  passwd user{};
  passwd* found_user = nullptr;
  struct group entry {};
  struct group* found_group = nullptr;
  if (::getpwuid_r(::geteuid(), &user, user_text.data(), user_text.size(), &found_user) != 0 ||
      ::getgrgid_r(group, &entry, group_text.data(), group_text.size(), &found_group) != 0)
    return false;
  if (found_user == nullptr || found_group == nullptr || user.pw_gid != group) return false;
  const std::string_view name(user.pw_name);
  if (name != entry.gr_name) return false;
  for (char** member = entry.gr_mem; *member != nullptr; ++member)
    if (name != *member) return false;
  return true;
}

[[noreturn]] void refuse(const fs::path& what, const std::string& why) {
  throw ConfigurationError(
      fmt::format("is not loaded, as its code would run with your rights: {} {}", what.string(), why));
}

[[noreturn]] void refuse_errno(const fs::path& what, int error) {
  throw ConfigurationError(fmt::format("cannot be loaded: {}: {}", what.string(), std::strerror(error)));
}

void check_owner(const fs::path& what, const struct stat& status) {
  if (status.st_uid == 0 || status.st_uid == ::geteuid()) return;
  refuse(what, fmt::format("belongs to another user (id {})", status.st_uid));
}

// Entries of access control lists also count: the bits of the group are their mask.
void check_writers(const fs::path& what, const struct stat& status) {
  if (S_ISDIR(status.st_mode) && (status.st_mode & S_ISVTX) != 0) return;
  const bool by_group = (status.st_mode & S_IWGRP) != 0 && !is_own_group(status.st_gid);
  if (!by_group && (status.st_mode & S_IWOTH) == 0) return;
  refuse(what, fmt::format("can be changed by other users (mode {:o}); `chmod go-w` mends that",
                           status.st_mode & 07777));
}

/// Walks from the root to a file.
class Walk {
 public:
  explicit Walk(const fs::path& file) : directory_(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)) {
    prepend(file);
    check(directory_);
  }

  fs::path run() {
    while (!names_.empty()) {
      const std::string name = names_.front();
      names_.pop_front();
      if (name == ".." && is_at_file_) refuse_errno(path_, ENOTDIR);
      if (name == "..") {
        go_up();
      } else if (!name.empty() && name != "." && name != "/") {
        enter(name);
      }
    }
    if (!is_at_file_) refuse(path_, "is not a regular file");
    return path_;
  }

 private:
  void prepend(const fs::path& path) { names_.insert(names_.begin(), path.begin(), path.end()); }

  struct stat check(const FileHandle& handle) {
    struct stat status {};
    if (!handle.valid() || ::fstat(handle.get(), &status) != 0) refuse_errno(path_, errno);
    check_owner(path_, status);
    if (!S_ISLNK(status.st_mode)) check_writers(path_, status);
    return status;
  }

  void enter(const std::string& name) {
    if (is_at_file_) refuse_errno(path_, ENOTDIR);
    const fs::path before = path_;
    path_ /= name;
    FileHandle found(::openat(directory_.get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    const struct stat status = check(found);
    if (S_ISLNK(status.st_mode)) {
      follow(found, before);
    } else if (S_ISDIR(status.st_mode)) {
      passed_.push_back(std::move(directory_));
      directory_ = std::move(found);
    } else if (S_ISREG(status.st_mode)) {
      is_at_file_ = true;
    } else {
      refuse(path_, "is not a regular file");
    }
  }

  void follow(const FileHandle& link, const fs::path& directory) {
    std::array<char, PATH_MAX> text{};
    const ssize_t size = ::readlinkat(link.get(), "", text.data(), text.size() - 1);
    if (size < 0) refuse_errno(path_, errno);
    if (++links_ > max_links) refuse_errno(path_, ELOOP);
    const fs::path target(std::string(text.data(), static_cast<std::size_t>(size)));
    path_ = directory;
    while (target.is_absolute() && !passed_.empty()) go_up();
    prepend(target);
  }

  // Only directories are passed, so the parent of the open directory is the directory opened before it.
  void go_up() {
    if (passed_.empty()) return;  // above the root is the root
    directory_ = std::move(passed_.back());
    passed_.pop_back();
    path_ = path_.parent_path();
  }

  std::deque<std::string> names_;  // still to be entered
  fs::path path_{"/"};
  FileHandle directory_;
  std::vector<FileHandle> passed_;  // the directories above directory_
  bool is_at_file_{false};
  int links_{0};
};

}  // namespace

fs::path require_trusted_file(const fs::path& file) { return Walk(fs::absolute(file)).run(); }

}  // namespace eventspace

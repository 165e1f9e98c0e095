#include "monitors/budget/budget_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <utility>

#include <eventspace/error.h>
#include "tuplespace/parsing/number_in.h"
#include "tuplespace/system/fnv.h"
#include "tuplespace/system/runtime_directory.h"

namespace eventspace {
namespace {

std::int32_t pid_in(int file) {
  std::array<char, 16> text{};
  const ssize_t bytes = ::pread(file, text.data(), text.size(), 0);
  if (bytes <= 0) return 0;
  return number_in<std::int32_t>(std::string_view(text.data(), static_cast<std::size_t>(bytes))).value_or(0);
}

}  // namespace

BudgetLock::BudgetLock(std::string_view session)
    : path_(runtime_directory() / fmt::format("{:016x}.budget", fnv1a<std::uint64_t>(session))) {}

// The file is removed while the lock is held: a tool that opened it before finds out in take().
BudgetLock::~BudgetLock() {
  if (file_.valid()) ::unlink(path_.c_str());
}

bool BudgetLock::take() {
  // If the holder has just ended, the file that was opened may be removed already: there is another one.
  return file_.valid() || take_once() || (holder_ == 0 && take_once());
}

bool BudgetLock::take_once() {
  holder_ = 0;
  FileHandle file(::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.valid()) throw EnvironmentError::from_errno(fmt::format("cannot open {}", path_.string()), errno);
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    holder_ = pid_in(file.get());
    return false;
  }
  file_ = std::move(file);
  if (!is_at_its_path()) {
    file_ = FileHandle();
    return false;
  }
  const std::string text = std::to_string(::getpid());
  // The text only improves a message.
  if (::ftruncate(file_.get(), 0) == 0) (void)!::pwrite(file_.get(), text.data(), text.size(), 0);
  return true;
}

bool BudgetLock::is_at_its_path() const noexcept {
  struct stat open {};
  struct stat named {};
  return ::fstat(file_.get(), &open) == 0 && ::stat(path_.c_str(), &named) == 0 &&
         open.st_ino == named.st_ino && open.st_dev == named.st_dev;
}

}  // namespace eventspace

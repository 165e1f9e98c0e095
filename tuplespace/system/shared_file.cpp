#include "tuplespace/system/shared_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "tuplespace/system/error.h"

namespace eventspace {

FileDraft::FileDraft(std::filesystem::path file, std::uint64_t bytes, std::string_view what)
    : file_(std::move(file)), draft_(file_.string() + ".new"), what_(what) {
  ::unlink(draft_.c_str());  // left behind by an earlier process with this id
  // The directory is writable for all users: O_EXCL and O_NOFOLLOW keep this from opening a file or link of
  // another one.
  handle_ = FileHandle(::open(draft_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!handle_.valid()) fail("cannot create", errno);
  // Not ftruncate: a sparse file would let a later store fail with SIGBUS when the memory runs out.
  const int reserved = reserve_memory(handle_, 0, bytes);
  if (reserved != 0) fail(fmt::format("cannot reserve {} bytes for", bytes), reserved);
}

FileDraft::~FileDraft() {
  if (!published_ && handle_.valid()) ::unlink(draft_.c_str());
}

void FileDraft::publish() {
  if (::rename(draft_.c_str(), file_.c_str()) != 0) fail("cannot rename the draft of", errno);
  published_ = true;
}

void FileDraft::fail(const std::string& why, int error_number) {
  if (handle_.valid()) ::unlink(draft_.c_str());
  throw EnvironmentError::from_errno(
      fmt::format("{} the {} {} (EVENTSPACE_SHM_DIR sets another directory)", why, what_, file_.string()),
      error_number);
}

// A call that a signal interrupts gives back all that it had reserved. Where signals come often, as those of
// a profiler, a call for much memory would never end; one for a piece does.
int reserve_memory(const FileHandle& handle, std::uint64_t offset, std::uint64_t bytes) noexcept {
  constexpr std::uint64_t piece = 1 << 20;
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && offset + bytes > limit.rlim_cur) return EFBIG;
  for (std::uint64_t done = 0; done < bytes;) {
    const std::uint64_t next = std::min(piece, bytes - done);
    const int error =
        ::posix_fallocate(handle.get(), static_cast<off_t>(offset + done), static_cast<off_t>(next));
    if (error == 0) done += next;
    if (error != 0 && error != EINTR) return error;
  }
  return 0;
}

OwnFile open_own_file(const std::filesystem::path& file, FileAccess access, std::string_view what,
                      const std::function<void(const std::string& why)>& refuse) {
  // O_NONBLOCK: opening a fifo that was put there must not block.
  const int mode = access == FileAccess::write ? O_RDWR : O_RDONLY;
  OwnFile opened{FileHandle(::open(file.c_str(), mode | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK))};
  if (!opened.handle.valid())
    throw EnvironmentError::from_errno(fmt::format("cannot open {} {}", what, file.string()), errno);
  struct stat status {};
  // Checks are made on the open descriptor, so the file cannot be exchanged after them.
  if (::fstat(opened.handle.get(), &status) != 0 || !S_ISREG(status.st_mode))
    refuse("it is not a regular file");
  if (status.st_uid != ::geteuid()) refuse(fmt::format("it belongs to user {}", status.st_uid));
  if ((status.st_mode & 077) != 0)
    refuse(fmt::format("other users have access to it (mode {:o})", status.st_mode & 0777));
  opened.bytes = static_cast<std::uint64_t>(status.st_size);
  return opened;
}

void copy_text(std::span<char> field, std::string_view text, std::string_view what) {
  if (text.size() >= field.size() || text.find('\0') != std::string_view::npos) {
    throw ConfigurationError(
        fmt::format("the {} name '{}' has {} bytes; at most {} are allowed, and no zero byte", what,
                    text.substr(0, 80), text.size(), field.size() - 1));
  }
  std::copy(text.begin(), text.end(), field.begin());
}

std::string_view text_in(std::span<const char> field) noexcept {
  return {field.data(), ::strnlen(field.data(), field.size())};
}

std::uint64_t checksum_of(std::uint64_t seed, std::span<const std::byte> bytes) noexcept {
  constexpr std::uint64_t prime = 0x100000001b3;
  std::size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    std::uint64_t word = 0;
    __builtin_memcpy(&word, bytes.data() + i, 8);
    seed = (seed ^ word) * prime;
    seed ^= seed >> 32;
  }
  for (; i < bytes.size(); ++i) seed = (seed ^ static_cast<std::uint64_t>(bytes[i])) * prime;
  return seed;
}

}  // namespace eventspace

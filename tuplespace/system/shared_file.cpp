#include "tuplespace/system/shared_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <utility>

#include <eventspace/error.h>
#include "tuplespace/system/session_files.h"

namespace eventspace {

bool is_named(const FileHandle& handle, const std::filesystem::path& path) {
  struct stat own {};
  struct stat found {};
  return ::fstat(handle.get(), &own) == 0 && ::lstat(path.c_str(), &found) == 0 &&
         own.st_dev == found.st_dev && own.st_ino == found.st_ino;
}

namespace {

// By then another file may have the name: from a process with the same id in another container.
void remove_if_named(const FileHandle& handle, const std::filesystem::path& path) {
  if (handle.valid() && is_named(handle, path)) ::unlink(path.c_str());
}

struct flock whole_file() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

}  // namespace

// --- files in use ------------------------------------------------------------------------------------------

namespace {

// Not all network file systems show locks that other machines hold.
bool is_on_network(const FileHandle& handle) noexcept {
  constexpr std::array<std::uint32_t, 14> network{
      0x6969,     0x517b,     0xfe534d42, 0xff534d42, 0x65735546, 0x01021997, 0x00c36400,  // NFS to Ceph
      0x0bd00bd0, 0x47504653, 0x5346414f, 0x7461636f, 0x01161970, 0x19830326, 0xaad7aaea};
  struct statfs status {};
  if (::fstatfs(handle.get(), &status) != 0) return true;
  return std::ranges::find(network, static_cast<std::uint32_t>(status.f_type)) != network.end();
}

}  // namespace

FileLock lock_on(const FileHandle& handle) noexcept {
  // Only queries: taking the lock, even briefly, would make others believe that the file is in use.
  struct flock lock = whole_file();
  const bool is_held = ::fcntl(handle.get(), F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  if (is_held) return FileLock::held;
  return is_on_network(handle) ? FileLock::not_shared : FileLock::free;
}

FileLock lock_on(const std::filesystem::path& file) {
  const FileHandle handle(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (handle.valid()) return lock_on(handle);
  return errno == EMFILE || errno == ENFILE ? FileLock::held : FileLock::free;
}

bool is_in_use(const std::filesystem::path& file) { return lock_on(file) == FileLock::held; }

int take_lock(const FileHandle& handle) noexcept {
  struct flock lock = whole_file();
  return ::fcntl(handle.get(), F_OFD_SETLK, &lock) == 0 ? 0 : errno;
}

namespace {

// The locks of this process, in a list that a forked child can walk: it closes them, so that a lock ends with
// the process that took it. Guarded by the mutex, which fork(2) takes in the parent.
struct ListedLock {
  FileHandle handle;
  ListedLock* next{nullptr};
};
constinit std::mutex locks_mutex;
constinit ListedLock* first_lock = nullptr;

void close_locks_in_child() noexcept {
  for (ListedLock* lock = std::exchange(first_lock, nullptr); lock != nullptr; lock = lock->next)
    lock->handle = FileHandle();
  locks_mutex.unlock();
}

void watch_forks() {
  static std::once_flag once;
  std::call_once(once, [] {
    ::pthread_atfork([] { locks_mutex.lock(); }, [] { locks_mutex.unlock(); }, close_locks_in_child);
  });
}

}  // namespace

/// The open file that holds the lock, in the list.
class PublishedFile::Lock {
 public:
  explicit Lock(FileHandle handle) {
    watch_forks();
    listed_.handle = std::move(handle);
    const std::lock_guard lock(locks_mutex);
    listed_.next = std::exchange(first_lock, &listed_);
  }
  // In a forked child it is not in a list.
  ~Lock() {
    const std::lock_guard lock(locks_mutex);
    for (ListedLock** at = &first_lock; *at != nullptr; at = &(*at)->next) {
      if (*at != &listed_) continue;
      *at = listed_.next;
      return;
    }
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

  [[nodiscard]] const FileHandle& handle() const noexcept { return listed_.handle; }

 private:
  ListedLock listed_;
};

PublishedFile::PublishedFile() noexcept = default;
PublishedFile::PublishedFile(PublishedFile&&) noexcept = default;

PublishedFile::PublishedFile(std::filesystem::path path, FileHandle handle)
    : path_(std::move(path)), lock_(std::make_unique<Lock>(std::move(handle))), owner_(::getpid()) {}

PublishedFile::~PublishedFile() {
  if (lock_ != nullptr && belongs_to_this_process()) remove_if_named(lock_->handle(), path_);
}

PublishedFile& PublishedFile::operator=(PublishedFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(lock_, other.lock_);
  std::swap(owner_, other.owner_);
  return *this;
}

bool PublishedFile::belongs_to_this_process() const noexcept { return owner_ == ::getpid(); }

// --- drafts ------------------------------------------------------------------------------------------------

FileDraft::FileDraft(std::filesystem::path file, std::uint64_t bytes, std::string_view what)
    : file_(std::move(file)), draft_(file_.string() + std::string(session_files::draft_suffix)), what_(what) {
  create();
  // Not ftruncate: with a sparse file, a later store would fail with SIGBUS when memory runs out.
  const int reserved = reserve_memory(handle_, 0, bytes);
  if (reserved != 0) fail(fmt::format("cannot reserve {} bytes for", bytes), reserved);
}

FileDraft::~FileDraft() { remove_if_named(handle_, draft_); }

void FileDraft::create() {
  // In a directory to which others may write, O_EXCL and O_NOFOLLOW keep this from opening a file or link of
  // another user.
  constexpr int flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
  handle_ = FileHandle(::open(draft_.c_str(), flags, 0600));
  if (!handle_.valid() && errno == EEXIST) {
    if (is_in_use(draft_)) fail_in_use();
    ::unlink(draft_.c_str());  // left behind by an earlier process with this id
    handle_ = FileHandle(::open(draft_.c_str(), flags, 0600));
  }
  if (!handle_.valid()) fail("cannot create", errno);
  // A lock of the open file: unlike one of the process, it does not end when the process opens and closes the
  // file again. It ends with the last descriptor and mapping of the open file, so the file is opened
  // separately for the lock, because a forked child keeps the mappings. A file system without locks works
  // without one; its files count as no longer in use.
  lock_ = FileHandle(::open(draft_.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!lock_.valid()) fail("cannot open", errno);
  if (!is_named(lock_, draft_) || !is_named(handle_, draft_)) fail_in_use();
  is_locked_ = take_lock(lock_) == 0;
}

PublishedFile FileDraft::publish() {
  if (!is_named(handle_, draft_)) fail_in_use();  // another process of this name was faster than the lock
  take_name();
  handle_ = FileHandle();
  return {file_, std::move(lock_)};
}

void FileDraft::take_name() {
  if (::renameat2(AT_FDCWD, draft_.c_str(), AT_FDCWD, file_.c_str(), RENAME_NOREPLACE) == 0) return;
  // The name is taken, or the file system does not support the check.
  if (errno != EEXIST && errno != EINVAL && errno != ENOSYS) fail("cannot rename the draft of", errno);
  if (is_in_use(file_)) fail_in_use();
  if (::rename(draft_.c_str(), file_.c_str()) != 0) fail("cannot rename the draft of", errno);
}

void FileDraft::fail(const std::string& why, int error_number) {
  remove_if_named(handle_, draft_);
  throw EnvironmentError::from_errno(
      fmt::format("{} the {} {} (EVENTSPACE_SHM_DIR sets another directory)", why, what_, file_.string()),
      error_number);
}

void FileDraft::fail_in_use() {
  remove_if_named(handle_, draft_);
  throw EnvironmentError(
      fmt::format("the {} {} is in use: this process, or one with the same id in another container that "
                  "shares {}, runs in this session under this name already; let it leave the session first, "
                  "or choose another session or directory (EVENTSPACE_SHM_DIR)",
                  what_, file_.string(), file_.parent_path().string()));
}

// A call that is interrupted by a signal releases everything that it had reserved. With frequent signals,
// such as a profiler's, a call for much memory would never finish; calls for pieces do.
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

// --- contents ----------------------------------------------------------------------------------------------

OwnFile open_own_file(const std::filesystem::path& file, FileAccess access, std::string_view what,
                      const std::function<void(const std::string& why)>& refuse) {
  // O_NONBLOCK: opening a FIFO that was put there must not block.
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
  // A second name may be in another user's directory, and that user could keep the file alive.
  if (status.st_nlink > 1) refuse(fmt::format("it has {} names (hard links)", status.st_nlink));
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
    if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
    seed = (seed ^ word) * prime;
    seed ^= seed >> 32;
  }
  for (; i < bytes.size(); ++i) seed = (seed ^ static_cast<std::uint64_t>(bytes[i])) * prime;
  return seed;
}

}  // namespace eventspace

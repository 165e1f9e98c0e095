#include "scopes/recordings/chunk_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <utility>

#include <eventspace/error.h>
#include "scopes/recordings/repair_part.h"
#include "tuplespace/system/shared_file.h"

namespace eventspace::recording {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& what, int error) {
  throw EnvironmentError::from_errno("cannot " + what + " " + file.string(), error);
}

FileHandle create(const std::filesystem::path& file, bool replaces) {
  if (replaces) remove_recording(file);
  FileHandle made(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!made.valid() && errno == EEXIST)
    throw EnvironmentError(file.string() + " exists; name another file, or replace it with --force");
  if (!made.valid()) refuse(file, "make", errno);
  if (::flock(made.get(), LOCK_EX | LOCK_NB) != 0) {
    const int why = errno;
    ::unlink(file.c_str());  // an empty file would be in the way of the next attempt
    refuse(file, "lock", why);
  }
  return made;
}

// Returns the file, open and locked by this process; invalid if the file does not exist.
FileHandle lock_old(const std::filesystem::path& file) {
  FileHandle old(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!old.valid()) {
    if (errno == ENOENT) return old;
    refuse(file, "open", errno);
  }
  if (::flock(old.get(), LOCK_EX | LOCK_NB) == 0) return old;
  if (errno != EWOULDBLOCK) refuse(file, "lock", errno);
  throw EnvironmentError(file.string() + " is being written by another process; name another file");
}

/// Keeps a write beyond the limit of file sizes (RLIMIT_FSIZE) from ending the process with a signal, so that
/// it fails as on a full disk. Other threads are not disturbed.
class NoSizeSignal {
 public:
  NoSizeSignal() {
    ::sigemptyset(&signal_);
    ::sigaddset(&signal_, SIGXFSZ);
    ::pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  ~NoSizeSignal() {
    const timespec at_once{};
    if (::sigismember(&before_, SIGXFSZ) == 0) ::sigtimedwait(&signal_, nullptr, &at_once);
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoSizeSignal(const NoSizeSignal&) = delete;
  NoSizeSignal& operator=(const NoSizeSignal&) = delete;

 private:
  sigset_t signal_{};
  sigset_t before_{};
};

std::uint64_t random_number() {
  std::uint64_t number = 0;
  if (::getrandom(&number, sizeof number, 0) != static_cast<ssize_t>(sizeof number))
    throw EnvironmentError::from_errno("cannot get random bytes", errno);
  return number;
}

std::int64_t realtime_now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

void remove_recording(const std::filesystem::path& file) {
  const FileHandle old = lock_old(file);
  if (old.valid() && ::unlink(file.c_str()) != 0) refuse(file, "replace", errno);
}

// Writers lock only files that they make, so a file with a free lock stays free. The locks are not held in
// between, as there may be more parts than a process may have open.
void remove_recordings(std::span<const std::filesystem::path> files) {
  for (const auto& file : files) lock_old(file);
  for (const auto& file : files) remove_recording(file);
}

ChunkFile::ChunkFile(std::filesystem::path file, int level, bool replaces)
    : file_(std::move(file)), handle_(create(file_, replaces)), compressor_(level), number_(random_number()) {
  const auto header =
      encode(FileHeader{.version = format_version, .file = number_, .created_ns = realtime_now()});
  append(header, {});
}

// Appends all, or nothing.
void ChunkFile::append(Bytes first, Bytes second, Bytes third) {
  if (has_failed_) throw EnvironmentError(file_.string() + " cannot be written any more");
  const std::uint64_t whole = bytes_;
  const NoSizeSignal none;
  while (first.size() + second.size() + third.size() > 0) {
    const auto as_vector = [](Bytes bytes) {
      return iovec{const_cast<std::byte*>(bytes.data()), bytes.size()};  // only for reading
    };
    const std::array<iovec, 3> pieces{as_vector(first), as_vector(second), as_vector(third)};
    const ssize_t written = ::writev(handle_.get(), pieces.data(), static_cast<int>(pieces.size()));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail(whole, written < 0 ? errno : ENOSPC);
    auto done = static_cast<std::size_t>(written);
    bytes_ += done;
    for (Bytes* const piece : {&first, &second, &third}) {
      const std::size_t of_piece = std::min(done, piece->size());
      *piece = piece->subspan(of_piece);
      done -= of_piece;
    }
  }
}

void ChunkFile::fail(std::uint64_t whole, int error) {
  has_failed_ = true;
  bytes_ = whole;
  // If this fails, too, readers ignore the partial chunk.
  [[maybe_unused]] const int cut = ::ftruncate(handle_.get(), static_cast<off_t>(whole));
  refuse(file_, "write", error);
}

void ChunkFile::add(const NewChunk& chunk, Bytes body) {
  const Bytes stored = compressor_.compress(body);
  const bool has_span = chunk.span.first <= chunk.span.last;
  const ChunkHeader header{.kind = chunk.kind,
                           .file = number_,
                           .number = chunks_.size(),
                           .read_ns = chunk.read_ns,
                           .first_ns = has_span ? chunk.span.first : chunk.read_ns,
                           .last_ns = has_span ? chunk.span.last : chunk.read_ns,
                           .stored = static_cast<std::uint32_t>(stored.size()),
                           .size = static_cast<std::uint32_t>(body.size()),
                           .records = static_cast<std::uint32_t>(chunk.records),
                           .pieces = pieces_of(stored.size()),
                           .body_sum = checksum_of(checksum_seed, stored)};
  rest_.clear();
  write_repair(stored, header.pieces, rest_);
  const auto last = encode_at_end(header);
  rest_.insert(rest_.end(), last.begin(), last.end());
  const std::uint64_t at = bytes_;
  append(encode(header), stored, rest_);
  chunks_.push_back({at, header});
  if (chunk.kind == ChunkKind::events) threads_.add(chunk.content);
}

void ChunkFile::finish(std::int64_t ended_ns) {
  std::vector<std::byte> body;
  write_index(chunks_, threads_.bytes(), body);
  if (body.size() <= ChunkHeader::max_bytes) {  // without an index, readers read all headers
    const std::uint64_t at = bytes_;
    add({.kind = ChunkKind::index, .read_ns = ended_ns}, body);
    append(encode(Trailer{number_, at}), {});
  }
  if (::fsync(handle_.get()) != 0 && errno != EINVAL) refuse(file_, "write", errno);
}

}  // namespace eventspace::recording

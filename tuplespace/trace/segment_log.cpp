#include "tuplespace/trace/segment_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "tuplespace/system/shared_file.h"

namespace eventspace {
namespace {

constexpr auto chunk_bytes = std::uint64_t{64} * 1024;
constexpr std::uint64_t page_bytes = 4096;  // or a part of a page

constexpr std::uint64_t rounded_up(std::uint64_t value, std::uint64_t unit) noexcept {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

SegmentLog::SegmentLog(const std::filesystem::path& file, const FileHandle& handle, std::byte* segment,
                       const segment_layout::Header& header)
    : file_(std::filesystem::absolute(file)),
      segment_(segment),
      begin_(header.log_offset),
      most_(header.log_bytes) {
  struct stat status {};
  if (::fstat(handle.get(), &status) != 0) return;  // then no file matches, and the log stays empty
  device_ = status.st_dev;
  inode_ = status.st_ino;
}

segment_layout::Lifecycle& SegmentLog::lifecycle() const noexcept {
  return *reinterpret_cast<segment_layout::Lifecycle*>(segment_ + sizeof(segment_layout::Header));
}

std::optional<std::uint64_t> SegmentLog::room_for(std::uint64_t bytes) noexcept {
  if (bytes > most_ - end_) return std::nullopt;
  if (end_ + bytes > reserved_bytes() && !reserve(end_ + bytes)) return std::nullopt;
  return begin_ + end_;
}

void SegmentLog::publish(std::uint64_t bytes) noexcept {
  end_ += bytes;
  lifecycle().log_end.store(end_, std::memory_order_release);
}

void SegmentLog::count_refused() noexcept { lifecycle().refused.fetch_add(1, std::memory_order_relaxed); }

bool SegmentLog::reserve(std::uint64_t end) noexcept {
  const FileHandle handle(::open(file_.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status {};
  const bool same = handle.valid() && ::fstat(handle.get(), &status) == 0 && status.st_dev == device_ &&
                    status.st_ino == inode_;
  if (!same) return false;
  // A whole chunk, or only the needed bytes if memory is short.
  const std::uint64_t chunk = std::min(rounded_up(begin_ + end, chunk_bytes) - begin_, most_);
  return reserve_in(handle, chunk) || reserve_in(handle, end);
}

bool SegmentLog::reserve_in(const FileHandle& handle, std::uint64_t end) noexcept {
  const std::uint64_t before = reserved_bytes();
  if (reserve_memory(handle, begin_ + before, end - before) != 0) {
    // Others may need that memory, which no process has accessed.
    [[maybe_unused]] const int ignored = ::ftruncate(handle.get(), static_cast<off_t>(begin_ + before));
    return false;
  }
  // Maps the new pages, so that recording causes no page faults. The page in which the memory ended before is
  // already mapped.
  for (std::uint64_t at = rounded_up(begin_ + before, page_bytes); at < begin_ + end; at += page_bytes)
    reinterpret_cast<std::atomic<std::uint64_t>*>(segment_ + at)->store(0, std::memory_order_relaxed);
  reserved_.store(end, std::memory_order_relaxed);
  return true;
}

}  // namespace eventspace

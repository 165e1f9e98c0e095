#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>

#include "tuplespace/system/mapping.h"
#include "tuplespace/trace/segment_layout.h"

namespace eventspace {

/// The log of the calling process's own segment: reserves its memory piece by piece, and publishes the
/// entries written there.
///
/// It does not keep a descriptor of the file, because the application may close all descriptors that it did
/// not open itself, and open another file with the same number. Whenever memory is needed, it opens the file
/// by name and makes sure that it is still the same file.
///
/// Not thread-safe, except count_refused(), begin() and reserved_bytes().
class SegmentLog {
 public:
  /// `segment` is the memory of `handle`'s file, mapped with all of the log.
  SegmentLog(const std::filesystem::path& file, const FileHandle& handle, std::byte* segment,
             const segment_layout::Header& header);

  /// Returns the offset in the segment of `bytes` bytes of zeros after the last entry, a multiple of 64.
  /// Their memory is reserved and mapped. Returns nullopt if the log or the shared memory is full, or the
  /// file is gone.
  std::optional<std::uint64_t> room_for(std::uint64_t bytes) noexcept;
  /// Publishes an entry that has been written to the first `bytes` bytes of that memory.
  void publish(std::uint64_t bytes) noexcept;

  void count_refused() noexcept;
  /// The offset of the log in the segment.
  [[nodiscard]] std::uint64_t begin() const noexcept { return begin_; }
  /// The bytes of the log for which memory is reserved.
  [[nodiscard]] std::uint64_t reserved_bytes() const noexcept {
    return reserved_.load(std::memory_order_relaxed);
  }

 private:
  [[nodiscard]] segment_layout::Lifecycle& lifecycle() const noexcept;
  bool reserve(std::uint64_t end) noexcept;
  bool reserve_in(const FileHandle& handle, std::uint64_t end) noexcept;

  std::filesystem::path file_;  // absolute: the application may change its directory
  std::uint64_t device_{0};
  std::uint64_t inode_{0};
  std::byte* segment_;
  std::uint64_t begin_;
  std::uint64_t most_;
  std::uint64_t end_{0};                    // of the last entry, from begin_
  std::atomic<std::uint64_t> reserved_{0};  // from begin_
};

}  // namespace eventspace

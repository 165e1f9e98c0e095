#pragma once

#include <cstddef>
#include <filesystem>
#include <utility>

namespace eventspace {

/// Owns a file descriptor and closes it. Movable, not copyable.
class FileHandle {
 public:
  FileHandle() = default;
  explicit FileHandle(int descriptor) noexcept : descriptor_(descriptor) {}
  ~FileHandle();
  FileHandle(FileHandle&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FileHandle& operator=(FileHandle&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  [[nodiscard]] int get() const noexcept { return descriptor_; }
  [[nodiscard]] bool valid() const noexcept { return descriptor_ >= 0; }

 private:
  int descriptor_{-1};
};

/// Owns a shared mapping of a whole file and unmaps it. It does not need the descriptor after construction.
/// Movable, not copyable.
class Mapping {
 public:
  Mapping() = default;
  /// Throws EnvironmentError, whose text names `file`, if the file cannot be mapped.
  Mapping(const FileHandle& handle, std::size_t bytes, bool writable, const std::filesystem::path& file);
  ~Mapping();
  Mapping(Mapping&& other) noexcept
      : address_(std::exchange(other.address_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(address_, other.address_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  [[nodiscard]] std::byte* data() const noexcept { return address_; }
  [[nodiscard]] std::size_t size() const noexcept { return bytes_; }

 private:
  std::byte* address_{nullptr};
  std::size_t bytes_{0};
};

}  // namespace eventspace

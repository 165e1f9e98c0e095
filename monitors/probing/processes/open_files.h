#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace eventspace {

/// A file that a process has open.
struct OpenFile {
  std::int32_t descriptor{0};
  std::uint64_t inode{0};
  bool is_writable{false};  ///< open for writing
  std::string path;         ///< as the kernel reports it, such as "/memfd:NAME (deleted)"
};

/// Lists the open files of a process whose path begins with `start`, in no order. Empty if it has ended, or
/// belongs to another user.
std::vector<OpenFile> open_files_of(std::int32_t pid, std::string_view start = {});

}  // namespace eventspace

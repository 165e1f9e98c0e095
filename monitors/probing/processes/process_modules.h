#pragma once

// Private to monitors/.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace eventspace {

/// A stretch of a process's memory.
struct MappedRange {
  std::uint64_t begin{0};
  std::uint64_t end{0};
  std::uint64_t offset{0};  ///< in the file
  bool is_readable{false};
  bool is_writable{false};
  bool is_executable{false};
  bool is_shared{false};
  std::string device;  ///< of the file: "fe:00"
  std::uint64_t inode{0};
  std::string path;        ///< as the kernel names it; "[heap]" and the like for memory without a file
  bool is_removed{false};  ///< the file has no name any more
};

/// Reads the text of /proc/PID/maps. Lines that are none are left out. Pure.
std::vector<MappedRange> ranges_in(std::string_view maps);

/// The ranges of a process that runs. Throws EnvironmentError if there is no such process, or it belongs to
/// another user.
std::vector<MappedRange> mapped_ranges(std::int32_t pid);

/// A file with code that a process has mapped: its program, or a shared library.
struct ProcessModule {
  std::string path;  ///< as the process names it
  std::string device;
  std::uint64_t inode{0};
  bool is_removed{false};
  std::vector<MappedRange> ranges;  ///< all of that file, by address
};

/// The modules among the ranges, in the order of their addresses. Pure.
std::vector<ProcessModule> modules_of(const std::vector<MappedRange>& ranges);

/// Where the file that is mapped can be read: a path in /proc, which also reaches files in other mount
/// namespaces and, for this user's rights, removed ones. Throws EnvironmentError if the file was removed or
/// replaced since and cannot be reached; its functions are not known then.
std::filesystem::path file_of(std::int32_t pid, const ProcessModule& module);

/// The ids of all processes of this machine but this one, also those of threads of the kernel, by number.
std::vector<std::int32_t> process_ids_here();

/// A process of this machine.
struct ProcessName {
  std::int32_t pid{0};
  std::string
      name;  ///< the last part of the path of its program; the name in /proc where that is not to be seen
};

/// The processes that have memory (no kernel threads), but this one, by pid.
std::vector<ProcessName> processes_here();

}  // namespace eventspace

#pragma once

#include <cstdint>
#include <filesystem>
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
  std::string path;        ///< as the kernel reports it; "[heap]" and the like for memory without a file
  bool is_removed{false};  ///< the file was removed
};

/// Parses the text of /proc/PID/maps. Skips invalid lines. Pure.
std::vector<MappedRange> ranges_in(std::string_view maps);

/// The ranges of a running process. Throws EnvironmentError if the process does not exist or belongs to
/// another user.
std::vector<MappedRange> mapped_ranges(std::int32_t pid);

/// A file with code that a process has mapped: the program or a shared library.
struct ProcessModule {
  std::string path;  ///< in the process's mount namespace
  std::string device;
  std::uint64_t inode{0};
  bool is_removed{false};
  std::vector<MappedRange> ranges;  ///< all ranges of that file, by address
};

/// The modules among the ranges, in order of address. Pure.
std::vector<ProcessModule> modules_of(const std::vector<MappedRange>& ranges);

/// A readable path of the mapped file, in /proc. It also reaches files in other mount namespaces and, if this
/// user has the rights, removed files. Throws EnvironmentError if the file was removed or replaced since and
/// cannot be reached; its functions are then unknown.
std::filesystem::path file_of(std::int32_t pid, const ProcessModule& module);

/// The ids of all other processes of this machine, in ascending order. Includes kernel threads.
std::vector<std::int32_t> process_ids_here();

/// A process of this machine.
struct ProcessName {
  std::int32_t pid{0};
  std::string name;  ///< the file name of its program; the name in /proc where that is not accessible
};

/// All other processes that have memory (no kernel threads), in order of pid.
std::vector<ProcessName> processes_here();

}  // namespace eventspace

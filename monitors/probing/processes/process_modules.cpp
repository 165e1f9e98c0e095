#include "monitors/probing/processes/process_modules.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <fstream>
#include <optional>
#include <thread>

#include <eventspace/error.h>
#include "tuplespace/system/mapping.h"

namespace eventspace {
namespace {

/// Takes a word, and the spaces after it, from the front of `line`.
std::string_view take_word(std::string_view& line) {
  const std::size_t end = std::min(line.find(' '), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(end);
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  return word;
}

bool read_number(std::string_view text, int base, std::uint64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

// 7f1c00000000-7f1c00021000 r-xp 00001000 fe:00 123   /usr/lib/x.so
std::optional<MappedRange> range_in(std::string_view line) {
  MappedRange range;
  const std::string_view addresses = take_word(line);
  const std::string_view rights = take_word(line);
  const std::size_t dash = addresses.find('-');
  if (dash == std::string_view::npos || rights.size() != 4) return std::nullopt;
  if (!read_number(addresses.substr(0, dash), 16, range.begin)) return std::nullopt;
  if (!read_number(addresses.substr(dash + 1), 16, range.end)) return std::nullopt;
  range.is_readable = rights[0] == 'r';
  range.is_writable = rights[1] == 'w';
  range.is_executable = rights[2] == 'x';
  range.is_shared = rights[3] == 's';
  if (!read_number(take_word(line), 16, range.offset)) return std::nullopt;
  range.device = take_word(line);
  if (!read_number(take_word(line), 10, range.inode)) return std::nullopt;
  constexpr std::string_view removed = " (deleted)";
  range.is_removed = line.ends_with(removed);
  if (range.is_removed) line.remove_suffix(removed.size());
  range.path = line;
  return range;
}

bool is_same_file(const std::filesystem::path& file, const ProcessModule& module) {
  struct ::stat facts {};
  if (::stat(file.c_str(), &facts) != 0) return false;
  const std::string device =
      fmt::format("{:02x}:{:02x}", gnu_dev_major(facts.st_dev), gnu_dev_minor(facts.st_dev));
  // On overlay file systems and btrfs, stat reports another device than the list of mappings.
  return facts.st_ino == module.inode && (device == module.device || gnu_dev_major(facts.st_dev) == 0);
}

std::string first_line(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

FileHandle open_maps(std::int32_t pid) {
  const std::string name = fmt::format("/proc/{}/maps", pid);
  FileHandle file(::open(name.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.valid()) return file;
  if (errno == ENOENT) throw EnvironmentError(fmt::format("process {} does not exist", pid));
  if (errno == EACCES) {
    throw EnvironmentError(fmt::format(
        "process {} belongs to another user or forbids inspection; run as its user or as root", pid));
  }
  throw EnvironmentError::from_errno("cannot read " + name, errno);
}

/// Reads the rest of the file; nullopt if the process is without memory now: it is ending, or exec() is
/// replacing it.
std::optional<std::string> rest_of(int file) {
  std::string text;
  std::array<char, 16384> block;
  for (;;) {
    const ::ssize_t got = ::read(file, block.data(), block.size());
    if (got == 0) return text;
    if (got > 0) text.append(block.data(), static_cast<std::size_t>(got));
    if (got < 0 && errno != EINTR) return std::nullopt;
  }
}

}  // namespace

std::vector<MappedRange> ranges_in(std::string_view maps) {
  std::vector<MappedRange> ranges;
  while (!maps.empty()) {
    const std::size_t end = std::min(maps.find('\n'), maps.size());
    if (auto range = range_in(maps.substr(0, end))) ranges.push_back(std::move(*range));
    maps.remove_prefix(std::min(end + 1, maps.size()));
  }
  return ranges;
}

std::vector<MappedRange> mapped_ranges(std::int32_t pid) {
  constexpr int tries = 200;
  for (int i = 0; i < tries; ++i) {
    const FileHandle file = open_maps(pid);
    if (const auto text = rest_of(file.get())) return ranges_in(*text);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  throw EnvironmentError(
      fmt::format("process {} has no memory now: it is ending or starting another program", pid));
}

std::vector<ProcessModule> modules_of(const std::vector<MappedRange>& ranges) {
  std::vector<ProcessModule> modules;
  for (const MappedRange& range : ranges) {
    if (range.inode == 0 || !range.path.starts_with('/')) continue;
    const auto known = std::ranges::find_if(modules, [&](const ProcessModule& module) {
      return module.inode == range.inode && module.device == range.device && module.path == range.path;
    });
    if (known != modules.end()) {
      known->ranges.push_back(range);
    } else {
      modules.push_back({range.path, range.device, range.inode, range.is_removed, {range}});
    }
  }
  std::erase_if(modules, [](const ProcessModule& module) {
    return std::ranges::none_of(module.ranges, &MappedRange::is_executable);
  });
  return modules;
}

std::filesystem::path file_of(std::int32_t pid, const ProcessModule& module) {
  const MappedRange& range = module.ranges.front();
  const std::filesystem::path of_process = fmt::format("/proc/{}", pid);
  // The first path is exact, also for removed files, but only root may use it. The second is exact for the
  // program itself.
  std::filesystem::path exact = of_process / "map_files" / fmt::format("{:x}-{:x}", range.begin, range.end);
  if (::access(exact.c_str(), R_OK) == 0) return exact;
  for (const std::filesystem::path& file :
       {of_process / "exe", std::filesystem::path(of_process.string() + "/root" + module.path)}) {
    if (is_same_file(file, module) && ::access(file.c_str(), R_OK) == 0) return file;
  }
  throw EnvironmentError(
      fmt::format("{} of process {} was removed or replaced after the process mapped it, or cannot be read",
                  module.path, pid));
}

std::vector<std::int32_t> process_ids_here() {
  std::vector<std::int32_t> pids;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    std::uint64_t pid = 0;
    if (read_number(entry.path().filename().string(), 10, pid) &&
        pid != static_cast<std::uint64_t>(::getpid()))
      pids.push_back(static_cast<std::int32_t>(pid));
  }
  std::ranges::sort(pids);
  return pids;
}

std::vector<ProcessName> processes_here() {
  std::vector<ProcessName> found;
  for (const std::int32_t pid : process_ids_here()) {
    const std::filesystem::path files = fmt::format("/proc/{}", pid);
    std::error_code error;
    const auto program = std::filesystem::read_symlink(files / "exe", error);
    // A kernel thread is without a program: reading the link fails with ENOENT.
    if (error == std::errc::no_such_file_or_directory) continue;
    std::string name = error ? first_line(files / "comm") : program.filename().string();
    constexpr std::string_view removed = " (deleted)";
    if (name.ends_with(removed)) name.resize(name.size() - removed.size());
    found.push_back({pid, std::move(name)});
  }
  return found;
}

}  // namespace eventspace

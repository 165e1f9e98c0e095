#include "tuplespace/processes/process_usage.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "tuplespace/parsing/number_in.h"
#include "tuplespace/processes/process_stat.h"
#include "tuplespace/system/mapping.h"

namespace eventspace {
namespace {

/// The beginning of a file in /proc; empty if it cannot be read.
std::string text_of(const std::string& path) {
  const FileHandle file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return {};
  std::array<char, 4096> bytes{};
  const ssize_t length = ::read(file.get(), bytes.data(), bytes.size());
  return length > 0 ? std::string(bytes.data(), static_cast<std::size_t>(length)) : std::string();
}

/// The number after `name` and blanks; 0 if missing.
std::uint64_t number_behind(std::string_view text, std::string_view name) {
  const std::size_t at = text.find(name);
  if (at == std::string_view::npos) return 0;
  const std::size_t digits = text.find_first_of("0123456789", at + name.size());
  return digits == std::string_view::npos ? 0 : leading_number<std::uint64_t>(text.substr(digits));
}

std::uint64_t resident_bytes(std::int32_t pid) {
  static const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const std::string text = text_of(fmt::format("/proc/{}/statm", pid));
  const std::size_t second = text.find(' ');
  return second == std::string::npos ? 0 : page * number_behind(text.substr(second), " ");
}

// The process's file has only the switches of its main thread.
void add_switches(std::int32_t pid, ProcessUsage& usage) {
  const std::string folder = fmt::format("/proc/{}/task", pid);
  const std::unique_ptr<DIR, int (*)(DIR*)> threads(::opendir(folder.c_str()), ::closedir);
  if (threads == nullptr) return;
  std::size_t asked = 0;
  while (const dirent* const entry = ::readdir(threads.get())) {  // NOLINT(concurrency-mt-unsafe): own stream
    if (entry->d_name[0] == '.') continue;
    if (++asked > ProcessUsage::max_threads) return;
    const std::string status = text_of(fmt::format("{}/{}/status", folder, &entry->d_name[0]));
    usage.voluntary_switches += number_behind(status, "\nvoluntary_ctxt_switches:");
    usage.involuntary_switches += number_behind(status, "\nnonvoluntary_ctxt_switches:");
  }
}

/// The kernel computes it every five seconds, and the processes of a machine are read one after the other.
double load_of_machine() {
  constexpr std::chrono::seconds kept{1};
  static std::mutex mutex;
  static std::optional<std::chrono::steady_clock::time_point> read;
  static double load = 0.0;
  const std::lock_guard lock(mutex);
  const auto now = std::chrono::steady_clock::now();
  if (read && now - *read < kept) return load;
  read = now;
  return load = std::strtod(text_of("/proc/loadavg").c_str(), nullptr);
}

}  // namespace

std::optional<ProcessUsage> read_process_usage(std::int32_t pid) {
  const auto stat = read_process_stat(pid);
  if (!stat || !stat->is_known() || !stat->is_alive_since(stat->start_ticks)) return std::nullopt;
  ProcessUsage usage;
  usage.cpu_ns = static_cast<std::uint64_t>(stat->cpu.count());
  usage.memory_bytes = resident_bytes(pid);
  add_switches(pid, usage);
  usage.node_load = load_of_machine();
  const long processors = ::sysconf(_SC_NPROCESSORS_ONLN);
  if (processors > 0) usage.node_processors = static_cast<std::uint32_t>(processors);
  return usage;
}

}  // namespace eventspace

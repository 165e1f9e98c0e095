#include "tuplespace/processes/process_origin.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "tuplespace/processes/process_stat.h"
#include "tuplespace/system/fnv.h"

namespace eventspace {
namespace {

std::uint64_t boot_of_kernel() {
  const std::string boot = boot_id();
  return boot.empty() ? 0 : fnv1a<std::uint64_t>(boot);
}

// 0 on a kernel without such namespaces.
std::uint64_t number_of_namespace(const char* file) {
  struct stat status {};
  return ::stat(file, &status) == 0 ? status.st_ino : 0;
}

// The kernel shows the offsets of the namespace for children, which may differ from the process's own.
void read_offsets(ProcessOrigin& origin) {
  if (origin.time_namespace == 0 ||
      origin.time_namespace != number_of_namespace("/proc/self/ns/time_for_children"))
    return;
  std::ifstream in("/proc/self/timens_offsets");
  std::string clock;
  std::int64_t seconds = 0;
  std::int64_t nanoseconds = 0;
  int found = 0;
  while (in >> clock >> seconds >> nanoseconds) {
    const std::int64_t offset = seconds * 1'000'000'000 + nanoseconds;
    // Older kernels write numbers for the names.
    if (clock == "monotonic" || clock == "1") origin.monotonic_offset_ns = offset, found |= 1;
    if (clock == "boottime" || clock == "7") origin.boottime_offset_ns = offset, found |= 2;
  }
  origin.has_offsets = found == 3 ? 1 : 0;
}

constexpr bool is_same(std::uint64_t a, std::uint64_t b) noexcept { return a == 0 || b == 0 || a == b; }

}  // namespace

std::string boot_id() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  return boot;
}

ProcessOrigin own_origin() {
  ProcessOrigin origin;
  origin.boot = boot_of_kernel();
  origin.pid_namespace = number_of_namespace("/proc/self/ns/pid");
  origin.time_namespace = number_of_namespace("/proc/self/ns/time");
  read_offsets(origin);
  return origin;
}

bool is_same_boot(const ProcessOrigin& a, const ProcessOrigin& b) noexcept { return is_same(a.boot, b.boot); }

bool is_same_pid_namespace(const ProcessOrigin& a, const ProcessOrigin& b) noexcept {
  return is_same_boot(a, b) && is_same(a.pid_namespace, b.pid_namespace);
}

bool is_same_time_namespace(const ProcessOrigin& a, const ProcessOrigin& b) noexcept {
  return is_same_boot(a, b) && is_same(a.time_namespace, b.time_namespace);
}

ClockShift clock_shift(const ProcessOrigin& process, const ProcessOrigin& here) noexcept {
  if (is_same_time_namespace(process, here)) return {};
  if (!is_same_boot(process, here) || process.has_offsets == 0 || here.has_offsets == 0) return {0, false};
  const auto shift = static_cast<std::uint64_t>(process.monotonic_offset_ns) -
                     static_cast<std::uint64_t>(here.monotonic_offset_ns);
  return {static_cast<std::int64_t>(shift), true};
}

ProcessIdentity own_identity() { return {::getpid(), own_start_ticks(), own_origin()}; }

std::string to_text(const ProcessIdentity& process) {
  const ProcessOrigin& of = process.origin;
  return fmt::format("{} {} {} {} {} {} {} {} {}", process.pid, process.start_ticks, of.boot,
                     of.pid_namespace, of.time_namespace, of.monotonic_offset_ns, of.boottime_offset_ns,
                     of.has_offsets, of.has_lock);
}

std::optional<ProcessIdentity> identity_in(std::string_view line) {
  std::istringstream words{std::string(line)};
  ProcessIdentity process;
  ProcessOrigin of;
  if (!(words >> process.pid) || process.pid <= 0) return std::nullopt;
  if (!(words >> process.start_ticks)) process.start_ticks = 0;
  const bool is_whole =
      static_cast<bool>(words >> of.boot >> of.pid_namespace >> of.time_namespace >> of.monotonic_offset_ns >>
                        of.boottime_offset_ns >> of.has_offsets >> of.has_lock);
  if (is_whole) process.origin = of;
  return process;
}

}  // namespace eventspace

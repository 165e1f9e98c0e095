#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace eventspace {

/// The boot of the kernel and the namespaces (namespaces(7)) in which a process has its id and reads its
/// clocks. Processes of different containers can share the directory of segments and yet have the same ids,
/// and clocks that are days apart. Plain data, part of the layout of files in shared memory. Zero means
/// unknown, and counts as equal to everything.
struct ProcessOrigin {
  std::uint64_t boot{0};                ///< a hash of the kernel's boot id
  std::uint64_t pid_namespace{0};       ///< the number of the namespace's file
  std::uint64_t time_namespace{0};      ///< the same
  std::int64_t monotonic_offset_ns{0};  ///< CLOCK_MONOTONIC minus its value in the first time namespace
  std::int64_t boottime_offset_ns{0};   ///< the same for CLOCK_BOOTTIME, on which start times are based
  std::uint32_t has_offsets{0};         ///< 1 if the two offsets are known
  std::uint32_t has_lock{0};            ///< 1 if the process holds a lock on its file as long as it lives
  friend bool operator==(const ProcessOrigin&, const ProcessOrigin&) = default;
};
static_assert(sizeof(ProcessOrigin) == 48);

/// Returns the kernel's boot id; empty if it cannot be read. Reads a file in /proc.
std::string boot_id();
/// Returns the origin of this process, without a lock. Reads files in /proc.
ProcessOrigin own_origin();

// Whether the data of two processes are comparable. Pure functions.
bool is_same_boot(const ProcessOrigin& a, const ProcessOrigin& b) noexcept;
bool is_same_pid_namespace(const ProcessOrigin& a, const ProcessOrigin& b) noexcept;
bool is_same_time_namespace(const ProcessOrigin& a, const ProcessOrigin& b) noexcept;

/// The relation of CLOCK_MONOTONIC of two processes. Pure.
struct ClockShift {
  std::int64_t ns{0};        ///< the difference of the process's clock at the same moment
  bool is_comparable{true};  ///< false if unknown; `ns` is 0 then
};
ClockShift clock_shift(const ProcessOrigin& process, const ProcessOrigin& here) noexcept;

/// A process as it identifies itself: its id and start time (ProcessStat::start_ticks) in its own namespaces.
struct ProcessIdentity {
  std::int32_t pid{0};
  std::uint64_t start_ticks{0};
  ProcessOrigin origin{};
};
/// Throws EnvironmentError if that cannot be read.
ProcessIdentity own_identity();

/// One line of numbers, "PID START BOOT PID-NAMESPACE ...", for files that users also read.
std::string to_text(const ProcessIdentity& process);
/// Also accepts a line that ends after PID or START. Returns nullopt without an id.
std::optional<ProcessIdentity> identity_in(std::string_view line);

}  // namespace eventspace

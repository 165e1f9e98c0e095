#pragma once

#include <cstdint>
#include <optional>

namespace eventspace {

/// The resources of the machine that a process has used, and the load of the machine, from the kernel
/// (proc(5)). Plain data.
struct ProcessUsage {
  std::uint64_t cpu_ns{0};                ///< user and system time of all threads, including ended ones
  std::uint64_t memory_bytes{0};          ///< in main memory now (resident set)
  std::uint64_t voluntary_switches{0};    ///< a thread waited; of living threads
  std::uint64_t involuntary_switches{0};  ///< a thread was preempted; of living threads
  double node_load{0.0};                  ///< of the machine: running and waiting threads, mean of a minute
  std::uint32_t node_processors{1};       ///< of the machine, in use

  /// The maximum number of threads whose switches are read.
  static constexpr std::size_t max_threads = 4096;

  friend bool operator==(const ProcessUsage&, const ProcessUsage&) = default;
};

/// Reads the usage of a process from /proc: a few system calls, and three more for each thread. Returns
/// nullopt if the process does not exist or cannot be read. Thread-safe.
std::optional<ProcessUsage> read_process_usage(std::int32_t pid);

}  // namespace eventspace

#pragma once

#include <cstdint>
#include <optional>

namespace eventspace {

/// What a process has used so far of its machine, and how busy the machine is, as the kernel says (proc(5)).
/// Plain data.
struct ProcessUsage {
  std::uint64_t cpu_ns{0};                ///< user and system time, of all threads, also those that ended
  std::uint64_t memory_bytes{0};          ///< in main memory now (resident set)
  std::uint64_t voluntary_switches{0};    ///< a thread waited for something; of the threads that live
  std::uint64_t involuntary_switches{0};  ///< a thread was displaced; of the threads that live
  double node_load{0.0};                  ///< of the machine: running and waiting threads, mean of a minute
  std::uint32_t node_processors{1};       ///< of the machine, in use

  /// At most so many threads are asked for their switches.
  static constexpr std::size_t most_threads = 4096;

  friend bool operator==(const ProcessUsage&, const ProcessUsage&) = default;
};

/// Reads the usage of a process from /proc: a few system calls, and three more for each thread. Returns
/// nothing if there is no such process, or it cannot be read. Thread-safe.
std::optional<ProcessUsage> read_process_usage(std::int32_t pid);

}  // namespace eventspace

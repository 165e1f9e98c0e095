#pragma once

#include <atomic>
#include <cstdint>

namespace eventspace::bench {

/// What the measured program and the benchmark share: a page of a file.
struct TargetBlock {
  enum Mode : std::uint32_t {
    calls,  ///< a block is a loop of calls of the function, each of which begins when the one before is done
    overlapping,  ///< the processor may begin a call before the one before is done, as where it is called in
                  ///< a loop
    floor         ///< as `calls`; around each call two readings of the counter, and a store of 64 bytes
  };
  static constexpr std::uint64_t calls_of_block = 20000;

  std::atomic<std::uint32_t> mode{calls};
  std::atomic<std::uint32_t> is_over{0};
  std::atomic<std::uint32_t> threads{
      1};  ///< that call the function, from the start on; the first one measures
  std::atomic<std::uint64_t> blocks{0};  ///< so many are done
  std::atomic<double> ns_of_call{0};     ///< in the last of them
};

}  // namespace eventspace::bench

#pragma once

#include <atomic>
#include <cstdint>

namespace eventspace::bench {

/// The page of a file that the measured program and the benchmark share.
struct TargetBlock {
  enum Mode : std::uint32_t {
    calls,        ///< a block is a loop of calls of the function; each begins when the previous one is done
    overlapping,  ///< the processor may begin a call before the previous one is done, like in a normal loop
    floor         ///< like `calls`, with two readings of the counter and a 64-byte store around each call
  };
  static constexpr std::uint64_t calls_of_block = 20000;

  std::atomic<std::uint32_t> mode{calls};
  std::atomic<std::uint32_t> is_over{0};
  std::atomic<std::uint32_t> threads{
      1};  ///< threads that call the function from the start; the first one measures
  std::atomic<std::uint64_t> blocks{0};  ///< number of blocks done
  std::atomic<double> ns_of_call{0};     ///< in the last of them
};

}  // namespace eventspace::bench

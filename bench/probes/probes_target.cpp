// The program that is probed: probes_target FILE calls a function in blocks, as set in the page FILE
// (TargetBlock), until the page ends it; further threads call it all the time. probes_target alone does 20
// blocks and prints the shortest time of a call, in nanoseconds, for tools that start the measured program.
// probes_target --wait does nothing.

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <x86intrin.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string_view>
#include <thread>
#include <vector>

#include "bench/probes/target_block.h"

using eventspace::bench::TargetBlock;

extern "C" {
// Long enough for the jumps of probes at entry and exit; its work takes a few cycles.
#ifdef __clang__
[[gnu::noinline]]
#else
[[gnu::noinline, gnu::noclone]]
#endif
std::uint64_t
bench_target(std::uint64_t a, std::uint64_t b, double /*for probes that read it*/) {
  std::uint64_t value = a + b;
  asm volatile("nopl 0(%%rax)\n\tnopl 0(%%rax)\n\tlea 1(%0), %0\n\tnopl 0(%%rax)\n\tnopl 0(%%rax)"
               : "+r"(value));
  return value;
}
}

namespace {

constexpr double real_argument = 1.5;

struct Record {
  std::array<std::uint64_t, 8> words;
};
std::array<Record, 200> records;

std::uint64_t call_overlapping(std::uint64_t sum) {
  for (std::uint64_t i = 0; i < TargetBlock::calls_of_block; ++i) sum = bench_target(sum, i, real_argument);
  return sum;
}

// Without the fence, the processor overlaps the work of a probe with the next calls, which do not depend on
// it: the additional time of a call is then at most a fifth of the probe's time.
std::uint64_t call_all(std::uint64_t sum) {
  for (std::uint64_t i = 0; i < TargetBlock::calls_of_block; ++i) {
    sum = bench_target(sum, i, real_argument);
    _mm_lfence();
  }
  return sum;
}

std::uint64_t call_with_floor(std::uint64_t sum) {
  std::size_t slot = 0;
  for (std::uint64_t i = 0; i < TargetBlock::calls_of_block; ++i) {
    const std::uint64_t start = __rdtsc();
    sum = bench_target(sum, i, real_argument);
    const std::uint64_t end = __rdtsc();
    records[slot] = {{i, start, 7, 30, end, 11, sum, 0}};
    slot = slot + 1 == records.size() ? 0 : slot + 1;
    asm volatile("" ::: "memory");
    _mm_lfence();
  }
  return sum;
}

double ns_of_block(std::uint32_t mode) {
  static volatile std::uint64_t sink = 0;
  const auto begin = std::chrono::steady_clock::now();
  sink = mode == TargetBlock::floor         ? call_with_floor(sink)
         : mode == TargetBlock::overlapping ? call_overlapping(sink)
                                            : call_all(sink);
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
  return took.count() / static_cast<double>(TargetBlock::calls_of_block);
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) {
    double best = 1e9;
    for (int i = 0; i < 20; ++i) best = std::min(best, ns_of_block(TargetBlock::calls));
    std::printf("%.3f\n", best);
    return 0;
  }
  if (std::string_view(words[1]) == "--wait") return ::pause();
  const int file = ::open(words[1], O_RDWR | O_CLOEXEC);
  void* const page = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (file < 0 || page == MAP_FAILED) return 1;
  auto& block = *static_cast<TargetBlock*>(page);
  std::vector<std::jthread> others;
  for (std::uint32_t i = 1; i < block.threads; ++i)
    others.emplace_back([&block] {
      std::uint64_t sum = 0;
      while (block.is_over == 0) sum = call_all(sum);
    });
  while (block.is_over == 0) {
    block.ns_of_call = ns_of_block(block.mode);
    ++block.blocks;
  }
  return 0;
}

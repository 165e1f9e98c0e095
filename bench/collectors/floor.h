#pragma once

// The minimum cost of recording an operation: two readings of the counter around it and one 64-byte store.

#include <benchmark/benchmark.h>
#include <x86intrin.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <eventspace/stage.h>
#include "tuplespace/trace/trace_element.h"

namespace eventspace::bench {

constexpr std::uint32_t floor_threshold = 200;

struct Counter {
  static std::uint64_t read() noexcept { return __rdtsc(); }
};

/// Records into its own ring with the minimum work of any recorder. Nothing is published, a reader could not
/// distinguish a whole record from an incomplete one, operations in flight are not visible, and recording
/// cannot be switched off.
class BareRing {
 public:
  void put(const TraceTuple& tuple) noexcept {
    records_[slot_] = tuple;
    slot_ = slot_ + 1 == floor_threshold ? 0 : slot_ + 1;
  }

 private:
  std::vector<TraceTuple> records_{floor_threshold};
  std::size_t slot_{0};
};

/// Two stamps around the same end of a path as the event collector has, and a record.
template <class Source, class Store>
void record_by_hand(Store& store, Stage& stage, Operation& operation, std::size_t times) {
  Stage* hidden = &stage;
  benchmark::DoNotOptimize(hidden);
  for (std::size_t i = 0; i < times; ++i) {
    const std::uint64_t start = Source::read();
    hidden->call(operation);
    const std::uint64_t end = Source::read();
    store.put({{i, start, 7, 30, end, 11, operation.sequence, 0}});
    benchmark::ClobberMemory();
  }
}

}  // namespace eventspace::bench

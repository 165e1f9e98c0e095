// What recording one operation costs, beside the floor: two readings of the clock and one 64-byte record
// stored into a ring. Both go through the same stage that does nothing. Names are FIGURE/ours and
// FIGURE/PEER; see scripts/bench.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "collectors/event_collector.h"

namespace eventspace {
namespace {

constexpr std::uint32_t threshold = 200;

class DoNothing final : public Stage {
 public:
  void begin(Operation& operation) override { operation.status = Status::under_way; }
  bool ready(Operation& /*operation*/) override { return true; }
  void finish(Operation& operation) override { operation.status = Status::ok; }
};

// Zeroed memory for a trace element's ring.
class Ring {
 public:
  Ring() : bytes_(new (std::align_val_t(64)) std::byte[TraceRing::bytes(threshold)]{}) {}
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;
  ~Ring() { ::operator delete[](bytes_, std::align_val_t(64)); }
  [[nodiscard]] std::byte* data() noexcept { return bytes_; }

 private:
  std::byte* bytes_;
};

Operation write_operation() {
  Operation operation;
  operation.tuple = Tuple::of({std::int64_t{1}});
  return operation;
}

// Calls through a pointer that the compiler knows nothing of, as a thread calls its path.
void call_repeatedly(benchmark::State& state, Stage* stage) {
  Operation operation = write_operation();
  benchmark::DoNotOptimize(stage);
  while (state.KeepRunning()) {
    stage->call(operation);
    benchmark::ClobberMemory();
  }
}

void Collected(benchmark::State& state, bool on) {
  Ring ring;
  const VirtualTime virtual_time;
  const CollectSwitch enabled{on};
  EventCollector collector(std::make_unique<DoNothing>(), TraceWriter(ring.data(), threshold), {},
                           virtual_time, enabled, Clock::instance());
  call_repeatedly(state, &collector);
}

void NotCollected(benchmark::State& state) {
  DoNothing nothing;
  call_repeatedly(state, &nothing);
}

void Floor(benchmark::State& state) {
  Ring ring;
  auto* const records = reinterpret_cast<TraceTuple*>(ring.data());
  const Clock& clock = Clock::instance();
  DoNothing nothing;
  Stage* stage = &nothing;
  benchmark::DoNotOptimize(stage);
  Operation operation = write_operation();
  std::uint64_t sequence = 0;
  std::size_t slot = 0;
  while (state.KeepRunning()) {
    const std::uint64_t start = clock.now();
    stage->call(operation);
    const std::uint64_t end = clock.now();
    ++sequence;
    records[slot].words = {sequence, start, 0, 0, end, 0, operation.sequence, 0};
    slot = slot + 1 == threshold ? 0 : slot + 1;
    benchmark::ClobberMemory();
  }
}

BENCHMARK_CAPTURE(Collected, on, true)->Name("record an operation/ours");
BENCHMARK(Floor)->Name("record an operation/two clock readings and a store");
BENCHMARK_CAPTURE(Collected, off, false)->Name("switched off/ours");
BENCHMARK(NotCollected)->Name("switched off/no collector");

}  // namespace
}  // namespace eventspace

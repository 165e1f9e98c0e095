// The cost of recording one operation with an event collector as a wrapper on a path, whose trace element is
// in a segment in shared memory. It is compared with the floor (two readings of the counter and one 64-byte
// store) and with other ways to keep a trace. Names are FIGURE/ours and FIGURE/PEER; see scripts/bench.
#include "collectors/event_collector.h"

#include <deque>
#include <mutex>

#include "bench/collectors/floor.h"
#include "bench/collectors/lttng_peer.h"
#include "bench/collectors/recorded_path.h"
#include "bench/collectors/redis_peer.h"
#include "bench/interleaved.h"

namespace eventspace::bench {
namespace {

struct Monotonic {
  static std::uint64_t read() noexcept { return Clock::monotonic_now(); }
};

/// The same records, kept in the most obvious way.
class LockedDeque {
 public:
  void put(const TraceTuple& tuple) {
    const std::lock_guard lock(mutex_);
    if (records_.size() == floor_threshold) records_.pop_front();
    records_.push_back(tuple);
  }

 private:
  std::mutex mutex_;
  std::deque<TraceTuple> records_;
};

struct Contestants {
  Segment segment{make_segment("collect", 3, floor_threshold)};
  RecordedPath recorded{segment.writer(0), true};
  RecordedPath ordered{segment.writer(1), true, StampOrder::ordered};
  RecordedPath switched_off{segment.writer(2), false};
  DoNothing nothing;
  BareRing ring;
  BareRing monotonic_ring;
  LockedDeque deque;
  LttngPeer lttng;
  RedisPeer redis;
  Operation operation{write_operation()};

  Interleaved race{is_measuring() ? 1000u : 3u, 1000};
  Interleaved slow_race{is_measuring() ? 20u : 3u, 100};

  Contestants() {
    add("record an operation/ours",
        [this](auto times) { call_repeatedly(recorded.stage(), operation, times); });
    add("record an operation/floor: two rdtsc and a 64-byte store",
        [this](auto times) { record_by_hand<Counter>(ring, nothing, operation, times); });
    add("record an operation/two clock_gettime and a store",
        [this](auto times) { record_by_hand<Monotonic>(monotonic_ring, nothing, operation, times); });
    add("record an operation/two rdtsc, a mutex and a deque",
        [this](auto times) { record_by_hand<Counter>(deque, nothing, operation, times); });
    add_if(lttng.unavailable(), race, "record an operation/LTTng-UST, a pair of tracepoints",
           [this](auto times) { lttng.record(nothing, operation, times); });
    add("record with ordered stamps/ours",
        [this](auto times) { call_repeatedly(ordered.stage(), operation, times); });
    add("record with ordered stamps/plain stamps",
        [this](auto times) { call_repeatedly(recorded.stage(), operation, times); });
    add("switched off/ours", [this](auto times) { call_repeatedly(switched_off.stage(), operation, times); });
    add("switched off/no collector", [this](auto times) { call_repeatedly(nothing, operation, times); });
    race.add_difference("record an operation, added to a path", "record an operation/ours",
                        "switched off/no collector");
    race.add_difference("switched off, added to a path", "switched off/ours", "switched off/no collector");
    race.register_benchmarks();
    slow_race.add("record an operation, or send it to a database/ours",
                  [this](auto times) { call_repeatedly(recorded.stage(), operation, times); });
    add_if(redis.unavailable(), slow_race,
           "record an operation, or send it to a database/Redis XADD, Unix socket",
           [this](auto times) { redis.record(nothing, operation, times); });
    slow_race.register_benchmarks();
  }
  void add(const char* name, Interleaved::Turn turn) { race.add(name, std::move(turn)); }
  static void add_if(const std::string& unavailable, Interleaved& to, const char* name,
                     Interleaved::Turn turn) {
    if (unavailable.empty()) {
      to.add(name, std::move(turn));
    } else {
      to.add_absent(name, unavailable);
    }
  }
};

}  // namespace
}  // namespace eventspace::bench

// Not the main function of benchmark_main: LTTng's tracepoints exist only after the program's static objects
// do.
int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  const eventspace::bench::Contestants contestants;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}

#pragma once

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "collectors/event_collector.h"
#include "tuplespace/trace/segment.h"

namespace eventspace::bench {

/// The end of a path: does nothing.
class DoNothing final : public Stage {
 public:
  void begin(Operation& operation) override { operation.status = Status::under_way; }
  bool ready(Operation& /*operation*/) override { return true; }
  void finish(Operation& operation) override { operation.status = Status::ok; }
  void call(Operation& operation) override { operation.status = Status::ok; }
};

inline Operation write_operation() {
  Operation operation;
  operation.tuple = Tuple::of({std::int64_t{1}});
  return operation;
}

inline std::string session_of(const std::string& name) { return name + "-" + std::to_string(::getpid()); }

/// Set by scripts/bench. Without it, benchmarks are smoke tests: they do not start other programs and use
/// little memory.
inline bool is_measuring() { return std::getenv("EVENTSPACE_BENCH") != nullptr; }

/// A segment in shared memory with `count` trace elements, of several threads in turn, like an application's
/// segment. `name` becomes part of its session's name.
inline Segment make_segment(const std::string& name, std::uint32_t count, std::uint32_t threshold = 200,
                            std::uint32_t threads = 1) {
  Segment::Config config;
  config.identity = {session_of(name), "n", "p", 1};
  config.clock = Clock::instance().calibration();
  for (std::uint32_t t = 0; t < threads; ++t) config.threads.push_back(t);
  for (std::uint32_t i = 0; i < count; ++i)
    config.traces.push_back({"t/" + std::to_string(i) + "@thread", i, i, i % threads, 0, threshold});
  return Segment(config);
}

/// A path with one event collector before an end that does nothing, as a thread calls it.
class RecordedPath {
 public:
  RecordedPath(TraceWriter writer, bool on, StampOrder order = StampOrder::plain,
               std::unique_ptr<Stage> end = std::make_unique<DoNothing>())
      : RecordedPath(writer, std::shared_ptr<const RecordedThread>(new RecordedThread{&switch_of_all(on)}),
                     order, std::move(end)) {}
  /// Makes one of several paths of a thread.
  RecordedPath(TraceWriter writer, std::shared_ptr<const RecordedThread> thread, StampOrder order,
               std::unique_ptr<Stage> end)
      : thread_(std::move(thread)),
        collector_(make_event_collector(std::move(end), writer, {}, *thread_, Clock::instance(), order)) {}

  /// All paths share one switch that is on, or one that is off, like the paths of a process.
  static const CollectSwitch& switch_of_all(bool on) {
    static const CollectSwitch is_on{true};
    static const CollectSwitch is_off{false};
    return on ? is_on : is_off;
  }

  Stage& stage() noexcept { return *collector_; }

 private:
  std::shared_ptr<const RecordedThread> thread_;
  std::unique_ptr<Stage> collector_;
};

/// Calls through a pointer whose target the compiler does not know, as a thread calls its path.
inline void call_repeatedly(Stage& stage, Operation& operation, std::size_t times) {
  Stage* hidden = &stage;
  benchmark::DoNotOptimize(hidden);
  for (std::size_t i = 0; i < times; ++i) {
    hidden->call(operation);
    benchmark::ClobberMemory();
  }
}

}  // namespace eventspace::bench

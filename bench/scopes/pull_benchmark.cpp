// The cost of one pull of the newest events of 1 to 2240 trace elements. In the monitor's own process it is
// compared with copying the events out of the rings, with warm and cold caches; over loopback TCP, with a
// plain ZeroMQ round trip that transfers as many bytes. Names are FIGURE/ours and FIGURE/PEER; see
// scripts/bench.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <fmt/format.h>

#include <chrono>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bench/interleaved.h"
#include "bench/plain_echo.h"
#include "bench/scopes/observed_application.h"
#include "pathmaps/sessions/consumer.h"
#include "tuplespace/system/mapping.h"
#include "tuplespace/trace/segment.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace eventspace::bench {
namespace {

template <class Application>
void Pull(benchmark::State& state, const char* scope_name, std::size_t threads) {
  const Application application(threads);
  Consumer consumer(application.plan(), application.session());
  EventScope scope = consumer.open(scope_name);
  std::size_t incomplete = 0;
  while (state.KeepRunning()) {
    const View view = scope.pull({});
    if (view.records.size() != threads) ++incomplete;
  }
  if (incomplete != 0) state.SkipWithError("some pulls brought less than one event for each thread");
}

void CopyFromRings(benchmark::State& state, std::size_t threads) {
  const ObservedApplication application(threads);
  const SegmentView segment(find_segments(application.session()).at(0));
  std::vector<TraceTuple> records;
  while (state.KeepRunning()) {
    records.clear();
    for (const SegmentView::Trace& trace : segment.traces()) {
      if (const auto newest = trace.reader.newest()) records.push_back(*newest);
    }
    benchmark::DoNotOptimize(records.data());
    benchmark::ClobberMemory();
  }
  if (records.size() != threads) state.SkipWithError("the rings hold less than one event for each thread");
}

#if defined(__x86_64__)
/// The bytes of an application's segment, in a mapping of their own.
class SegmentBytes {
 public:
  explicit SegmentBytes(const std::string& session) {
    const SegmentView segment(find_segments(session).at(0));
    const FileHandle file(::open(segment.path().c_str(), O_RDONLY | O_CLOEXEC));
    bytes_ = Mapping(file, std::filesystem::file_size(segment.path()), false, segment.path());
    std::map<std::pair<std::uint64_t, std::uint64_t>, TraceTuple> wanted;  // by sequence, and thread and path
    for (const SegmentView::Trace& trace : segment.traces()) {
      if (const auto newest = trace.reader.newest()) wanted.emplace(key_of(*newest), *newest);
    }
    for (std::size_t at = 0; at + sizeof(TraceTuple) <= bytes_.size(); at += sizeof(TraceTuple)) {
      TraceTuple line;
      std::memcpy(&line, bytes_.data() + at, sizeof line);
      if (const auto found = wanted.find(key_of(line)); found != wanted.end() && found->second == line)
        newest_.push_back(bytes_.data() + at);
    }
  }

  /// Removes the bytes from all caches.
  void flush() const {
    for (std::size_t at = 0; at < bytes_.size(); at += 64) _mm_clflush(bytes_.data() + at);
    _mm_mfence();
  }
  /// Addresses of the newest record of each trace element.
  [[nodiscard]] const std::vector<const std::byte*>& newest() const noexcept { return newest_; }

 private:
  static std::pair<std::uint64_t, std::uint64_t> key_of(const TraceTuple& tuple) {
    return {tuple.words[0], tuple.words[2]};
  }

  Mapping bytes_;
  std::vector<const std::byte*> newest_;
};

void time_cold(benchmark::State& state, const SegmentBytes& bytes, const std::function<void()>& run) {
  while (state.KeepRunning()) {
    bytes.flush();
    const auto begun = std::chrono::steady_clock::now();
    run();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
    state.SetIterationTime(took.count());
  }
}

void PullCold(benchmark::State& state, std::size_t threads) {
  const ObservedApplication application(threads);
  const SegmentBytes bytes(application.session());
  Consumer consumer(application.plan(), application.session());
  EventScope scope = consumer.open("direct");
  std::size_t incomplete = 0;
  time_cold(state, bytes, [&] { incomplete += scope.pull({}).records.size() != threads ? 1 : 0; });
  if (incomplete != 0) state.SkipWithError("some pulls brought less than one event for each thread");
}

void CopyCold(benchmark::State& state, std::size_t threads) {
  const ObservedApplication application(threads);
  const SegmentBytes bytes(application.session());
  if (bytes.newest().size() != threads) return state.SkipWithError("the records were not found");
  std::vector<TraceTuple> records(threads);
  time_cold(state, bytes, [&] {
    for (std::size_t i = 0; i < threads; ++i) std::memcpy(&records[i], bytes.newest()[i], sizeof(TraceTuple));
    benchmark::DoNotOptimize(records.data());
    benchmark::ClobberMemory();
  });
}
#endif

/// One figure: a pull through the node's server, and a plain round trip of as many bytes each way.
class PullOverTcp {
 public:
  explicit PullOverTcp(std::size_t threads) : threads_(threads) {
    const std::string figure = fmt::format("pull over TCP, {} trace elements", threads);
    race_.add(figure + "/ours", [this](std::size_t times) { pull(times); });
    race_.add(figure + "/ZeroMQ round trip", [this](std::size_t times) { ask(times); });
    race_.register_benchmarks();
  }

 private:
  /// An application with its server, and an open scope.
  struct Served {
    explicit Served(std::size_t threads) : application(threads) { (void)scope.pull({}); }

    ObservedApplication application;
    Consumer consumer{application.plan(), application.session()};
    EventScope scope{consumer.open("served")};
  };

  Served& served() {
    if (!served_) served_ = std::make_unique<Served>(threads_);
    return *served_;
  }
  void pull(std::size_t times) {
    for (std::size_t i = 0; i < times; ++i) {
      if (served().scope.pull({}).records.size() != threads_)
        throw std::runtime_error("a pull brought less than one event for each thread");
    }
  }
  void ask(std::size_t times) {
    if (!echo_) {
      const Link::Counts before = served().consumer.traffic();
      pull(1);
      const Link::Counts after = served().consumer.traffic();
      echo_ = std::make_unique<PlainEcho>(after.bytes_sent - before.bytes_sent,
                                          after.bytes_received - before.bytes_received);
    }
    for (std::size_t i = 0; i < times; ++i) echo_->round_trip();
  }

  std::size_t threads_;
  std::unique_ptr<Served> served_;
  std::unique_ptr<PlainEcho> echo_;
  Interleaved race_{500, 40};
};

PullOverTcp one(1);
PullOverTcp some(140);
PullOverTcp many(2240);

const bool registered = [] {
  const auto add = [](const char* figure, std::size_t threads, const char* side, auto run) {
    const std::string name = fmt::format("{}, {} trace elements/{}", figure, threads, side);
    benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) { run(state, threads); })
        ->UseRealTime()
        ->Unit(benchmark::kMicrosecond);
  };
  const auto pull = [](benchmark::State& state, std::size_t threads) {
    Pull<ObservedApplication>(state, "direct", threads);
  };
  for (const std::size_t threads : {1, 140, 2240}) {
    add("pull here", threads, "ours", pull);
    add("pull here", threads, "copying from the rings", CopyFromRings);
  }
  for (const std::size_t threads : {140, 700}) {  // the trace elements of more threads need 64 MiB
    add("pull here without a pathmap", threads, "ours",
        [](benchmark::State& state, std::size_t n) { Pull<DynamicApplication>(state, "heartbeat", n); });
    add("pull here without a pathmap", threads, "with one", pull);
  }
#if defined(__x86_64__)
  const std::string cold = "pull here from cold caches, 1948 trace elements";
  benchmark::RegisterBenchmark((cold + "/ours").c_str(), PullCold, 1948)
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
  benchmark::RegisterBenchmark((cold + "/memcpy of the records").c_str(), CopyCold, 1948)
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
#endif
  return true;
}();

}  // namespace
}  // namespace eventspace::bench

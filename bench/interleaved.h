#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace eventspace::bench {

/// Times several contestants in turns of some tens of microseconds, so that disturbances of the machine
/// affect all of them alike; a contestant's figure is the median over its turns of the time of one operation.
/// Google Benchmark by itself measures them one after another, a tenth of a second apart: on a shared
/// machine, that measures the neighbours more than figures of some nanoseconds.
///
///     static Interleaved race(2000, 1000);            // turns, operations in each
///     race.add("figure/ours", [&](std::size_t operations) { ... });
///     race.add("figure/peer", [&](std::size_t operations) { ... });
///     race.register_benchmarks();                     // the first one requested runs the race
///
/// Must live until all benchmarks have run. Uses one thread; a turn waits for the threads that it starts.
class Interleaved {
 public:
  using Turn = std::function<void(std::size_t operations)>;

  Interleaved(std::size_t turns, std::size_t operations) : turns_(turns), operations_(operations) {}

  void add(std::string name, Turn turn) { add_rate(std::move(name), {}, 1.0, std::move(turn)); }
  /// Adds a contestant whose figure is a rate: `each` items of `counter` per operation, such as the two
  /// events that two threads record during one thread's operation.
  void add_rate(std::string name, std::string counter, double each, Turn turn) {
    contestants_.push_back({std::move(name), std::move(counter), each, std::move(turn), {}});
  }
  /// Adds a figure: how much longer one contestant takes than another, turn by turn.
  void add_difference(std::string name, const std::string& longer, const std::string& shorter) {
    differences_.push_back({std::move(name), index_of(longer), index_of(shorter)});
  }
  /// Adds a contestant that cannot run here: its row has the reason.
  void add_absent(const std::string& name, std::string why) {
    benchmark::RegisterBenchmark(
        name.c_str(), [why = std::move(why)](benchmark::State& state) { state.SkipWithError(why.c_str()); });
  }

  void register_benchmarks() {
    for (std::size_t i = 0; i < contestants_.size(); ++i) {
      benchmark::RegisterBenchmark(contestants_[i].name.c_str(), [this, i](benchmark::State& state) {
        const double seconds = result(i);
        while (state.KeepRunning()) state.SetIterationTime(seconds);
        const Contestant& contestant = contestants_[i];
        if (!contestant.counter.empty()) state.counters[contestant.counter] = contestant.each / seconds;
      })->UseManualTime();
    }
    for (const Difference& difference : differences_) {
      benchmark::RegisterBenchmark(difference.name.c_str(), [this, &difference](benchmark::State& state) {
        const double seconds = result(difference);
        while (state.KeepRunning()) state.SetIterationTime(seconds);
      })->UseManualTime();
    }
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct Contestant {
    std::string name;
    std::string counter;
    double each;
    Turn turn;
    std::vector<double> seconds;  // of one operation, turn by turn
  };

  struct Difference {
    std::string name;
    std::size_t longer;
    std::size_t shorter;
  };

  [[nodiscard]] std::size_t index_of(const std::string& name) const {
    const auto found = std::find_if(contestants_.begin(), contestants_.end(),
                                    [&](const Contestant& contestant) { return contestant.name == name; });
    return static_cast<std::size_t>(found - contestants_.begin());
  }

  const std::vector<double>& seconds_of(std::size_t contestant) {
    if (contestants_[contestant].seconds.empty()) run();
    return contestants_.at(contestant).seconds;
  }

  double result(std::size_t contestant) { return median(seconds_of(contestant)); }
  double result(const Difference& difference) {
    std::vector<double> seconds = seconds_of(difference.longer);
    for (std::size_t turn = 0; turn < turns_; ++turn) seconds[turn] -= seconds_of(difference.shorter)[turn];
    return std::max(median(std::move(seconds)), 0.0);
  }

  static double median(std::vector<double> seconds) {
    const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
    std::nth_element(seconds.begin(), middle, seconds.end());
    return *middle;
  }

  void run() {
    for (std::size_t turn = 0; turn < turns_; ++turn) {
      for (Contestant& contestant : contestants_) {
        const auto begun = Clock::now();
        contestant.turn(operations_);
        const std::chrono::duration<double> elapsed = Clock::now() - begun;
        contestant.seconds.push_back(elapsed.count() / static_cast<double>(operations_));
      }
    }
  }

  std::size_t turns_;
  std::size_t operations_;
  std::vector<Contestant> contestants_;
  std::vector<Difference> differences_;
};

}  // namespace eventspace::bench

#include "bench/windtunnel/barrier_tunnel.h"

#include <algorithm>
#include <array>
#include <barrier>
#include <thread>
#include <vector>

#include "apps/windtunnel/gas/decomposition.h"
#include "apps/windtunnel/gas/slice.h"

namespace eventspace::windtunnel {
namespace {

using Clock = std::chrono::steady_clock;

// The rows that leave one slice in one step: three at each side, in the order of leaving(side).
class SharedRows {
 public:
  explicit SharedRows(std::size_t words) {
    for (auto& side : rows_) side.fill(std::vector<std::uint64_t>(words));
  }

  void copy_from(const Slice& slice) {
    for (const auto side : kSides)
      for (std::size_t i = 0; i < 3; ++i)
        std::ranges::copy(slice.border(side, leaving(side)[i]), row(side, i).begin());
  }

  // `slice` lies at `side` of the slice that these rows leave.
  void copy_to(Slice& slice, Side side) const {
    for (std::size_t i = 0; i < 3; ++i)
      slice.set_halo(opposite(side), leaving(side)[i], rows_[static_cast<std::size_t>(side)][i]);
  }

 private:
  std::vector<std::uint64_t>& row(Side side, std::size_t i) {
    return rows_[static_cast<std::size_t>(side)][i];
  }

  std::array<std::array<std::vector<std::uint64_t>, 3>, 2> rows_;
};

class BarrierTunnel {
 public:
  BarrierTunnel(const TunnelConfig& config, std::size_t threads, std::uint64_t steps)
      : config_(config),
        steps_(steps),
        barrier_(static_cast<std::ptrdiff_t>(threads)),
        shared_(threads, {SharedRows(config.words()), SharedRows(config.words())}),
        found_(threads) {}

  TunnelRun run() {
    {
      std::vector<std::jthread> running;
      for (std::size_t i = 0; i < found_.size(); ++i) running.emplace_back([this, i] { work(i); });
    }
    return sum();
  }

 private:
  struct alignas(64) Found {
    Clock::time_point start;
    Clock::time_point end;
    Throughput flow;
    std::uint64_t checksum = 0;
  };

  void work(std::size_t number) {
    Slice slice(config_, slice_rows(config_.rows(), found_.size(), number));
    barrier_.arrive_and_wait();
    auto& found = found_[number];
    found.start = Clock::now();
    for (std::uint64_t step = 0; step < steps_; ++step) {
      slice.collide(step);
      exchange(number, slice, step);
      found.flow += slice.propagate(step);
    }
    found.end = Clock::now();
    found.checksum = slice.checksum();
  }

  // Two sets of rows are used alternately, so that one barrier per step is enough: a thread that writes a set
  // again, two steps later, has passed the barrier of the step in between, which no thread reaches before it
  // has read that set.
  void exchange(std::size_t number, Slice& slice, std::uint64_t step) {
    const auto set = step % 2;
    const auto count = shared_.size();
    shared_[number][set].copy_from(slice);
    barrier_.arrive_and_wait();
    shared_[(number + count - 1) % count][set].copy_to(slice, Side::south);
    shared_[(number + 1) % count][set].copy_to(slice, Side::north);
  }

  TunnelRun sum() const {
    const auto start = std::ranges::min(found_, {}, &Found::start).start;
    const auto end = std::ranges::max(found_, {}, &Found::end).end;
    TunnelRun run{end - start, 0};
    for (const auto& found : found_) run.checksum += found.checksum;
    return run;
  }

  const TunnelConfig config_;
  const std::uint64_t steps_;
  std::barrier<> barrier_;
  std::vector<std::array<SharedRows, 2>> shared_;  // one for each thread
  std::vector<Found> found_;                       // one for each thread
};

}  // namespace

TunnelRun run_on_barrier(const TunnelConfig& config, std::size_t threads, std::uint64_t steps) {
  validate(config);
  slice_rows(config.rows(), threads, 0);  // throws if there are more threads than rows
  return BarrierTunnel(config, threads, steps).run();
}

}  // namespace eventspace::windtunnel

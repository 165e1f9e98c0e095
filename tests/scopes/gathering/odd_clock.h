#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "collectors/clock.h"
#include "tuplespace/trace/node_clock.h"

namespace eventspace::test {

/// A node's clock that differs from this machine's in time and rate. It must outlive its users.
class OddClock {
 public:
  OddClock(std::int64_t ahead_ns, double ppm, std::uint64_t identity)
      : ahead_ns_(ahead_ns), rate_(ppm * 1e-6), identity_(identity) {}

  [[nodiscard]] std::uint64_t at(std::uint64_t true_ns) const {
    const auto since = static_cast<double>(static_cast<std::int64_t>(true_ns - begun_));
    return true_ns +
           static_cast<std::uint64_t>(ahead_ns_ + static_cast<std::int64_t>(since * rate_) + stepped_);
  }
  void step(std::chrono::nanoseconds by) { stepped_ += by.count(); }
  [[nodiscard]] NodeClock clock() {
    return {[this] { return at(Clock::monotonic_now()); }, identity_};
  }

 private:
  std::int64_t ahead_ns_;
  double rate_;
  std::uint64_t identity_;
  std::uint64_t begun_{Clock::monotonic_now()};
  std::atomic<std::int64_t> stepped_{0};
};

}  // namespace eventspace::test

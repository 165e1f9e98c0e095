#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <eventspace/session.h>
#include "pathmaps/plan/plan.h"

namespace eventspace::bench {

/// A delay of one operation: `thread` comes this long after all others have contributed.
struct Delay {
  std::size_t thread{0};  ///< by its number in the plan
  std::chrono::nanoseconds by{};
};

/// Makes random delays of random threads, with logarithms uniformly distributed from `least` to `most`.
std::vector<Delay> random_delays(std::size_t count, std::size_t threads, std::chrono::nanoseconds least,
                                 std::chrono::nanoseconds most, std::uint64_t seed);

/// An application of eight threads in four processes on two nodes, all of them in this program, which do the
/// collective operation `sum` together, once for each delay.
class LateCrew {
 public:
  /// Uses free ports. Trace elements keep `threshold` tuples.
  static std::shared_ptr<const Plan> plan(std::size_t threshold);

  /// `plan` must be made by plan(), and the servers of its nodes must run.
  LateCrew(const std::shared_ptr<const Plan>& plan, const std::string& session, std::vector<Delay> delays);
  ~LateCrew();  ///< ends the threads even if operations are left
  LateCrew(const LateCrew&) = delete;
  LateCrew& operator=(const LateCrew&) = delete;

  void begin() { may_begin_ = true; }
  /// Whether an operation ended without a result, after which there are no more.
  [[nodiscard]] bool has_failed() const noexcept { return failed_; }

 private:
  void take_part(SessionThread& me, std::size_t number);
  void come_late(std::size_t operation) const;

  const std::vector<Delay> delays_;
  std::size_t others_;  // the number of threads other than the late one
  std::atomic<bool> may_begin_{false}, is_over_{false}, failed_{false};
  std::atomic<std::uint64_t> set_out_{0};  // contributions of threads that were not late, over all operations
  std::vector<Session> sessions_;
  std::vector<std::jthread> members_;
};

}  // namespace eventspace::bench

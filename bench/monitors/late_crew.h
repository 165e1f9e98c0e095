#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "pathmaps/plan/plan.h"
#include "pathmaps/sessions/session.h"

namespace eventspace::bench {

/// Who comes late to an operation: so long after all others have set out to it.
struct Delay {
  std::size_t thread{0};  ///< by its number in the plan
  std::chrono::nanoseconds by{};
};

/// So many, of random threads; their logarithms are evenly spread from `least` to `most`.
std::vector<Delay> random_delays(std::size_t count, std::size_t threads, std::chrono::nanoseconds least,
                                 std::chrono::nanoseconds most, std::uint64_t seed);

/// An application of eight threads in four processes on two nodes, all of them in this program, which do the
/// collective operation `sum` together, once for each delay.
class LateCrew {
 public:
  /// On ports that are free. Trace elements keep so many tuples.
  static std::shared_ptr<const Plan> plan(std::size_t threshold);

  /// `plan` is one made by plan(); the servers of its nodes run.
  LateCrew(const std::shared_ptr<const Plan>& plan, const std::string& session, std::vector<Delay> delays);
  ~LateCrew();  ///< also when they are not done
  LateCrew(const LateCrew&) = delete;
  LateCrew& operator=(const LateCrew&) = delete;

  void begin() { may_begin_ = true; }
  /// Whether an operation ended without a result, after which there are no more.
  [[nodiscard]] bool has_failed() const noexcept { return failed_; }

 private:
  void take_part(SessionThread& me, std::size_t number);
  void come_late(std::size_t operation) const;

  const std::vector<Delay> delays_;
  std::size_t others_;  // than who is late
  std::atomic<bool> may_begin_{false}, is_over_{false}, failed_{false};
  std::atomic<std::uint64_t> set_out_{0};  // contributions of those who are not late, all operations together
  std::vector<Session> sessions_;
  std::vector<std::jthread> members_;
};

}  // namespace eventspace::bench

#pragma once

// Private to monitors/.

#include <chrono>
#include <cstdint>
#include <ostream>
#include <set>
#include <string>

#include "paths/views/view.h"
#include "scopes/tree/plan_names.h"

namespace eventspace {

/// What a monitor saw and what it did not, over all its pulls.
struct WatchTally {
  std::uint64_t events{0};     ///< counted by whoever shows them
  std::uint64_t not_shown{0};  ///< of the last view, when told to stop while showing it
  std::uint64_t pulls{0};
  std::uint64_t partial_pulls{0};
  Loss loss;
  std::set<std::string> missing;
  std::set<std::string> jumped;  ///< nodes whose clock, or one on the way to them, was seen to jump

  void add(const View& view, const PlanNames& names);
  /// A summary for people, of the time since the first pull.
  void print(std::ostream& out, std::chrono::nanoseconds elapsed) const;
  /// No event at all, and no pull that could have shown one.
  [[nodiscard]] bool saw_nothing() const noexcept { return events == 0 && partial_pulls == pulls; }
};

}  // namespace eventspace

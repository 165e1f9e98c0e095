#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "monitors/collectives/collective_watch.h"
#include "monitors/watching/timeline.h"
#include "monitors/watching/view_source.h"
#include "monitors/watching/watch_pulls.h"
#include "pathmaps/sessions/consumer.h"

namespace eventspace::top {

/// The state of one collective, counted since the first look.
struct CollectiveSample {
  std::string name;
  std::uint64_t number{0};             ///< of the newest reported operation; 0 if there is none
  std::optional<double> per_second{};  ///< operations per second since the previous look
  std::vector<std::string> last{};     ///< the threads that may have come last in it; one if certain
  std::optional<Difference> by{};      ///< the time from the second to last to the last
  std::uint64_t told{0};               ///< reported operations
  std::uint64_t not_whole{0};          ///< incomplete, broken and unseen operations
  double waited_ns{0};                 ///< waited by all threads in all operations
  std::string costliest{};             ///< the thread that cost the others most...
  double cost_ns{0};                   ///< ...and its cost
  std::vector<std::string> absent{};   ///< the threads that have not come to the oldest open operation
};

/// Looks at the operations of an application's collectives. Used by one thread.
class CollectiveLooker {
 public:
  /// `tree`: a scope of unread events that yields records or results of collectives. Throws as
  /// CollectiveWatch does. `consumer` must outlive this object.
  CollectiveLooker(Consumer& consumer, const ScopeTree& tree);

  /// `pulls`: always the same; counts only the cost.
  std::vector<CollectiveSample> look(std::chrono::nanoseconds timeout, WatchPulls& pulls);

 private:
  void tell(const CollectiveWatch::Operation& operation);
  void sum_up(std::size_t collective);

  ScopeViews views_, newest_;
  CollectiveWatch watch_;
  std::vector<CollectiveSample> samples_;
  std::vector<std::uint64_t> before_;  // the operation numbers at the previous look
  std::optional<Timeline::Time> looked_;
};

}  // namespace eventspace::top

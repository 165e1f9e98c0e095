#pragma once

// Private to monitors/.

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "monitors/collectives/collective_watch.h"
#include "monitors/watching/timeline.h"
#include "monitors/watching/view_source.h"
#include "monitors/watching/watch_cost.h"
#include "pathmaps/sessions/consumer.h"

namespace eventspace::top {

/// The state of one collective, counted since the first look.
struct CollectiveSample {
  std::string name;
  std::uint64_t number{0};             ///< of the newest reported operation; 0: none yet
  std::optional<double> per_second{};  ///< operations, since the look before
  std::vector<std::string> last{};     ///< the threads that may have come last in it; one: it is certain
  std::optional<Difference> by{};      ///< how long the last came after the second to last
  std::uint64_t told{0};               ///< reported operations
  std::uint64_t not_whole{0};          ///< incomplete, broken and unseen operations
  double waited_ns{0};                 ///< by all threads, in all operations
  std::string costliest{};             ///< the thread that cost the others most...
  double cost_ns{0};                   ///< ...and how much
  std::vector<std::string> absent{};   ///< from the oldest operation that is open
};

/// Looks at the operations of an application's collectives. Used by one thread.
class CollectiveLooker {
 public:
  /// `tree`: a scope of unread events that reads collectives' records or results. Throws as CollectiveWatch
  /// does. `consumer` and `timeline` must outlive it.
  CollectiveLooker(Consumer& consumer, const ScopeTree& tree, const Timeline& timeline);

  std::vector<CollectiveSample> look(std::chrono::nanoseconds timeout, WatchCost& cost);

 private:
  void tell(const CollectiveWatch::Operation& operation);
  void sum_up(std::size_t collective);

  ScopeViews views_, newest_;
  CollectiveWatch watch_;
  const Timeline* timeline_;
  std::vector<CollectiveSample> samples_;
  std::vector<std::uint64_t> before_;  // numbers, at the last look
  std::optional<Timeline::Time> looked_;
};

}  // namespace eventspace::top

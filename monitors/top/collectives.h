#pragma once

// Private to monitors/.

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "monitors/collectives/collective_watch.h"
#include "monitors/watching/watch_cost.h"
#include "pathmaps/sessions/consumer.h"

namespace eventspace::top {

/// What is known of one collective, since it was first looked at.
struct CollectiveSample {
  std::string name;
  std::uint64_t number{0};             ///< of the last operation that was told of; 0: none yet
  std::optional<double> per_second{};  ///< operations, since the look before
  std::vector<std::string> last{};     ///< who may have come last in it; one: who did
  std::optional<Difference> by{};      ///< after the second
  std::uint64_t told{0};               ///< operations
  std::uint64_t not_whole{0};          ///< of these, incomplete or broken; and those unseen
  double waited_ns{0};                 ///< by all threads, in all of them
  std::string costliest{};             ///< the thread that cost the others most...
  double cost_ns{0};                   ///< ...so much
  std::vector<std::string> absent{};   ///< from the oldest one that is open
};

/// Looks at the operations of an application's collectives. Used by one thread.
class CollectiveLooker {
 public:
  /// `tree`: a scope of unread events that reads collectives' records or results. Throws as CollectiveWatch
  /// does. The consumer must outlive it.
  CollectiveLooker(Consumer& consumer, const ScopeTree& tree);

  std::vector<CollectiveSample> look(std::chrono::nanoseconds timeout, WatchCost& cost);

 private:
  void tell(const CollectiveWatch::Operation& operation);
  void sum_up(std::size_t collective);

  EventScope scope_, newest_;
  CollectiveWatch watch_;
  std::vector<CollectiveSample> samples_;
  std::vector<std::uint64_t> before_;  // numbers, at the last look
  std::optional<std::chrono::steady_clock::time_point> looked_;
};

}  // namespace eventspace::top

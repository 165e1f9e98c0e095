#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "monitors/top/sample.h"
#include "pathmaps/consumer.h"

namespace eventspace::top {

/// `scope` without what its wrappers do to events: the newest event of each of its trace elements, gathered
/// by the same tree, in the same places. So counts are of all events, and every path can be shown.
ScopeTree newest_of_each(ScopeTree scope);

/// Takes samples: pulls through a scope, and asks servers. Used by one thread.
class Looker {
 public:
  /// `timeout` of a pull; 0: the scope's.
  Looker(std::shared_ptr<const Plan> plan, const std::string& session, ScopeTree tree,
         std::chrono::nanoseconds timeout);

  /// From now on it can look at collectives, through `tree`; see CollectiveLooker.
  void watch_collectives(const ScopeTree& tree);

  Sample look(bool with_servers, bool with_collectives = false);
  [[nodiscard]] const Consumer& consumer() const noexcept { return consumer_; }
  [[nodiscard]] const WatchCost& cost() const noexcept { return cost_; }

 private:
  void ask_servers(Sample& sample);
  [[nodiscard]] ServerSample ask(std::size_t node, const View& view);

  Consumer consumer_;
  EventScope scope_;
  std::unique_ptr<CollectiveLooker> collectives_;
  std::chrono::nanoseconds timeout_;
  WatchCost cost_;
};

}  // namespace eventspace::top

#pragma once

// Private to monitors/.

#include <memory>
#include <string>

#include "monitors/heartbeat/heartbeat_pace.h"
#include "monitors/top/sample.h"
#include "pathmaps/sessions/consumer.h"

namespace eventspace::top {

/// Takes samples: pulls through a scope, and asks servers. How long these pulls wait, and when the next one
/// is due, says the pace of a heartbeat. Used by one thread.
class Looker {
 public:
  Looker(std::shared_ptr<const Plan> plan, const std::string& session, ScopeTree tree,
         const HeartbeatPace::Wishes& wishes);

  /// From now on it can look at collectives, through `tree`; see CollectiveLooker.
  void watch_collectives(const ScopeTree& tree);

  Sample look(bool with_servers, bool with_collectives = false);
  [[nodiscard]] const HeartbeatPace& pace() const noexcept { return pace_; }
  [[nodiscard]] const Consumer& consumer() const noexcept { return consumer_; }
  [[nodiscard]] const WatchCost& cost() const noexcept { return cost_; }

 private:
  void ask_servers(Sample& sample);
  [[nodiscard]] ServerSample ask(NodeIndex node, const View& view);

  Consumer consumer_;
  EventScope scope_;
  std::unique_ptr<CollectiveLooker> collectives_;
  HeartbeatPace pace_;
  WatchCost cost_;
};

}  // namespace eventspace::top

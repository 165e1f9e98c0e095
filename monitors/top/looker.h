#pragma once

#include <memory>
#include <string>

#include "monitors/delays/delay_watch.h"
#include "monitors/heartbeat/heartbeat_pace.h"
#include "monitors/top/sample.h"
#include "monitors/watching/timeline.h"
#include "monitors/watching/view_source.h"
#include "monitors/watching/watch_pulls.h"
#include "pathmaps/sessions/consumer.h"

namespace eventspace::top {

/// Takes samples: pulls views through a scope and pings servers. The pace of a heartbeat determines how long
/// pulls wait and when the next one is due. Views are of the present moment of the timeline; answers of
/// servers, cost and traffic always belong to the running system. Used by one thread.
class Looker {
 public:
  /// `threads`: a valid glob; other threads are left out of the views; empty means all threads. `timeline`
  /// must outlive this object.
  Looker(Consumer consumer, ScopeTree tree, const std::string& threads, const HeartbeatPace::Wishes& wishes,
         const Timeline& timeline);

  /// Enables samples of collectives, read through `tree`; see CollectiveLooker.
  void watch_collectives(const ScopeTree& tree);

  /// Enables samples of delays.
  void watch_delays(std::unique_ptr<DelayWatch> delays) noexcept { delays_ = std::move(delays); }

  /// The parts of a sample beside the view.
  struct Also {
    bool servers{false};
    bool collectives{false};
    bool streams{false};
  };
  Sample look(Also also);
  [[nodiscard]] const HeartbeatPace& pace() const noexcept { return pace_; }
  void set_interval(std::chrono::nanoseconds interval) noexcept { pace_.set_interval(interval); }
  /// How long to wait from now until the next look.
  [[nodiscard]] std::chrono::nanoseconds pause() const { return pace_.pause(pulls_.now()); }
  [[nodiscard]] Consumer& consumer() noexcept { return consumer_; }
  [[nodiscard]] const Consumer& consumer() const noexcept { return consumer_; }
  [[nodiscard]] const WatchCost& cost() const noexcept { return pulls_.cost(); }

 private:
  void look_at_delays(Sample& sample);
  void ask_servers(Sample& sample);
  static void ask_networks_of_streams(Sample& sample);
  [[nodiscard]] ServerSample ask(NodeIndex node, const View& view);

  Consumer consumer_;
  ScopeViews views_;
  WatchPulls pulls_;
  std::unique_ptr<CollectiveLooker> collectives_;
  std::unique_ptr<DelayWatch> delays_;
  HeartbeatPace pace_;
};

}  // namespace eventspace::top

#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>

#include <eventspace/deadline.h>
#include "paths/bodies/target_kind.h"
#include "paths/links/link_pool.h"
#include "paths/pushes.h"
#include "paths/remote/remote_stage.h"
#include "paths/server/open_targets.h"
#include "paths/server/replies.h"
#include "paths/wire/wire.h"

namespace eventspace {

/// Opens targets for the peers of a server: here, or on the next server of a route.
///
/// Some targets have one user at a time (TargetKind::single_use). While another peer has such a target open
/// and is connected, a new peer is refused; it waits for half a second first, because its own earlier
/// connection may have just ended without the server noticing. If the peer that has the target is gone, or is
/// the new peer itself, the new peer takes its place.
///
/// Never blocks. Not thread-safe; the constructor's arguments must outlive it.
class TargetOpener {
 public:
  using Kinds = std::map<std::string, std::shared_ptr<const TargetKind>>;
  struct Config {
    const std::string& server;  ///< its name in messages
    const Kinds& kinds;
    const std::set<std::string>& routes;  ///< endpoints to which it forwards
    std::size_t max_targets;
  };
  TargetOpener(Config config, LinkPool& links, OpenTargets& targets, Replies& replies)
      : config_(config), links_(&links), targets_(&targets), replies_(&replies) {}

  /// Answers the request, now or after a wait.
  void open(const Asked& asked, wire::OpenRequest request);
  /// Forgets a waiting request, if any: its peer closes the target before it is open.
  void forget(const std::string& peer, std::uint64_t request);
  /// Answers the requests that have waited long enough, or whose target is free now.
  void look_again();
  /// The time to call look_again.
  [[nodiscard]] Deadline next_look() const noexcept { return waiting_.empty() ? Deadline::never() : look_; }

 private:
  struct Waiting {
    Asked asked;
    wire::OpenRequest request;
    Deadline until;
  };
  [[nodiscard]] const std::shared_ptr<const TargetKind>& kind_of(const wire::OpenRequest& request) const;
  [[nodiscard]] bool has_other_user(const std::string& use, const std::string& peer);
  void open(const Asked& asked, wire::OpenRequest request, Deadline until);
  void open_now(const Asked& asked, wire::OpenRequest request, const std::string& use);
  PushReceiver* open_here(OpenTarget& target, const wire::OpenRequest& request);
  PushReceiver* open_onward(OpenTarget& target, wire::OpenRequest request);
  std::unique_ptr<RemoteStage> forward(wire::OpenRequest request);
  void refuse(const Asked& asked, wire::Fault fault, const std::string& text);

  Config config_;
  LinkPool* links_;
  OpenTargets* targets_;
  Replies* replies_;
  std::deque<Waiting> waiting_;
  Deadline look_{Deadline::never()};
};

}  // namespace eventspace

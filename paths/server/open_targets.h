#pragma once

// Private to paths/.
// The peers of one server and the targets that they have open.

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>

#include "paths/bodies/target_kind.h"
#include "paths/remote/remote_stage.h"
#include "paths/server/target_pushes.h"
#include "paths/stage.h"

namespace eventspace {

/// A target that one peer has open.
struct OpenTarget {
  std::string peer;
  std::shared_ptr<const TargetKind> kind;  ///< null: the target is on another server
  std::unique_ptr<TargetPushes> pushes;    ///< declared before `stage`, which uses it until its destruction
  std::unique_ptr<PushRelay> relay;        ///< for a target on another server; else null
  std::unique_ptr<Stage> stage;
  std::chrono::steady_clock::time_point used;  ///< the last use, for the lease
  RemoteStage* forward{nullptr};               ///< `stage` if the target is on another server; else null
  bool held{false};                            ///< see wire::OpenRequest
  std::uint64_t opened_by{0};                  ///< id of the request that opened it
  std::uint64_t pending{0};                    ///< token of the operation under way; 0: none
};

/// The known peers of one server and their open targets. The numbers of both are bounded. Not thread-safe.
class OpenTargets {
 public:
  using Clock = std::chrono::steady_clock;

  OpenTargets(std::size_t most_targets, std::size_t most_peers, std::chrono::nanoseconds lease);

  /// Records request `id` of `peer`. Returns false if it is a replay: not larger than the peer's last id. If
  /// there are too many peers, the server forgets the one that has been silent longest.
  bool admit(const std::string& peer, std::uint64_t id);

  [[nodiscard]] bool full() const noexcept { return targets_.size() >= most_targets_; }
  /// Adds a target and returns its number.
  std::uint64_t add(OpenTarget target);
  /// Returns an open target of `peer` and restarts its lease; null if the peer has no such target.
  OpenTarget* find(const std::string& peer, std::uint64_t target);
  /// Returns an open target of any peer, without restarting its lease; null if there is none.
  OpenTarget* find(std::uint64_t target);
  /// The target that request `request` of `peer` opened; 0 if there is none.
  [[nodiscard]] std::uint64_t opened_by(const std::string& peer, std::uint64_t request) const;
  /// Destroys a target of `peer`. Returns false if there is none.
  bool remove(const std::string& peer, std::uint64_t target);
  /// All held targets, by peer.
  [[nodiscard]] std::multimap<std::string, std::uint64_t> held() const;
  /// Destroys targets that have not been used for the lease, except held ones and those with an operation
  /// under way.
  void expire(Clock::time_point now);
  void clear() { targets_.clear(); }

  [[nodiscard]] std::size_t size() const noexcept { return targets_.size(); }
  [[nodiscard]] std::size_t peers() const noexcept { return peers_.size(); }

 private:
  struct Peer {
    std::uint64_t last_id{0};
    Clock::time_point heard;
  };
  void push_out_silent_peer();

  std::size_t most_targets_;
  std::size_t most_peers_;
  std::chrono::nanoseconds lease_;
  std::uint64_t last_target_;
  std::unordered_map<std::uint64_t, OpenTarget> targets_;
  std::unordered_map<std::string, Peer> peers_;
};

}  // namespace eventspace

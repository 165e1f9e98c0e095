#pragma once

// The peers of one server and the targets that they have open.

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <eventspace/stage.h>
#include "paths/bodies/target_kind.h"
#include "paths/remote/remote_stage.h"
#include "paths/server/target_pushes.h"

namespace eventspace {

/// A target that one peer has open.
struct OpenTarget {
  std::string peer;
  std::shared_ptr<const TargetKind> kind;  ///< null if the target is on another server
  std::unique_ptr<TargetPushes> pushes;    ///< declared before `stage`, which uses it until its destruction
  std::unique_ptr<PushRelay> relay;        ///< for a target on another server; otherwise null
  std::unique_ptr<Stage> stage;
  std::chrono::steady_clock::time_point used;  ///< the last use, for the lease
  RemoteStage* forward{nullptr};               ///< `stage` if the target is on another server; otherwise null
  bool held{false};                            ///< see wire::OpenRequest
  std::string use;             ///< see TargetKind::single_use; if not empty, the target is without a lease
  std::uint64_t opened_by{0};  ///< id of the request that opened it
  std::uint64_t pending{0};    ///< token of the operation under way; 0 if none
};

/// The known peers of one server and their open targets. The numbers of both are bounded. Not thread-safe.
class OpenTargets {
 public:
  using Clock = std::chrono::steady_clock;

  OpenTargets(std::size_t max_targets, std::size_t max_peers, std::chrono::nanoseconds lease);

  enum class Admission : std::uint8_t {
    admitted,
    replayed,  ///< the id is not larger than the peer's last id
    too_many   ///< the peer is new, and the maximum number of peers is reached
  };
  /// Records request `id` of `peer`. A known peer is never forgotten for a new one, because its last id would
  /// be lost.
  [[nodiscard]] Admission admit(const std::string& peer, std::uint64_t id);
  /// Whether `peer` is new, the maximum number of peers is reached, and it is worthwhile to search for peers
  /// that are gone: true at most ten times per second.
  [[nodiscard]] bool is_crowded_for(const std::string& peer);
  [[nodiscard]] std::vector<std::string> known_peers() const;
  /// Forgets a peer that is gone; it must have no targets.
  void forget(const std::string& peer) { peers_.erase(peer); }

  [[nodiscard]] bool full() const noexcept { return targets_.size() >= max_targets_; }
  /// Whether `peer` may open another target: it has less than three times as many targets as are free. So one
  /// peer can have three quarters of all targets, and each further peer can get some, however many the others
  /// request.
  [[nodiscard]] bool has_share(const std::string& peer) const;
  [[nodiscard]] std::size_t of_peer(const std::string& peer) const;
  /// Adds a target and returns its number.
  std::uint64_t add(OpenTarget target);
  /// Returns an open target of `peer` and restarts its lease; null if the peer does not have it.
  OpenTarget* find(const std::string& peer, std::uint64_t target);
  /// Returns an open target of any peer, without restarting its lease; null if it does not exist.
  OpenTarget* find(std::uint64_t target);
  /// The target that request `request` of `peer` opened; 0 if none.
  [[nodiscard]] std::uint64_t opened_by(const std::string& peer, std::uint64_t request) const;
  /// Destroys a target of `peer`. Returns false if it does not exist.
  bool remove(const std::string& peer, std::uint64_t target);
  [[nodiscard]] std::vector<std::uint64_t> targets_of(const std::string& peer) const;
  /// The peer that has a target of this use (OpenTarget::use), or null.
  [[nodiscard]] const std::string* user_of(const std::string& use) const;
  /// Destroys targets that have not been used for the lease, except held targets, single-use targets, and
  /// targets with an operation under way.
  void expire(Clock::time_point now);
  void clear();

  [[nodiscard]] std::size_t size() const noexcept { return targets_.size(); }
  [[nodiscard]] std::size_t peers() const noexcept { return peers_.size(); }

 private:
  using Targets = std::unordered_map<std::uint64_t, OpenTarget>;
  void erase(Targets::iterator target);

  std::size_t max_targets_;
  std::size_t max_peers_;
  std::chrono::nanoseconds lease_;
  std::uint64_t last_target_;
  Targets targets_;
  std::unordered_map<std::string, std::uint64_t> peers_;                   // the last id of each
  std::unordered_map<std::string, std::unordered_set<std::uint64_t>> of_;  // targets, by peer
  std::unordered_map<std::string, std::uint64_t> used_;                    // the newest target of each use
  Clock::time_point looked_;                                               // see is_crowded_for
};

}  // namespace eventspace

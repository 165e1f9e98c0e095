#pragma once

// Private to paths/.
// What the peers of one server have open, and who they are.

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

/// A target that one peer has open. `forward`: its stage, when it is on another server; else null. `pending`
/// is the token of the operation under way on it, 0 for none.
struct OpenTarget {
  std::string peer;
  std::shared_ptr<const TargetKind> kind;  ///< null when the target is on another server
  std::unique_ptr<TargetPushes> pushes;    ///< the stage may use it until it goes
  std::unique_ptr<PushRelay> relay;        ///< of one on another server
  std::unique_ptr<Stage> stage;
  std::chrono::steady_clock::time_point used;
  RemoteStage* forward{nullptr};
  bool held{false};            ///< see wire::OpenRequest
  std::uint64_t opened_by{0};  ///< the number of the request
  std::uint64_t pending{0};
};

/// The open targets of one server and its known peers; both bounded. Not thread-safe.
class OpenTargets {
 public:
  using Clock = std::chrono::steady_clock;

  OpenTargets(std::size_t most_targets, std::size_t most_peers, std::chrono::nanoseconds lease);

  /// Whether request number `id` of `peer` is new; remembers it. A peer beyond the limit pushes out the one
  /// that was silent longest.
  bool admit(const std::string& peer, std::uint64_t id);

  [[nodiscard]] bool full() const noexcept { return targets_.size() >= most_targets_; }
  /// The number of the new target.
  std::uint64_t add(OpenTarget target);
  /// For its peer's use of it, from when on its lease counts. Null when `peer` has no such target open.
  OpenTarget* find(const std::string& peer, std::uint64_t target);
  OpenTarget* find(std::uint64_t target);
  /// The target that request `opened_by` of `peer` opened; 0 when there is none.
  [[nodiscard]] std::uint64_t opened_by(const std::string& peer, std::uint64_t request) const;
  bool remove(const std::string& peer, std::uint64_t target);
  /// The peers with targets that are held, and those.
  [[nodiscard]] std::multimap<std::string, std::uint64_t> held() const;
  /// Frees targets without operation under way that were not used for the lease, but those that are held.
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

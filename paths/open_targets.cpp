#include "paths/open_targets.h"

#include <algorithm>
#include <random>

namespace eventspace {

// Numbers begin anywhere: a request that reaches a server started anew before its client has noticed must not
// name what somebody opened there since.
OpenTargets::OpenTargets(std::size_t most_targets, std::size_t most_peers, std::chrono::nanoseconds lease)
    : most_targets_(most_targets),
      most_peers_(most_peers),
      lease_(lease),
      last_target_(std::uint64_t{std::random_device{}()} << 24) {}

bool OpenTargets::admit(const std::string& peer, std::uint64_t id) {
  auto found = peers_.find(peer);
  if (found == peers_.end()) {
    if (peers_.size() >= most_peers_) push_out_silent_peer();
    found = peers_.emplace(peer, Peer{}).first;
  }
  found->second.heard = Clock::now();
  if (id <= found->second.last_id) return false;
  found->second.last_id = id;
  return true;
}

void OpenTargets::push_out_silent_peer() {
  const auto silent = std::min_element(peers_.begin(), peers_.end(), [](const auto& a, const auto& b) {
    return a.second.heard < b.second.heard;
  });
  if (silent != peers_.end()) peers_.erase(silent);
}

std::uint64_t OpenTargets::add(const std::string& peer, std::unique_ptr<Stage> stage) {
  targets_.emplace(++last_target_, OpenTarget{peer, std::move(stage), Clock::now(), nullptr, 0});
  return last_target_;
}

std::uint64_t OpenTargets::add_forward(const std::string& peer, std::unique_ptr<RemoteStage> stage) {
  const RemoteStage* const forward = stage.get();
  const std::uint64_t target = add(peer, std::move(stage));
  targets_.at(target).forward = forward;
  return target;
}

OpenTarget* OpenTargets::find(const std::string& peer, std::uint64_t target) {
  OpenTarget* const found = find(target);
  return found != nullptr && found->peer == peer ? found : nullptr;
}

OpenTarget* OpenTargets::find(std::uint64_t target) {
  const auto found = targets_.find(target);
  if (found == targets_.end()) return nullptr;
  found->second.used = Clock::now();
  return &found->second;
}

bool OpenTargets::remove(const std::string& peer, std::uint64_t target) {
  if (find(peer, target) == nullptr) return false;
  targets_.erase(target);
  return true;
}

void OpenTargets::expire(Clock::time_point now) {
  std::erase_if(targets_, [&](const auto& entry) {
    return entry.second.pending == 0 && now - entry.second.used > lease_;
  });
}

}  // namespace eventspace

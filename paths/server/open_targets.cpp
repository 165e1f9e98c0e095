#include "paths/server/open_targets.h"

#include <algorithm>
#include <random>

namespace eventspace {
namespace {

// A target that only sends messages which answer nothing is in use, too.
OpenTargets::Clock::time_point last_use(const OpenTarget& target) {
  return target.pushes == nullptr ? target.used : std::max(target.used, target.pushes->used());
}

}  // namespace

// Numbers start at a random value: a client may send a request to a restarted server before it notices the
// restart, and the request must not hit a target that another client has opened since.
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

std::uint64_t OpenTargets::add(OpenTarget target) {
  target.used = Clock::now();
  targets_.emplace(++last_target_, std::move(target));
  return last_target_;
}

std::uint64_t OpenTargets::opened_by(const std::string& peer, std::uint64_t request) const {
  const auto found = std::ranges::find_if(targets_, [&](const auto& entry) {
    return entry.second.opened_by == request && entry.second.peer == peer;
  });
  return found == targets_.end() ? 0 : found->first;
}

std::multimap<std::string, std::uint64_t> OpenTargets::held() const {
  std::multimap<std::string, std::uint64_t> held;
  for (const auto& [number, target] : targets_) {
    if (target.held) held.emplace(target.peer, number);
  }
  return held;
}

OpenTarget* OpenTargets::find(const std::string& peer, std::uint64_t target) {
  OpenTarget* const found = find(target);
  if (found == nullptr || found->peer != peer) return nullptr;
  found->used = Clock::now();
  return found;
}

OpenTarget* OpenTargets::find(std::uint64_t target) {
  const auto found = targets_.find(target);
  return found == targets_.end() ? nullptr : &found->second;
}

bool OpenTargets::remove(const std::string& peer, std::uint64_t target) {
  if (find(peer, target) == nullptr) return false;
  targets_.erase(target);
  return true;
}

void OpenTargets::expire(Clock::time_point now) {
  std::erase_if(targets_, [&](const auto& entry) {
    return entry.second.pending == 0 && !entry.second.held && now - last_use(entry.second) > lease_;
  });
}

}  // namespace eventspace

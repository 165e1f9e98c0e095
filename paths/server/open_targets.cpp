#include "paths/server/open_targets.h"

#include <algorithm>
#include <random>

namespace eventspace {
namespace {

// A target that only sends pushes is also in use.
OpenTargets::Clock::time_point last_use(const OpenTarget& target) {
  return target.pushes == nullptr ? target.used : std::max(target.used, target.pushes->used());
}

}  // namespace

// Numbers start at a random value: a client may send a request to a restarted server before it notices the
// restart, and the request must not hit a target that another client has opened since.
OpenTargets::OpenTargets(std::size_t max_targets, std::size_t max_peers, std::chrono::nanoseconds lease)
    : max_targets_(max_targets),
      max_peers_(max_peers),
      lease_(lease),
      last_target_(std::uint64_t{std::random_device{}()} << 24) {}

OpenTargets::Admission OpenTargets::admit(const std::string& peer, std::uint64_t id) {
  auto found = peers_.find(peer);
  if (found == peers_.end()) {
    if (peers_.size() >= max_peers_) return Admission::too_many;
    if (id == 0) return Admission::replayed;
    found = peers_.emplace(peer, 0).first;
  }
  if (id <= found->second) return Admission::replayed;
  found->second = id;
  return Admission::admitted;
}

bool OpenTargets::is_crowded_for(const std::string& peer) {
  constexpr std::chrono::milliseconds between_looks{100};
  if (peers_.size() < max_peers_ || peers_.contains(peer)) return false;
  const Clock::time_point now = Clock::now();
  if (now < looked_ + between_looks) return false;
  looked_ = now;
  return true;
}

std::vector<std::string> OpenTargets::known_peers() const {
  std::vector<std::string> peers;
  peers.reserve(peers_.size());
  for (const auto& [peer, last_id] : peers_) peers.push_back(peer);
  return peers;
}

bool OpenTargets::has_share(const std::string& peer) const {
  constexpr std::size_t of_the_free = 3;
  const std::size_t free = full() ? 0 : max_targets_ - targets_.size();
  return of_peer(peer) < of_the_free * free;
}

std::size_t OpenTargets::of_peer(const std::string& peer) const {
  const auto found = of_.find(peer);
  return found == of_.end() ? 0 : found->second.size();
}

std::uint64_t OpenTargets::add(OpenTarget target) {
  const std::uint64_t number = ++last_target_;
  target.used = Clock::now();
  of_[target.peer].insert(number);
  if (!target.use.empty()) used_[target.use] = number;
  targets_.emplace(number, std::move(target));
  return number;
}

void OpenTargets::erase(Targets::iterator target) {
  const auto of = of_.find(target->second.peer);
  of->second.erase(target->first);
  if (of->second.empty()) of_.erase(of);
  const auto used = used_.find(target->second.use);
  if (used != used_.end() && used->second == target->first) used_.erase(used);
  targets_.erase(target);
}

void OpenTargets::clear() {
  targets_.clear();
  of_.clear();
  used_.clear();
}

std::vector<std::uint64_t> OpenTargets::targets_of(const std::string& peer) const {
  const auto found = of_.find(peer);
  if (found == of_.end()) return {};
  return {found->second.begin(), found->second.end()};
}

const std::string* OpenTargets::user_of(const std::string& use) const {
  const auto used = used_.find(use);
  return used == used_.end() ? nullptr : &targets_.at(used->second).peer;
}

std::uint64_t OpenTargets::opened_by(const std::string& peer, std::uint64_t request) const {
  const auto of = of_.find(peer);
  if (of == of_.end()) return 0;
  const auto found = std::ranges::find_if(
      of->second, [&](std::uint64_t target) { return targets_.at(target).opened_by == request; });
  return found == of->second.end() ? 0 : *found;
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
  erase(targets_.find(target));
  return true;
}

void OpenTargets::expire(Clock::time_point now) {
  for (auto next = targets_.begin(); next != targets_.end();) {
    const auto entry = next++;
    const OpenTarget& target = entry->second;
    const bool has_lease = target.pending == 0 && !target.held && target.use.empty();
    if (has_lease && now - last_use(target) > lease_) erase(entry);
  }
}

}  // namespace eventspace

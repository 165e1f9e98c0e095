#include <algorithm>

#include "monitors/heartbeat_analysis.h"

namespace eventspace {
namespace {

using std::chrono::nanoseconds;
using ByThread = std::unordered_map<std::uint32_t, const ThreadHealth*>;

// The thread that a stuck one waits for: the one other user of the element it is stuck at.
const ThreadHealth* waits_for(const ThreadHealth& health, const ByThread& by_thread) {
  if (health.verdict != Verdict::stuck || health.in_flight->peer == no_peer) return nullptr;
  const auto found = by_thread.find(health.in_flight->peer);
  return found == by_thread.end() ? nullptr : found->second;
}

std::vector<const ThreadHealth*> chain_from(const ThreadHealth& start, const ByThread& by_thread) {
  std::vector<const ThreadHealth*> chain{&start};
  while (const ThreadHealth* const next = waits_for(*chain.back(), by_thread)) {
    const bool circle = std::find(chain.begin(), chain.end(), next) != chain.end();
    chain.push_back(next);
    if (circle) break;
  }
  return chain;
}

// The part of a chain that goes round; empty when it does not.
std::vector<const ThreadHealth*> circle_in(const std::vector<const ThreadHealth*>& chain) {
  const auto again = std::find(chain.begin(), chain.end() - 1, chain.back());
  if (again == chain.end() - 1) return {};
  return {again, chain.end() - 1};
}

Culprit culprit_of(const std::vector<const ThreadHealth*>& chain) {
  const auto circle = circle_in(chain);
  if (circle.empty()) return {chain.back()->thread, chain.back()->verdict, 0, {}};
  const auto longest = std::max_element(circle.begin(), circle.end(), [](const auto* a, const auto* b) {
    return a->silent_for.value_or(nanoseconds{}) < b->silent_for.value_or(nanoseconds{});
  });
  Culprit culprit{(*longest)->thread, (*longest)->verdict, 0, {}};
  for (const ThreadHealth* const member : circle) culprit.circle.push_back(member->thread);
  std::sort(culprit.circle.begin(), culprit.circle.end());
  return culprit;
}

}  // namespace

std::vector<Culprit> find_culprits(const std::vector<ThreadHealth>& threads) {
  ByThread by_thread;
  for (const ThreadHealth& health : threads) by_thread.emplace(health.thread, &health);
  std::vector<Culprit> culprits;
  for (const ThreadHealth& health : threads) {
    if (!is_stalled(health.verdict)) continue;
    const Culprit found = culprit_of(chain_from(health, by_thread));
    auto known = std::find_if(culprits.begin(), culprits.end(),
                              [&](const Culprit& culprit) { return culprit.thread == found.thread; });
    if (known == culprits.end()) known = culprits.insert(known, found);
    if (found.thread != health.thread) ++known->waiting;
  }
  std::stable_sort(culprits.begin(), culprits.end(),
                   [](const Culprit& a, const Culprit& b) { return a.waiting > b.waiting; });
  return culprits;
}

}  // namespace eventspace

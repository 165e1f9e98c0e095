#include "monitors/wait_states/wait_states.h"

#include <algorithm>
#include <utility>

namespace eventspace {
namespace {

std::int64_t time_of(const Activity& cause, bool needs_end) {
  return needs_end ? cause.end_ns : cause.begin_ns;
}

class WaitFinder {
 public:
  explicit WaitFinder(const RunActivities& run) : run_(&run) {}

  WaitStates find() {
    for (const Dependency& one : run_->dependencies()) add(one);
    for (const Meeting& one : run_->meetings()) add(one);
    keep_longest();
    return std::move(found_);
  }

 private:
  // A member does not wait for itself, so that the last one has no wait state. The root of a reduction waits
  // for the last of the others.
  void add(const Meeting& meeting) {
    const Meeting::Member* last = nullptr;
    for (const Meeting::Member& member : meeting.members)
      if (last == nullptr || begin_of(member) > begin_of(*last)) last = &member;
    if (last == nullptr) return;
    for (const Meeting::Member& member : meeting.members)
      if (member.waits && &member != last)
        add({.kind = meeting.kind, .waiting = member.leaves, .cause = last->comes});
  }

  [[nodiscard]] std::int64_t begin_of(const Meeting::Member& member) const {
    const Activity* const comes = run_->find(member.comes);
    return comes == nullptr ? 0 : comes->begin_ns;
  }

  void add(const Dependency& dependency) {
    const Activity* const waiting = run_->find(dependency.waiting);
    const Activity* const cause = run_->find(dependency.cause);
    if (waiting == nullptr || cause == nullptr || waiting->is_in_flight) return;
    if (dependency.waiting.location == dependency.cause.location) return;
    const std::int64_t at = time_of(*cause, dependency.needs_end);
    const Difference error = between(run_->moment(dependency.waiting.location, waiting->begin_ns),
                                     run_->moment(dependency.cause.location, at));
    // A send that had ended before its receive began did not wait. But a thread may publish the end of a take
    // after the write that it made room for has ended.
    const bool is_late_receiver = dependency.kind == WaitKind::late_receiver;
    if (at > waiting->end_ns && is_late_receiver && !dependency.needs_end) return;
    const Difference behind = between(run_->moment(dependency.waiting.location, waiting->end_ns),
                                      run_->moment(dependency.cause.location, at));
    if (behind.ns > behind.error_ns && !dependency.needs_end) {
      ++found_.contradictions;
      return;
    }
    const std::int64_t until = std::min(at, waiting->end_ns);
    if (until <= waiting->begin_ns) return;
    found_.waits.push_back({.kind = dependency.kind,
                            .needs_end = dependency.needs_end,
                            .waiting = dependency.waiting,
                            .cause = dependency.cause,
                            .begin_ns = waiting->begin_ns,
                            .end_ns = until,
                            .error_ns = error.error_ns});
  }

  // For equal calls, the longest wait comes first.
  void keep_longest() {
    std::ranges::sort(found_.waits, [](const WaitState& a, const WaitState& b) {
      return a.waiting != b.waiting ? a.waiting < b.waiting : a.end_ns > b.end_ns;
    });
    const auto is_same = [](const WaitState& a, const WaitState& b) { return a.waiting == b.waiting; };
    found_.waits.erase(std::unique(found_.waits.begin(), found_.waits.end(), is_same), found_.waits.end());
  }

  const RunActivities* run_;
  WaitStates found_;
};

}  // namespace

WaitStates find_waits(const RunActivities& run) { return WaitFinder(run).find(); }

}  // namespace eventspace

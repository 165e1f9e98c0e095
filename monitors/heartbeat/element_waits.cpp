#include "monitors/heartbeat/element_waits.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "monitors/heartbeat/heartbeat_analysis.h"

namespace eventspace {
namespace {

using For = ElementWait::For;

std::optional<For> waits_for(Verb verb) {
  if (verb == Verb::write) return For::room;
  if (verb == Verb::read || verb == Verb::take) return For::tuple;
  return std::nullopt;
}

bool could_end(For what, PathUse use) {
  return use == PathUse::any || use == (what == For::room ? PathUse::read : PathUse::write);
}

void insert(std::vector<std::uint32_t>& ascending, std::uint32_t thread) {
  const auto place = std::ranges::lower_bound(ascending, thread);
  if (place == ascending.end() || *place != thread) ascending.insert(place, thread);
}

/// The verb of the newest operation on each path of a view.
class NewestVerbs {
 public:
  explicit NewestVerbs(const View& newest) {
    for (const TraceTuple& tuple : newest.records) {
      const EventRecord record = decode(tuple);
      if (!record.is_operation()) continue;
      // Compares the sequence number in the trace element, not the time: the points of a path may have
      // different clocks.
      Newest& known = newest_[record.path];
      if (record.sequence >= known.sequence) known = {record.sequence, record.verb};
    }
  }
  [[nodiscard]] std::optional<Verb> on(PathIndex path) const {
    const auto found = newest_.find(path.number32());
    return found == newest_.end() ? std::nullopt : std::optional(found->second.verb);
  }

 private:
  struct Newest {
    std::uint64_t sequence{0};
    Verb verb{};
  };
  std::unordered_map<std::uint32_t, Newest> newest_;
};

class Finder {
 public:
  Finder(const Plan& plan, const View& newest, const std::vector<ThreadHealth>& threads)
      : plan_(plan), verbs_(newest) {
    for (const ThreadHealth& health : threads) verdicts_.emplace(health.thread, health.verdict);
    for (const ThreadHealth& health : threads) add(health);
  }

  [[nodiscard]] std::vector<ElementWait> waits() {
    std::vector<ElementWait> found;
    for (auto& [key, wait] : waits_) {
      wait.could_end = enders_of(wait, true);
      if (wait.could_end.empty()) wait.could_end = enders_of(wait, false);
      found.push_back(std::move(wait));
    }
    return found;
  }

 private:
  void add(const ThreadHealth& health) {
    if (health.verdict != Verdict::stuck || !health.in_flight->is_operation()) return;
    const PathIndex path(health.in_flight->path);
    const auto what = waits_for(health.in_flight->verb);
    if (!what || !plan_.paths.has(path) || !plan_.end_of(path).is_element()) return;
    const ElementPlan& end = plan_.end_of(path);
    const ElementConfig& config = std::get<TupleElement>(end.kind).config;
    // Writes to this element never wait for room; this one waits for something else, such as a server.
    if (*what == For::room && config.when_full == WhenFull::discard) return;
    ElementWait& wait = waits_[{plan_.paths[path].element, *what}];
    wait.element = plan_.paths[path].element;
    wait.what = *what;
    insert(wait.waiting, health.thread);
    if (std::ranges::find(wait.verbs, health.in_flight->verb) == wait.verbs.end())
      wait.verbs.push_back(health.in_flight->verb);
    const bool is_here = end.host == plan_.threads[plan_.paths[path].thread].host() && !end.is_shared();
    if (*what == For::room && is_here) wait.fill = ElementFill{config.threshold, config.threshold};
  }

  [[nodiscard]] std::vector<ElementUser> enders_of(const ElementWait& wait, bool as_declared) const {
    std::map<std::uint32_t, ElementUser> users;
    for (const PathIndex path : plan_.paths.indices()) {
      const PathPlan& way = plan_.paths[path];
      const std::uint32_t thread = way.thread.number32();
      if (way.element != wait.element || (as_declared && !could_end(wait.what, way.use))) continue;
      if (wait.waiting.size() == 1 && wait.waiting.front() == thread) continue;
      ElementUser& user = users[thread];
      user.thread = thread;
      if (const auto known = verdicts_.find(thread); known != verdicts_.end()) user.verdict = known->second;
      if (const auto verb = verbs_.on(path)) user.last = verb;
    }
    std::vector<ElementUser> all;
    all.reserve(users.size());
    for (auto& [thread, user] : users) all.push_back(user);
    return all;
  }

  const Plan& plan_;
  NewestVerbs verbs_;
  std::unordered_map<std::uint32_t, Verdict> verdicts_;
  std::map<std::pair<ElementIndex, For>, ElementWait> waits_;
};

}  // namespace

bool ElementWait::are_all_gone() const noexcept {
  const auto is_user_gone = [](const ElementUser& user) { return user.verdict && is_gone(*user.verdict); };
  return !could_end.empty() && std::ranges::all_of(could_end, is_user_gone);
}

std::vector<ElementWait> find_element_waits(const Plan& plan, const View& newest,
                                            const std::vector<ThreadHealth>& threads) {
  return Finder(plan, newest, threads).waits();
}

}  // namespace eventspace

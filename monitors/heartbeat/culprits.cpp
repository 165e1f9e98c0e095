#include <algorithm>
#include <map>

#include "monitors/heartbeat/heartbeat_analysis.h"
#include "monitors/heartbeat/pvm_waits.h"
#include "monitors/watching/wait_graph.h"

namespace eventspace {
namespace {

using std::chrono::nanoseconds;
using CollectiveOperationId = Attendance::Operation;

// An unreachable thread counts too, because its state is unknown.
bool cannot_go_on(Verdict verdict) noexcept {
  return verdict == Verdict::unreachable || verdict == Verdict::stopped || verdict == Verdict::dead;
}

// Whether a contribution of the thread would be known.
bool is_seen(Verdict verdict) noexcept {
  return verdict != Verdict::unreachable && verdict != Verdict::not_collected;
}

/// Builds the wait graph. Its first nodes are the judged threads, by their places in `threads`; the others
/// are the collective operations in which some of them are stuck.
class StuckThreads {
 public:
  StuckThreads(const Plan& plan, const Attendance& attendance, const std::vector<ElementWait>& element_waits,
               std::vector<ThreadHealth>& threads)
      : plan_(plan), attendance_(attendance), threads_(threads), graph_(threads.size()) {
    for (std::size_t place = 0; place < threads.size(); ++place)
      places_.emplace(threads[place].thread, place);
    for (std::size_t place = 0; place < threads.size(); ++place) add(place);
    for (const ElementWait& wait : element_waits) add(wait);
    for (const PvmWait& wait : find_pvm_waits(threads)) add(wait);
  }
  [[nodiscard]] const WaitGraph& graph() const noexcept { return graph_; }

 private:
  void add(std::size_t place) {
    const ThreadHealth& health = threads_[place];
    if (health.verdict != Verdict::stuck || !health.in_flight->is_operation()) return;
    if (const auto operation = attendance_.operation_on(health.in_flight->path)) {
      if (const auto node = node_of(*operation)) graph_.add_wait(place, *node);
    } else if (const auto peer = places_.find(health.in_flight->peer); peer != places_.end()) {
      graph_.add_wait(place, peer->second);
    }
  }

  // All threads that wait at the element for the same thing share the node of that wait, except threads whose
  // only peer is known.
  void add(const ElementWait& wait) {
    std::vector<std::size_t> waiting;
    for (const std::uint32_t thread : wait.waiting)
      if (!graph_.waits(places_.at(thread))) waiting.push_back(places_.at(thread));
    const std::vector<std::size_t> awaited = awaited_by(wait);
    if (waiting.empty() || awaited.empty()) return;
    const std::size_t node = wait.are_all_gone() ? graph_.add() : graph_.add_needing_any();
    for (const std::size_t place : awaited) graph_.add_wait(node, place);
    for (const std::size_t place : waiting) graph_.add_wait(place, node);
  }

  void add(const PvmWait& wait) {
    const bool is_one = wait.awaited.size() == 1;
    const std::size_t node = is_one           ? wait.awaited.front()
                             : wait.needs_any ? graph_.add_needing_any()
                                              : graph_.add();
    if (!is_one)
      for (const std::size_t place : wait.awaited) graph_.add_wait(node, place);
    for (const std::size_t place : wait.waiting) graph_.add_wait(place, node);
  }

  // See find_culprits.
  [[nodiscard]] std::vector<std::size_t> awaited_by(const ElementWait& wait) const {
    std::vector<std::size_t> awaited;
    const bool are_all_gone = wait.are_all_gone();
    bool may_end_by_itself = false;
    for (const ElementUser& user : wait.could_end) {
      if (user.verdict && is_gone(*user.verdict) && !are_all_gone) continue;
      may_end_by_itself |= !user.verdict || !(is_stalled(*user.verdict) || are_all_gone);
      if (user.verdict) awaited.push_back(places_.at(user.thread));
    }
    const bool is_the_only_one = wait.could_end.size() == 1;
    if (may_end_by_itself && !is_the_only_one) return {};
    return awaited;
  }

  // The graph node of `operation`; nullopt when it waits for no thread. Computed once for each operation,
  // because all threads that are stuck in it share the node.
  std::optional<std::size_t> node_of(const CollectiveOperationId& operation) {
    const auto [known, is_new] = nodes_.try_emplace(operation);
    if (!is_new) return known->second;
    auto awaited = absent_from(operation);
    if (awaited.empty()) awaited = unable_to_go_on(operation);
    if (awaited.empty()) return std::nullopt;
    known->second = graph_.add();
    for (const std::size_t place : awaited) graph_.add_wait(*known->second, place);
    return known->second;
  }

  // The places of the visible threads that have not contributed. Notes the absence in their health.
  std::vector<std::size_t> absent_from(const CollectiveOperationId& operation) {
    std::vector<std::size_t> found;
    for (const PathIndex path : attendance_.absent_from(operation)) {
      const auto place = place_of_user(path);
      if (!place || !is_seen(threads_[*place].verdict)) continue;
      note_absence(threads_[*place], path.number32());
      found.push_back(*place);
    }
    return found;
  }

  [[nodiscard]] std::vector<std::size_t> unable_to_go_on(const CollectiveOperationId& operation) const {
    std::vector<std::size_t> found;
    for (const PathIndex path : attendance_.participants(operation.collective)) {
      const auto place = place_of_user(path);
      if (place && cannot_go_on(threads_[*place].verdict)) found.push_back(*place);
    }
    return found;
  }

  [[nodiscard]] std::optional<std::size_t> place_of_user(PathIndex path) const {
    const auto found = places_.find(plan_.paths[path].thread.number32());
    return found == places_.end() ? std::nullopt : std::optional(found->second);
  }

  static void note_absence(ThreadHealth& health, std::uint32_t path) {
    auto& known = health.absent_from;
    const auto place = std::ranges::lower_bound(known, path);
    if (place == known.end() || *place != path) known.insert(place, path);
  }

  const Plan& plan_;
  const Attendance& attendance_;
  std::vector<ThreadHealth>& threads_;
  std::unordered_map<std::uint32_t, std::size_t> places_;
  std::map<CollectiveOperationId, std::optional<std::size_t>> nodes_;
  WaitGraph graph_;
};

/// Finds the culprits in a wait graph.
class Blame {
 public:
  Blame(const Plan& plan, const std::vector<ThreadHealth>& threads, const WaitGraph& graph)
      : plan_(plan), threads_(threads), graph_(graph) {}

  [[nodiscard]] std::vector<Culprit> culprits() const {
    std::vector<Culprit> found;
    for (std::size_t place = 0; place < threads_.size(); ++place) {
      const bool is_to_blame = is_stalled(threads_[place].verdict) || graph_.is_awaited(place);
      if (is_to_blame && !graph_.waits(place)) found.push_back(culprit_at(place));
    }
    for (const auto& circle : graph_.circles()) found.push_back(culprit_of(circle));
    std::ranges::stable_sort(found, std::greater{}, &Culprit::waiting);
    return found;
  }

 private:
  [[nodiscard]] bool is_thread(std::size_t place) const { return place < threads_.size(); }

  [[nodiscard]] Culprit culprit_at(std::size_t place) const {
    return {threads_[place].thread, threads_[place].verdict, count_waiting_for(place), {}};
  }

  [[nodiscard]] Culprit culprit_of(std::vector<std::size_t> circle) const {
    std::erase_if(circle, [this](std::size_t place) { return !is_thread(place); });
    const auto longest = std::ranges::max_element(
        circle, {}, [this](std::size_t place) { return threads_[place].silent_for.value_or(nanoseconds{}); });
    Culprit culprit = culprit_at(*longest);
    for (const std::size_t place : circle) culprit.circle.push_back(threads_[place].thread);
    std::ranges::sort(culprit.circle);
    return culprit;
  }

  // Threads of processes without a plan are never joints.
  [[nodiscard]] bool is_joint(std::uint32_t thread) const {
    return plan_.threads.has(ThreadIndex(thread)) && plan_.threads[ThreadIndex(thread)].joint().has_value();
  }
  // Joints are left out: the threads below a joint wait for the same thread and are counted already.
  [[nodiscard]] std::size_t count_waiting_for(std::size_t awaited) const {
    if (!graph_.is_awaited(awaited)) return 0;
    const auto waiting = graph_.all_waiting_for(awaited);
    const auto counts = [&](std::size_t place) {
      return is_thread(place) && place != awaited && !is_joint(threads_[place].thread);
    };
    return static_cast<std::size_t>(std::ranges::count_if(waiting, counts));
  }

  const Plan& plan_;
  const std::vector<ThreadHealth>& threads_;
  const WaitGraph& graph_;
};

}  // namespace

std::vector<Culprit> find_culprits(const Plan& plan, const Attendance& attendance,
                                   const std::vector<ElementWait>& element_waits,
                                   std::vector<ThreadHealth>& threads) {
  const StuckThreads stuck(plan, attendance, element_waits, threads);
  return Blame(plan, threads, stuck.graph()).culprits();
}

}  // namespace eventspace

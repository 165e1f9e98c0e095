#include "monitors/heartbeat/pvm_waits.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "collectors/pvm/pvm_calls.h"
#include "collectors/pvm/pvm_looks.h"
#include "monitors/heartbeat/heartbeat_analysis.h"

namespace eventspace {
namespace {

constexpr auto barrier = number_of_pvm_call("pvm_barrier");

std::optional<PvmCallRecord> pvm_call_in(const std::optional<EventRecord>& record) {
  if (!record || record->kind != pvm_kind) return std::nullopt;
  return pvm_call_of(encode(*record));
}

class WaitingTasks {
 public:
  explicit WaitingTasks(const std::vector<ThreadHealth>& threads) : threads_(threads) {
    for (std::size_t place = 0; place < threads.size(); ++place) {
      for (const auto* const record : {&threads[place].last, &threads[place].in_flight}) {
        const auto call = pvm_call_in(*record);
        if (!call || call->task == PvmCallRecord::no_task) continue;
        if (places_.insert_or_assign(call->task, place).second) tasks_.push_back(place);
      }
    }
  }

  [[nodiscard]] std::vector<PvmWait> waits() const {
    std::vector<PvmWait> all;
    for (const std::size_t place : tasks_) {
      if (threads_[place].verdict != Verdict::stuck) continue;
      const auto call = pvm_call_in(threads_[place].in_flight);
      if (!call) continue;
      PvmWait wait = wait_in(place, *call);
      if (!wait.awaited.empty()) all.push_back(std::move(wait));
    }
    return all;
  }

 private:
  [[nodiscard]] PvmWait wait_in(std::size_t place, const PvmCallRecord& call) const {
    if (call.call == barrier) return wait_in_barrier(place, call);
    if (call.of != PvmClass::receive || is_look(call)) return {place};
    if (call.has(PvmMarks::any_source)) return wait_for_any(place);
    const auto partner = places_.find(call.partner);
    if (partner == places_.end()) return {place};
    return {place, {partner->second}};
  }

  [[nodiscard]] PvmWait wait_for_any(std::size_t place) const {
    PvmWait wait{place, {}, true};
    for (const std::size_t other : tasks_) {
      if (other == place || is_gone(threads_[other].verdict)) continue;
      if (!is_stalled(threads_[other].verdict)) return {place};  // it may send yet
      wait.awaited.push_back(other);
    }
    if (!wait.awaited.empty()) return wait;
    wait.needs_any = false;
    std::ranges::copy_if(tasks_, std::back_inserter(wait.awaited),
                         [place](std::size_t other) { return other != place; });
    return wait;
  }

  [[nodiscard]] PvmWait wait_in_barrier(std::size_t place, const PvmCallRecord& call) const {
    PvmWait wait{place};
    std::size_t present = 0;
    for (const std::size_t other : tasks_) {
      const auto in = pvm_call_in(threads_[other].in_flight);
      const bool is_there = in && in->call == barrier && in->group == call.group;
      present += is_there ? 1 : 0;
      if (!is_there) wait.awaited.push_back(other);
    }
    wait.needs_any = present + wait.awaited.size() > call.tasks;
    return wait;
  }

  const std::vector<ThreadHealth>& threads_;
  std::unordered_map<std::uint32_t, std::size_t> places_;  // by task
  std::vector<std::size_t> tasks_;                         // their places, ascending
};

}  // namespace

std::vector<PvmWait> find_pvm_waits(const std::vector<ThreadHealth>& threads) {
  return WaitingTasks(threads).waits();
}

}  // namespace eventspace

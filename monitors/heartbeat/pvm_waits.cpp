#include "monitors/heartbeat/pvm_waits.h"

#include <algorithm>
#include <map>
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
      const auto in_flight = pvm_call_in(threads[place].in_flight);
      bool is_task = false;
      for (const auto& call : {pvm_call_in(threads[place].last), in_flight}) {
        if (!call || call->task == PvmCallRecord::no_task) continue;
        places_.insert_or_assign(call->task, place);
        is_task = true;
      }
      if (is_task) tasks_.push_back({place, in_flight});
    }
  }

  [[nodiscard]] std::vector<PvmWait> waits() const {
    std::vector<PvmWait> all;
    std::vector<std::size_t> receive_from_any;
    std::map<Barrier, std::vector<std::size_t>> in_barriers;
    for (const auto& [place, in_flight] : tasks_) {
      if (verdict(place) != Verdict::stuck || !in_flight) continue;
      if (in_flight->call == barrier) {
        in_barriers[{in_flight->group, in_flight->tasks}].push_back(place);
      } else if (in_flight->of != PvmClass::receive || is_look(*in_flight)) {
        continue;
      } else if (in_flight->has(PvmMarks::any_source)) {
        receive_from_any.push_back(place);
      } else if (const auto partner = places_.find(in_flight->partner); partner != places_.end()) {
        all.push_back({{place}, {partner->second}});
      }
    }
    if (!receive_from_any.empty()) all.push_back(wait_for_any(receive_from_any));
    for (const auto& [of, waiting] : in_barriers) all.push_back(wait_in_barrier(waiting, of));
    std::erase_if(all, [](const PvmWait& wait) { return wait.awaited.empty(); });
    return all;
  }

 private:
  struct Task {
    std::size_t place{0};
    std::optional<PvmCallRecord> in_flight;
  };
  using Barrier = std::pair<std::uint32_t, std::uint32_t>;  // group, and the number of tasks it needs

  [[nodiscard]] Verdict verdict(std::size_t place) const { return threads_[place].verdict; }
  [[nodiscard]] bool are_all_stalled(const std::vector<std::size_t>& places) const {
    return std::ranges::all_of(places, [this](std::size_t place) { return is_stalled(verdict(place)); });
  }

  // A single one must not wait for itself, which would look like a circle.
  [[nodiscard]] PvmWait wait_for_any(const std::vector<std::size_t>& waiting) const {
    std::vector<std::size_t> live, gone;
    for (const Task& task : tasks_) {
      if (waiting.size() == 1 && task.place == waiting.front()) continue;
      (is_gone(verdict(task.place)) ? gone : live).push_back(task.place);
    }
    if (live.empty()) return {waiting, std::move(gone)};
    if (!are_all_stalled(live)) return {waiting};  // one may send yet
    return {waiting, std::move(live), true};
  }

  [[nodiscard]] PvmWait wait_in_barrier(const std::vector<std::size_t>& waiting, const Barrier& of) const {
    const auto [group, needed] = of;
    std::vector<std::size_t> absent, live, gone;
    for (const Task& task : tasks_) {
      const auto& in = task.in_flight;
      if (in && in->call == barrier && in->group == group) continue;
      absent.push_back(task.place);
      (is_gone(verdict(task.place)) ? gone : live).push_back(task.place);
    }
    const std::size_t present = tasks_.size() - absent.size();
    if (tasks_.size() <= needed) return {waiting, std::move(absent)};
    if (present + live.size() < needed) return {waiting, std::move(gone), true};
    const bool needs_any = present + live.size() > needed;
    if (needs_any && !are_all_stalled(live)) return {waiting};  // one may come yet
    return {waiting, std::move(live), needs_any};
  }

  const std::vector<ThreadHealth>& threads_;
  std::unordered_map<std::uint32_t, std::size_t> places_;  // by task
  std::vector<Task> tasks_;                                // by place
};

}  // namespace

std::vector<PvmWait> find_pvm_waits(const std::vector<ThreadHealth>& threads) {
  return WaitingTasks(threads).waits();
}

}  // namespace eventspace

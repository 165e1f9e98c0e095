#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "collectors/event_record.h"
#include "monitors/whatif/recording/recorded_tasks.h"
#include "pathmaps/plan/plan.h"

namespace eventspace::whatif {

/// Converts operations on paths to actions; each thread becomes a task. If an element has one writing and one
/// other thread, a written tuple is a message and its take is the receive; other operations count as
/// overhead. A write to an element of another process, through its tuple server, lasts until the answer. Not
/// thread-safe.
class PathActions {
 public:
  /// The arguments must outlive it. `is_detailed`: as in RecordingSettings.
  PathActions(RecordedTasks& tasks, const Plan& plan, bool is_detailed = false);

  /// Adds an operation that has ended, as recorded at the thread's end of its path.
  void add(const EventRecord& record, std::string_view thread, const ActionTime& time);
  /// The number of messages, and of exchanges if these are actions.
  [[nodiscard]] std::uint64_t messages() const noexcept { return messages_; }
  /// The task of a thread.
  std::uint32_t task_of(std::uint32_t thread);
  void finish();

 private:
  /// The paths of the threads that exchange together.
  struct Exchange {
    std::uint32_t group{0};
    std::vector<PathIndex> participants{};
    bool is_used{false};
  };
  void find_exchanges();
  void add_exchange_of(std::vector<PathIndex> participants);
  std::uint16_t function_of(Verb verb, PathIndex path);
  void become_exchange(const EventRecord& record, Action& action);
  [[nodiscard]] bool is_remote(PathIndex path) const;

  RecordedTasks* tasks_;
  const Plan* plan_;
  std::unordered_map<std::uint32_t, std::uint32_t> task_of_thread_;
  std::unordered_map<std::uint32_t, std::string_view> names_;  // by task
  bool is_detailed_;
  std::vector<Exchange> exchanges_;
  std::unordered_map<std::uint32_t, std::size_t> exchange_of_path_;
  std::uint64_t messages_{0};
  std::uint64_t remote_takes_{0};
  std::uint64_t shared_{0};  // operations on elements that several threads use
};

}  // namespace eventspace::whatif

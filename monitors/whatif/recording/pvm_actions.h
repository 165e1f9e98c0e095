#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "collectors/pvm/pvm_record.h"
#include "monitors/whatif/recording/recorded_tasks.h"

namespace eventspace::whatif {

/// Converts the PVM calls of a recording to actions; each PVM task becomes a task. Inner calls belong to the
/// outer call: messages belong to the tasks at their ends, regardless of their route. A group operation is
/// one action, after the time for the request to the group server. A broadcast is a multicast. Messages with
/// partners that are not tasks of the recording, such as daemons, are left out. From "Analysis of Intertask
/// Communication in PVM Computations on Workstation Clusters" (Zabel, 1996), chapter 3.
///
/// Keeps all calls until finish(), because the tasks are known only then. Not thread-safe.
class PvmActions {
 public:
  /// `tasks` must outlive it. `recorder_ns`: what recording costs for each event.
  PvmActions(RecordedTasks& tasks, std::int64_t recorder_ns) : tasks_(&tasks), recorder_ns_(recorder_ns) {}

  /// Adds an ended call of a process, with all records of its event. The calls of a task must come in the
  /// order of their begins.
  void add(std::span<const TraceTuple> event, std::string_view process, const ActionTime& time);
  [[nodiscard]] bool is_empty() const noexcept { return calls_.empty(); }
  /// Passes the actions to the tasks. Call once, after all calls.
  void finish();

 private:
  /// A call of the program, with summaries of its inner calls.
  struct Call {
    PvmCallRecord record;
    ActionTime time;
    std::uint32_t inside{0};     // events
    std::int64_t blocked_ns{0};  // in select(2)
    std::int64_t asking_ns{0};   // of a group operation: in requests to the group server
    std::vector<std::uint32_t> destinations{};
  };
  /// An action that is filled in when all members of its operation are known.
  struct Member {
    std::uint32_t task{0};
    std::size_t action{0};
    std::int64_t begin_ns{0};
    std::uint32_t count{0};  // for a barrier
    std::uint32_t root{0};   // instance
  };
  /// Group, function, tag, and the number of the call in its task, from 0.
  using Operation = std::tuple<std::uint32_t, std::uint16_t, std::uint32_t, std::uint64_t>;

  void number_tasks();
  [[nodiscard]] std::optional<std::uint32_t> task_of(std::uint32_t number) const;
  /// The part of the call's time that is known not to be work of the library.
  [[nodiscard]] std::int64_t beside_ns_of(const Call& call) const;
  void make_actions(const Call& call, std::uint32_t task);
  void message(const Call& call, std::uint32_t task, ActionKind kind);
  void receive(const Call& call, std::uint32_t task);
  void multicast(const Call& call, std::uint32_t task);
  void operate(const Call& call, std::uint32_t task);
  void add_inside(const PvmCallRecord& record, std::span<const TraceTuple> event, const ActionTime& time);
  void ask_server(const Call& call, std::uint32_t task);
  void add_action(const Call& call, std::uint32_t task, ActionKind kind,
                  std::optional<Mark> mark = std::nullopt);
  void complete_barriers();
  void complete_operations();
  void complete(std::span<const Member> members, const std::vector<std::uint32_t>& by_rank,
                std::uint32_t root);
  [[nodiscard]] std::vector<std::uint32_t> by_instance(std::uint32_t group,
                                                       std::span<const Member> members) const;
  std::uint32_t group_of(const std::vector<std::uint32_t>& members);
  void note_what_is_missing();

  RecordedTasks* tasks_;
  std::int64_t recorder_ns_;
  std::vector<Call> calls_;
  std::unordered_map<std::uint32_t, std::size_t> last_call_;  // by number of the task in PVM
  std::unordered_map<std::uint32_t, std::string> processes_;  // likewise
  std::unordered_map<std::uint32_t, std::uint32_t> tasks_by_number_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> instances_;  // by group and task
  std::map<std::uint32_t, std::vector<Member>> barriers_;                       // by group
  std::map<Operation, std::vector<Member>> operations_;
  std::map<std::tuple<std::uint32_t, std::uint16_t, std::uint32_t, std::uint32_t>, std::uint64_t> counts_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> groups_;
  std::uint64_t sends_{0}, writes_{0}, reads_{0};
  std::uint64_t unknown_partners_{0};
  std::uint64_t with_daemons_{0};
  std::uint64_t unlisted_destinations_{0};
  std::uint64_t incomplete_barriers_{0};
};

}  // namespace eventspace::whatif

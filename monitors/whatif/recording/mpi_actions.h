#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "collectors/mpi/mpi_requests.h"
#include "monitors/mpi/job_communicators.h"
#include "monitors/whatif/recording/recorded_tasks.h"

namespace eventspace::whatif {

/// Converts the MPI calls of a job to actions; each rank becomes a task. A collective operation is one
/// action. A request that a call completes is waited for there; a test that completes none is overhead. The
/// calls of a rank must come in the order of their begins. Not thread-safe.
class MpiActions {
 public:
  /// The arguments must outlive it. `names_sites`: the name of a function has the place of its call.
  MpiActions(RecordedTasks& tasks, const PlanNames& names, bool names_sites = false);

  /// An ended call, with all records of its event.
  void add(std::uint32_t rank, std::span<const TraceTuple> event, const ActionTime& time);
  /// Passes the groups, and facts that are known only at the end, to the tasks. Call once, after all calls.
  void finish();

 private:
  // A request of a rank that has not been completed.
  struct Request {
    std::uint64_t id{0};  // in the builder
    std::uint32_t number{0};
    std::optional<std::size_t> receive{};  // its action, to set the source
    bool sends{false};
    bool is_known{true};  // whether the source is known; false if it was posted for any source
    std::uint32_t peer{0}, tag{0}, group{0};
    std::optional<Action> collective{};  // becomes an action when it is waited for
  };
  struct Rank {
    std::vector<Request> open{};  // in the order in which they were begun
    std::uint64_t next_id{0};
  };
  struct Call {
    std::uint32_t rank{0};
    std::span<const TraceTuple> event{};
    MpiCallRecord own{};
    std::uint16_t function{0};
  };

  void send(const Call& call);
  void exchange(const Call& call);
  void receive(const Call& call);
  void complete(const Call& call);
  void collective(const Call& call);
  void start(const Call& call);
  void manage(const Call& call);
  void overhead(const Call& call, std::optional<Mark> mark = std::nullopt);
  bool begin(const Call& call, const MpiCallRecord& message, bool sends, bool takes_time);
  void complete(const Call& call, std::vector<std::size_t> places);
  void learn(Rank& of, std::uint32_t rank, const MpiCallRecord& completed, std::vector<std::size_t>& places);
  [[nodiscard]] std::vector<std::size_t> completed_by(const Call& call);
  std::optional<Action> message_of(const Call& call, const MpiCallRecord& message, ActionKind kind);
  std::uint32_t group_of(std::uint32_t communicator);
  std::optional<Action> operation_of(const Call& call, const MpiCallRecord& record);
  std::uint16_t function_of(std::span<const TraceTuple> event, const MpiCallRecord& call);

  RecordedTasks* tasks_;
  const PlanNames* names_;
  bool names_sites_;
  JobCommunicators communicators_;
  std::map<std::uint32_t, Rank> ranks_;
  std::unordered_map<std::uint32_t, std::uint32_t> groups_;  // by communicator
  std::map<std::tuple<std::uint32_t, bool, std::uint32_t, std::uint32_t>, std::uint64_t>
      persistent_;  // bytes
  std::uint64_t unknown_partners_{0};
  std::uint64_t likely_completions_{0};
  std::uint64_t unknown_groups_{0};
};

}  // namespace eventspace::whatif

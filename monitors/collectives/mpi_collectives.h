#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <eventspace/rank_set.h>
#include "monitors/collectives/watched_collectives.h"
#include "monitors/mpi/call_reader.h"
#include "monitors/mpi/matched_messages.h"
#include "monitors/mpi/message_waits.h"
#include "scopes/tree/plan_names.h"

namespace eventspace {

/// The collective operations of an MPI job: one collective for each communicator that has been seen, whose
/// participants are its ranks, "rank 0", "rank 1" and so on in MPI_COMM_WORLD. Its operations have the
/// numbers that the calls have on their communicator. A rank may leave an operation before all have come (the
/// root of a Bcast), and waits no longer than it is in the call.
///
/// Communicators with unknown members, and communicators beyond `most`, are left out; their operations are
/// counted.
class MpiCollectives final : public WatchedCollectives {
 public:
  static constexpr std::size_t most = 1024;

  /// `only`: globs over the names of communicators; empty means all. `names` must outlive this object.
  MpiCollectives(const PlanNames& names, std::vector<std::string> only, CollectiveAnalysis::Config config);

  std::vector<Operation> observe(const View& view, Time at) override;
  void observe_under_way(const View& newest) override;
  [[nodiscard]] std::uint64_t runs() const noexcept override { return runs_; }

  /// How long ranks waited for messages of one another.
  struct MessageWait {
    std::uint64_t calls{0};
    std::chrono::nanoseconds waited{0};
    std::optional<std::chrono::nanoseconds> error{};  ///< of the clocks; nullopt: estimated from durations
    std::uint64_t unclear{0};                         ///< calls whose wait is shorter than the error
  };
  /// Computed from matched messages (matched_messages.h) if all calls are known, otherwise from the durations
  /// of calls (message_waits.h).
  [[nodiscard]] std::map<MessageWaits::Pair, MessageWait> message_waits() const;
  [[nodiscard]] std::uint64_t left_out() const noexcept { return left_out_; }
  /// Calls of processes that MPI_Comm_spawn has started: they belong to other jobs and are left out.
  [[nodiscard]] std::uint64_t calls_of_other_jobs() const noexcept { return calls_of_other_jobs_; }
  /// The ranks of the current run that were seen, and the number that have returned from MPI_Finalize.
  struct Ranks {
    RankSet seen{};
    RankSet finalized{};
  };
  [[nodiscard]] Ranks ranks() const;

 private:
  using Reports = std::map<std::uint32_t, const ProcessReport*>;
  struct CallAt {
    std::uint16_t function{0};
    std::uint32_t site{0};  // in the scope
  };
  using ProcessOfRank = std::map<std::uint32_t, std::uint32_t>;
  [[nodiscard]] std::optional<std::uint32_t> rank_of(std::uint32_t process) const;
  static Reports reports_in(const View& view);
  void add(std::span<const TraceTuple> event, const Reports& reports);
  void add_message(std::uint32_t rank, std::span<const TraceTuple> event, const ProcessReport& process);
  std::optional<std::size_t> collective_of(std::uint32_t communicator);
  [[nodiscard]] CollectiveShape shape_of(std::uint32_t communicator, const RankSet& ranks) const;
  [[nodiscard]] bool is_chosen(std::string_view communicator) const;
  [[nodiscard]] bool begins_run(const Reports& reports) const;
  void follow_runs(const Reports& reports, std::vector<Operation>& told);
  void add_all(const View& view, const Reports& reports);
  void name_node(std::pair<ProcessOfRank::iterator, bool> rank);
  std::uint32_t node_number(std::string_view node);
  void name_call(Operation& operation) override;

  const PlanNames* names_;
  std::vector<std::string> only_;
  CollectiveAnalysis::Config config_;
  JobCommunicators communicators_;
  CallReader reader_;
  MessageWaits messages_;
  MatchedMessages matched_;
  std::map<std::uint32_t, std::optional<std::size_t>> by_communicator_;
  ProcessOfRank process_of_rank_;
  std::set<std::uint32_t> finalized_;  // ranks of this run
  std::map<std::string, std::uint32_t, std::less<>> nodes_;
  std::map<std::pair<std::size_t, std::uint64_t>, std::map<std::size_t, CallAt>>
      calls_;  // of open operations
  std::uint64_t runs_{1};
  std::uint64_t left_out_{0};
  std::uint64_t calls_of_other_jobs_{0};
};

}  // namespace eventspace

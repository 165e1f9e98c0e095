#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "collectors/mpi/mpi_requests.h"
#include "monitors/export/reading/model.h"
#include "monitors/mpi/job_communicators.h"
#include "monitors/wait_states/partners.h"
#include "monitors/wait_states/pending_requests.h"
#include "monitors/wait_states/run_activities.h"
#include "monitors/wait_states/thread_activities.h"

namespace eventspace {

/// Adds the calls of MPI of a job's ranks to a run, and links them. Unsuccessful polls and probes, and the
/// call after them that completes or receives something, are one call, so that waiting by polling is waiting.
///
/// Calls of one-sided communication and of files, operations among neighbours and between jobs, and calls
/// that manage communicators may wait, but are not analysed: Activity::awaits_unfollowed. Not thread-safe.
class MpiActivities {
 public:
  /// The arguments must outlive it.
  MpiActivities(RunActivities& run, ThreadActivities& threads, Partners& partners, const PlanNames& names)
      : run_(&run), threads_(&threads), partners_(&partners), names_(&names), communicators_(names) {}

  /// REQUIRES: the track has a rank.
  void add(const exports::Slice& slice, const exports::Track& track);
  /// Call once, at the end: all ranks wait for each other in MPI_Init and in MPI_Finalize.
  void finish();

  [[nodiscard]] std::size_t ranks() const noexcept { return threads_of_rank_.size(); }
  /// Ends of messages that were matched by likelihood, because events were lost.
  [[nodiscard]] std::uint64_t likely_ends() const noexcept { return likely_ends_; }
  [[nodiscard]] std::uint64_t left_out() const noexcept { return requests_.left_out(); }

 private:
  struct Call;
  void name(std::uint32_t location, const exports::Slice& slice, const exports::Track& track);
  [[nodiscard]] std::uint32_t site_of(const exports::Slice& slice, const MpiCallRecord& record);
  void add_messages(const Call& call);
  void add_requests(const Call& call);
  void complete(const Call& call, const MpiRequests& requests);
  void complete(const Call& call, std::uint32_t request);
  void complete(const Call& call, const Partners::Operation& operation);
  void add_collective(const Call& call);
  [[nodiscard]] std::optional<Partners::Member> member_of(const Call& call);
  [[nodiscard]] std::size_t size_of_world() const;
  void meet_all(WaitKind kind, const std::map<std::uint32_t, ActivityRef>& calls);

  RunActivities* run_;
  ThreadActivities* threads_;
  Partners* partners_;
  const PlanNames* names_;
  JobCommunicators communicators_;
  PendingRequests requests_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t>
      sites_;                                               // by function, and place in the scope
  std::map<std::uint32_t, std::uint32_t> threads_of_rank_;  // the first that called MPI
  std::map<std::uint32_t, ActivityRef> begins_, ends_;      // MPI_Init and MPI_Finalize, by rank
  std::uint32_t size_of_world_{0};                          // 0: not known
  std::uint64_t likely_ends_{0};
};

}  // namespace eventspace

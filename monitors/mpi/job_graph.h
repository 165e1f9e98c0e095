#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "monitors/mpi/job_look.h"
#include "monitors/watching/wait_graph.h"

namespace eventspace {

/// The wait-for graph of a look: which ranks of an MPI job wait for which. It also has nodes for collective
/// operations, so its size grows with the ranks and not with their square:
///
///     rank -> operation -> each member that has not come, or cannot continue
///     rank -> partner of its message
///     rank -> any of a communicator -> each member          (needs any of them)
///     rank -> its threads, if several call MPI              (likewise)
///
/// A call of several parts (Waitall, Sendrecv) needs all of them, a call such as Waitany any. Calls younger
/// than `settled` do not count as waits, because a look is not taken at one instant. Pure. Not thread-safe.
class JobGraph {
 public:
  /// `look` must outlive it.
  JobGraph(const JobLook& look, std::chrono::nanoseconds settled);

  [[nodiscard]] const WaitGraph& waits() const noexcept { return graph_; }
  [[nodiscard]] std::size_t node_of(std::uint32_t rank) const { return rank_nodes_[rank]; }
  /// The rank of a node; nullopt for a node of another kind.
  [[nodiscard]] std::optional<std::uint32_t> rank_at(std::size_t node) const;
  [[nodiscard]] const std::map<JobOperation, std::size_t>& operations() const noexcept { return operations_; }
  /// The operation of a node; null for a node of another kind.
  [[nodiscard]] const JobOperation* operation_at(std::size_t node) const;
  /// The ranks that wait in an operation.
  [[nodiscard]] const RankSet& present_in(const JobOperation& operation) const;

 private:
  void add_rank_nodes();
  void add_waits(std::uint32_t rank);
  void add_waits(std::size_t from, std::uint32_t rank, const JobCall& call);
  std::size_t node_of_operation(const JobOperation& operation);
  std::size_t node_of_any(std::uint32_t communicator);
  void finish_operations();
  [[nodiscard]] bool is_awaited_in(const JobOperation& operation, const RankSet& present,
                                   std::uint32_t rank) const;
  [[nodiscard]] bool is_waiting(const JobThread& thread) const;

  const JobLook* look_;
  std::chrono::nanoseconds settled_;
  WaitGraph graph_{0};
  std::vector<std::size_t> rank_nodes_;
  std::map<std::size_t, std::uint32_t> ranks_;  // by node
  std::map<JobOperation, std::size_t> operations_;
  std::map<std::size_t, JobOperation> operation_nodes_;
  std::map<JobOperation, RankSet> present_;
  std::map<std::uint32_t, std::size_t> any_nodes_;  // by communicator
};

}  // namespace eventspace

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "monitors/collectives/operation_report.h"

namespace eventspace {

/// A sum of times and its maximum error. Errors are added, because they need not cancel out.
struct TimeSum {
  std::uint64_t count{0};
  double ns{0};
  double error_ns{0};
  double most_ns{0};
  void add(const Difference& time) noexcept;
  void add(const TimeSum& other) noexcept;
};

/// Totals over many operations of one collective. Pure. Not thread-safe.
///
/// The cost of a thread is the time that the other threads waited for it: for each operation in which it
/// certainly contributed last, the sum over the other recorded threads of the time from their contribution to
/// its own. The part that they would not have waited, had it come together with the second to last, is
/// `avoidable`: the time between these two, once for each of the others. Waiting in operations whose last
/// thread is uncertain is `unattributed`.
class CollectiveTotals {
 public:
  explicit CollectiveTotals(const CollectiveShape& shape);

  /// Open and broken operations are only counted; their times are not added.
  void add(const OperationReport& report);

  /// Add times within a process that the process's node summed up. The greatest time of `waited` of a thread
  /// and `both` of a stage is then only an upper bound, because each combines two sums.
  void add_edge(std::size_t edge, CollectiveTime time, const TimeSum& sum);
  void add_joint(std::size_t joint, CollectiveTime time, const TimeSum& sum);

  struct Thread {
    std::uint64_t last{0};          ///< operations in which it certainly was the last
    std::uint64_t perhaps_last{0};  ///< operations in which it or another may have been the last
    TimeSum cost;
    TimeSum avoidable;
    TimeSum waited;  ///< the time that it waited itself, until all had come
  };
  struct Stage {
    TimeSum up, down, both;
  };
  struct Joint {
    TimeSum gathering, passing_up, above, handing_down;
  };
  struct Node {
    TimeSum cost;     ///< of its threads
    TimeSum waited;   ///< by them
    TimeSum passing;  ///< in its joints, excluding waiting: passing up and handing down
  };
  [[nodiscard]] const std::vector<Thread>& threads() const noexcept { return threads_; }  ///< by edge
  [[nodiscard]] const std::vector<Stage>& stages() const noexcept { return stages_; }     ///< by edge
  [[nodiscard]] const std::vector<Joint>& joints() const noexcept { return joints_; }     ///< by joint
  /// By the names of nodes that the shape has now.
  [[nodiscard]] std::map<std::string, Node> nodes() const;
  [[nodiscard]] const TimeSum& unattributed() const noexcept { return unattributed_; }

  [[nodiscard]] std::uint64_t complete() const noexcept { return complete_; }
  [[nodiscard]] std::uint64_t incomplete() const noexcept { return incomplete_; }
  [[nodiscard]] std::uint64_t open() const noexcept { return open_; }
  [[nodiscard]] std::uint64_t broken() const noexcept { return broken_; }
  [[nodiscard]] std::uint64_t missing_records() const noexcept { return missing_records_; }

  /// The edges of the threads in descending order of their cost; threads without cost are left out.
  [[nodiscard]] std::vector<std::size_t> costliest() const;
  /// The edges in descending order of the time spent on them, both ways together.
  [[nodiscard]] std::vector<std::size_t> slowest_stages() const;
  /// The joints in descending order of the time spent in them, excluding waiting, both ways together.
  [[nodiscard]] std::vector<std::size_t> slowest_joints() const;

 private:
  void add_waiting(const OperationReport& report);
  void add_group(const GroupWaiting& group);
  void add_cost(const OperationReport& report, std::size_t last);

  const CollectiveShape* shape_;
  std::vector<Thread> threads_;
  std::vector<Stage> stages_;
  std::vector<Joint> joints_;
  // The sums of nodes, by edge and by joint, because the names of nodes may become known later.
  struct AtEdge {
    TimeSum cost, waited;
  };
  std::vector<AtEdge> at_edges_;
  std::vector<TimeSum> passing_;
  TimeSum unattributed_;
  std::uint64_t complete_{0}, incomplete_{0}, open_{0}, broken_{0}, missing_records_{0};
};

}  // namespace eventspace

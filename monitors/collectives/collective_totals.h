#pragma once

// Private to monitors/.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "monitors/collectives/operation_report.h"

namespace eventspace {

/// A sum of times, and how far it can be off: errors add up, as nothing says that they cancel out.
struct TimeSum {
  std::uint64_t count{0};
  double ns{0};
  double error_ns{0};
  double most_ns{0};
  void add(const Difference& time) noexcept;
  void add(const TimeSum& other) noexcept;
};

/// What many operations of one collective come to. Pure. Not thread-safe.
///
/// What a thread cost the others: in each operation in which it certainly contributed last, the sum over all
/// other threads whose contribution was read of the time from their contribution until its own. What they
/// would not have waited had it come together with the second is `avoidable`: the time between the two for
/// each of the others. Where it is not certain who was last, the waiting is nobody's: `unattributed`.
class CollectiveTotals {
 public:
  explicit CollectiveTotals(const CollectiveShape& shape);

  /// Open and broken operations count as such and for nothing else.
  void add(const OperationReport& report);

  /// The same of times within a process that were added up there. Of the greatest one then only a bound is
  /// known for what is put together of two times: `waited` of a thread, `both` of a stage.
  void add_edge(std::size_t edge, CollectiveTime time, const TimeSum& sum);
  void add_joint(std::size_t joint, CollectiveTime time, const TimeSum& sum);

  struct Thread {
    std::uint64_t last{0};          ///< operations in which it was
    std::uint64_t perhaps_last{0};  ///< in which it could have been, as others could
    TimeSum cost;
    TimeSum avoidable;
    TimeSum waited;  ///< itself, until all had come
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
    TimeSum passing;  ///< in its joints, without waiting there: passing up and handing down
  };
  [[nodiscard]] const std::vector<Thread>& threads() const noexcept { return threads_; }  ///< by edge
  [[nodiscard]] const std::vector<Stage>& stages() const noexcept { return stages_; }     ///< by edge
  [[nodiscard]] const std::vector<Joint>& joints() const noexcept { return joints_; }     ///< by joint
  [[nodiscard]] const std::map<std::string, Node>& nodes() const noexcept { return nodes_; }
  [[nodiscard]] const TimeSum& unattributed() const noexcept { return unattributed_; }

  [[nodiscard]] std::uint64_t complete() const noexcept { return complete_; }
  [[nodiscard]] std::uint64_t incomplete() const noexcept { return incomplete_; }
  [[nodiscard]] std::uint64_t open() const noexcept { return open_; }
  [[nodiscard]] std::uint64_t broken() const noexcept { return broken_; }
  [[nodiscard]] std::uint64_t missing_records() const noexcept { return missing_records_; }

  /// The edges of the threads that cost the others most; those that cost nothing are left out.
  [[nodiscard]] std::vector<std::size_t> costliest() const;
  /// The edges on which most time went by, both ways together.
  [[nodiscard]] std::vector<std::size_t> slowest_stages() const;
  /// The joints in which most time went by between the last arrival and sending on, both ways together.
  [[nodiscard]] std::vector<std::size_t> slowest_joints() const;

 private:
  void add_waiting(const OperationReport& report);
  void add_group(const GroupWaiting& group);
  void add_cost(const OperationReport& report, std::size_t last);

  const CollectiveShape* shape_;
  std::vector<Thread> threads_;
  std::vector<Stage> stages_;
  std::vector<Joint> joints_;
  std::map<std::string, Node> nodes_;
  TimeSum unattributed_;
  std::uint64_t complete_{0}, incomplete_{0}, open_{0}, broken_{0}, missing_records_{0};
};

}  // namespace eventspace

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "monitors/collectives/collective_analysis.h"
#include "monitors/collectives/collective_call.h"
#include "monitors/collectives/collective_summary.h"
#include "monitors/collectives/collective_totals.h"
#include "monitors/collectives/run_time.h"
#include "pathmaps/plan/plan.h"

namespace eventspace {

/// Collectives that a monitor watches: turns views of their records into reports on each operation and into
/// totals for each collective. Derived classes exist for pathmaps and MPI jobs. Implementations do no I/O and
/// read no clock. Not thread-safe.
class WatchedCollectives {
 public:
  struct Operation {
    std::size_t collective{0};  ///< the number that collective() takes
    std::uint64_t run{1};       ///< of the application; the first observed run is 1
    OperationReport report{};
    /// Of the last participant; if that is uncertain, of a candidate. Empty if the collective implies it.
    CollectiveCall call{};
  };
  struct Collective {
    Collective(CollectiveIndex in_plan, CollectiveShape of, CollectiveAnalysis::Config config)
        : number(in_plan), shape(std::move(of)), analysis(shape, config), totals(shape) {}
    const CollectiveIndex number;
    CollectiveShape shape;  ///< only names of nodes change
    CollectiveAnalysis analysis;
    CollectiveTotals totals;
  };
  using Time = CollectiveAnalysis::Time;

  WatchedCollectives() = default;
  virtual ~WatchedCollectives() = default;
  WatchedCollectives(const WatchedCollectives&) = delete;
  WatchedCollectives& operator=(const WatchedCollectives&) = delete;

  /// Adds a view that was pulled at `at`. Returns the operations that were decided since the previous view,
  /// including all open operations if the application was restarted.
  virtual std::vector<Operation> observe(const View& view, Time at) = 0;
  /// Learns from a view of the newest events which threads have contributed to operations that are under way.
  /// Views of unread events do not contain these. open() returns them.
  virtual void observe_under_way(const View& newest) = 0;
  /// The operations to which at least one thread has contributed and which observe() has not returned, by
  /// collective, the oldest first.
  [[nodiscard]] std::vector<Operation> open() const;
  /// The number of runs of the application that the totals cover.
  [[nodiscard]] virtual std::uint64_t runs() const noexcept = 0;

  /// All operations that observe() has returned, by collective, operation and call site.
  [[nodiscard]] const CollectiveSummary& summary() const noexcept { return summary_; }
  /// How long the application ran while it was observed.
  [[nodiscard]] std::chrono::nanoseconds run_time() const noexcept { return run_time_.total(); }
  /// The number of threads or ranks that participate in any of the collectives.
  [[nodiscard]] std::size_t participants() const noexcept { return participants_.size(); }

  [[nodiscard]] std::size_t size() const noexcept { return collectives_.size(); }
  [[nodiscard]] const Collective& collective(std::size_t number) const { return *collectives_[number]; }

 protected:
  /// Fills Operation::call. By default the collective implies it.
  virtual void name_call(Operation& /*operation*/) {}
  /// Settles all collectives and adds the decided operations to the totals, to the summary and to `told`.
  void settle(Time at, std::vector<Operation>& told);
  /// Reports the open operations of the previous run, which can never become complete.
  void begin_anew(std::vector<Operation>& told);

  std::vector<std::unique_ptr<Collective>> collectives_;  // on the heap: an analysis points to its shape
  RunTime run_time_;

 private:
  void add(Operation operation, std::vector<Operation>& told);
  void count_participants();

  CollectiveSummary summary_;
  std::set<std::string> participants_;
  std::size_t counted_{0};  // the collectives whose participants are in it
};

}  // namespace eventspace

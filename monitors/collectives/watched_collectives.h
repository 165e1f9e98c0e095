#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "monitors/collectives/collective_analysis.h"
#include "monitors/collectives/collective_totals.h"
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
    /// The call of the last participant, and its place; empty if the collective implies it.
    std::string call{};
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

  [[nodiscard]] std::size_t size() const noexcept { return collectives_.size(); }
  [[nodiscard]] const Collective& collective(std::size_t number) const { return *collectives_[number]; }

 protected:
  /// Settles all collectives and adds the decided operations to the totals and to `told`.
  void settle(Time at, std::vector<Operation>& told);
  /// Reports the open operations of the previous run, which can never become complete.
  void begin_anew(std::vector<Operation>& told);

  std::vector<std::unique_ptr<Collective>> collectives_;  // on the heap: an analysis points to its shape
};

}  // namespace eventspace

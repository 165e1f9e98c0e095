#pragma once

// Private to monitors/.

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "monitors/collectives/collective_analysis.h"
#include "monitors/collectives/collective_totals.h"
#include "monitors/watching/run_boundary.h"
#include "pathmaps/plan/plan.h"
#include "scopes/tree/plan_names.h"
#include "scopes/wrappers/record_processes.h"

namespace eventspace {

/// Turns the views of a scope that reads records of collective operations into reports: for each collective
/// what happened in its operations, one by one and in total. Knows no socket and reads no clock. Not
/// thread-safe.
class CollectiveWatch {
 public:
  /// `plan` and `names` must outlive it. `only`: the names of the collectives; empty: all of which `tree`
  /// reads anything. Throws ConfigurationError for an unknown collective, or one of which `tree` reads
  /// nothing.
  CollectiveWatch(const Plan& plan, const PlanNames& names, const ScopeTree& tree,
                  const std::vector<std::string>& only = {}, CollectiveAnalysis::Config config = {});

  struct Operation {
    std::size_t collective{0};  ///< as collective() numbers them
    std::uint64_t run{1};       ///< of the application; 1: the first run that anything is known of
    OperationReport report{};
  };
  using Time = CollectiveAnalysis::Time;
  /// Returns the operations that are decided since the view before. `at`: when the view was pulled. When the
  /// application was started again, those that were open are among them.
  std::vector<Operation> observe(const View& view, Time at);
  /// Learns from a view of the newest events which operations are under way: which threads have contributed
  /// to an operation that has ended nowhere. Views of unread events do not have them. open() returns them.
  void observe_under_way(const View& newest);
  /// The operations that at least one thread has contributed to and that were not returned by observe(), the
  /// oldest first.
  [[nodiscard]] std::vector<Operation> open() const;

  struct Collective {
    Collective(CollectiveIndex in_plan, CollectiveShape of, CollectiveAnalysis::Config config)
        : number(in_plan), shape(std::move(of)), analysis(shape, config), totals(shape) {}
    const CollectiveIndex number;
    const CollectiveShape shape;
    CollectiveAnalysis analysis;
    CollectiveTotals totals;
  };
  /// The number of runs of the application that the totals cover.
  [[nodiscard]] std::uint64_t runs() const noexcept { return boundary_.runs(); }
  [[nodiscard]] std::size_t size() const noexcept { return collectives_.size(); }
  [[nodiscard]] const Collective& collective(std::size_t number) const { return *collectives_[number]; }

 private:
  void begin_anew(std::vector<Operation>& told);
  void add(const EventRecord& record, std::uint64_t under_way_as = 0);
  void try_early_ones();
  void add(const CollectivePart& part);
  void add(const CollectiveSum& sum, const View& view);

  std::size_t processes_;  // of the application
  RecordProcesses reports_;
  RunBoundary boundary_;
  std::vector<std::unique_ptr<Collective>> collectives_;  // an analysis keeps where its shape is
  /// A record that seems to be of a run before, or to be repeated. It may be of a run that is not known yet:
  /// a server's records come at once, those of a process that started a moment ago do not.
  struct Early {
    std::size_t collective{0};
    std::variant<EdgeRecord, ProcessPart> what{};
  };
  void keep(const Early& early);
  std::deque<Early> early_;
};

}  // namespace eventspace

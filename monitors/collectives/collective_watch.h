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

/// What a monitor makes of the views of a scope that reads records of collective operations: for each
/// collective what happened in its operations, one by one and all together. Knows no socket. Not thread-safe.
class CollectiveWatch {
 public:
  /// `plan` and `names` must outlive it. `only`: these collectives; empty: all of which `tree` reads
  /// anything. Throws ConfigurationError when there is no such collective, or `tree` reads nothing of it.
  CollectiveWatch(const Plan& plan, const PlanNames& names, const ScopeTree& tree,
                  const std::vector<std::string>& only = {}, CollectiveAnalysis::Config config = {});

  struct Operation {
    std::size_t collective{0};  ///< by its place in collectives()
    std::uint64_t run{1};       ///< of the application, counted from the first that anything is known of
    OperationReport report{};
  };
  using Time = CollectiveAnalysis::Time;
  /// What can be said since the view before; `at`: when it was pulled. When the application was started anew,
  /// also of what was open.
  std::vector<Operation> observe(const View& view, Time at = std::chrono::steady_clock::now());
  /// Learns from a view of the newest events what is under way, which views of unread ones do not have: whose
  /// contributions to an operation that nobody has ended are there. It is reported by open().
  void observe_under_way(const View& newest);
  /// Those that somebody has contributed to, not reported yet, the oldest first.
  [[nodiscard]] std::vector<Operation> open() const;

  struct Collective {
    Collective(CollectiveIndex in_plan, CollectiveShape of, CollectiveAnalysis::Config config)
        : number(in_plan), shape(std::move(of)), analysis(shape, config), totals(shape) {}
    const CollectiveIndex number;
    const CollectiveShape shape;
    CollectiveAnalysis analysis;
    CollectiveTotals totals;
  };
  /// So many runs of the application its totals are of.
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
  /// What a run before seems to have recorded, or to have recorded again. It may be of one that is not known
  /// to have begun: a server's records come at once, those of a process that was started a moment ago do not.
  struct Early {
    std::size_t collective{0};
    std::variant<EdgeRecord, ProcessPart> what{};
  };
  void keep(const Early& early);
  std::deque<Early> early_;
};

}  // namespace eventspace

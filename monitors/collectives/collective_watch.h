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

/// Turns views of records of collective operations into reports on each operation and into totals for each
/// collective. Does no I/O and reads no clock. Not thread-safe.
class CollectiveWatch {
 public:
  /// Watches the collectives named by `only`; if that is empty, all of which `tree` reads records. Throws
  /// ConfigurationError for an unknown collective, or one of which `tree` reads no records. `plan` and
  /// `names` must outlive this object.
  CollectiveWatch(const Plan& plan, const PlanNames& names, const ScopeTree& tree,
                  const std::vector<std::string>& only = {}, CollectiveAnalysis::Config config = {});

  struct Operation {
    std::size_t collective{0};  ///< the number that collective() takes
    std::uint64_t run{1};       ///< of the application; the first observed run is 1
    OperationReport report{};
  };
  using Time = CollectiveAnalysis::Time;
  /// Adds a view that was pulled at `at`. Returns the operations that are decided since the previous view. If
  /// the application was restarted, they include all that were open.
  std::vector<Operation> observe(const View& view, Time at);
  /// Learns from a view of the newest events which threads have contributed to operations that are under way.
  /// Views of unread events do not contain these. open() returns them.
  void observe_under_way(const View& newest);
  /// The operations to which at least one thread has contributed and which observe() has not returned, by
  /// collective, the oldest first.
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

  std::size_t processes_;  // the number of processes of the application
  RecordProcesses reports_;
  RunBoundary boundary_;
  std::vector<std::unique_ptr<Collective>> collectives_;  // on the heap: an analysis points to its shape
  /// A record that seems to be repeated or to belong to a previous run. It may belong to a run that is not
  /// known yet, because records of a server can arrive before the first ones of a process that just started.
  struct Early {
    std::size_t collective{0};
    std::variant<EdgeRecord, ProcessPart> what{};
  };
  void keep(const Early& early);
  std::deque<Early> early_;
};

}  // namespace eventspace

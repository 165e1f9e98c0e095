#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <variant>
#include <vector>

#include "monitors/collectives/watched_collectives.h"
#include "monitors/moments/run_boundary.h"
#include "pathmaps/plan/plan.h"
#include "scopes/tree/plan_names.h"
#include "scopes/wrappers/record_processes.h"

namespace eventspace {

/// The collectives of a pathmap.
class CollectiveWatch final : public WatchedCollectives {
 public:
  /// Watches the collectives named by `only`; if that is empty, all collectives whose records `tree` reads.
  /// Throws ConfigurationError for an unknown collective, or if `tree` does not read records of it. `plan`
  /// and `names` must outlive this object.
  CollectiveWatch(const Plan& plan, const PlanNames& names, const ScopeTree& tree,
                  const std::vector<std::string>& only = {}, CollectiveAnalysis::Config config = {});

  std::vector<Operation> observe(const View& view, Time at) override;
  void observe_under_way(const View& newest) override;
  [[nodiscard]] std::uint64_t runs() const noexcept override { return boundary_.runs(); }

 private:
  void add(const EventRecord& record, std::uint64_t under_way_as = 0);
  void see(const ProcessReport& process, const EventRecord& record);
  void try_early_ones();
  void add(const CollectivePart& part);
  void add(const CollectiveSum& sum, const View& view);

  std::size_t processes_;  // the number of processes of the application
  RecordProcesses reports_;
  RunBoundary boundary_;
  /// A record that seems to be repeated or to belong to a previous run. It may belong to a run that is not
  /// known yet, because records of a server can arrive before the first records of a process that just
  /// started.
  struct Early {
    std::size_t collective{0};
    std::variant<EdgeRecord, ProcessPart> what{};
  };
  void keep(const Early& early);
  std::deque<Early> early_;
};

}  // namespace eventspace

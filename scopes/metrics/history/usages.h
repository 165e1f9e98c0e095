#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "paths/views/view.h"
#include "scopes/metrics/history/datum.h"
#include "scopes/metrics/history/observed_objects.h"
#include "scopes/metrics/language/built_in_metrics.h"

namespace eventspace::metrics {

/// The resource usage of processes, from the reports in views. Processes have the numbers of ObservedObjects.
/// Usage before a process's first report does not count; a restarted process continues its counts. Not
/// thread-safe.
class Usages {
 public:
  /// Takes the report of process `process`.
  void take(std::uint32_t process, const ProcessReport& report);
  /// Begins the next interval.
  void mark_read();

  /// How much of a resource the processes have used: since their first report, or since mark_read(). The
  /// result is an error if one of them has ended, or was never sampled. The caller sets `begin_ns`.
  [[nodiscard]] Datum used(Resource resource, const std::set<std::uint32_t>& processes,
                           bool since_last) const;
  /// How much of a resource the processes have now; an error as for used().
  [[nodiscard]] Datum present(Resource resource, const std::set<std::uint32_t>& processes) const;
  /// The greatest error bound of the times of the processes; an error as for used(), or if there is no bound.
  [[nodiscard]] Datum clock_error(const std::set<std::uint32_t>& processes) const;
  /// The present amount for nodes, by the newest sample of any of their processes.
  [[nodiscard]] Datum of_nodes(Resource resource, const std::set<std::uint32_t>& nodes,
                               const ObservedObjects& objects) const;

 private:
  static constexpr std::size_t resources = static_cast<std::size_t>(Resource::clock_error) + 1;

  struct Process {
    std::optional<ProcessUsage> newest{};
    std::int64_t at_ns{0};  // the moment of the newest sample, on the clock of the view's holder
    std::optional<std::int64_t> error_ns{};  // error of that moment; none: unbounded
    std::uint64_t start_ticks{0};
    std::int32_t pid{0};
    bool is_gone{false};
    std::array<double, resources> used{};
    std::array<double, resources> used_until_last{};
  };

  static void add(Process& process, const ProcessUsage& usage, bool is_same_run);
  /// Why a process has not been sampled; none if it has a sample.
  [[nodiscard]] Problem problem_of(std::uint32_t process) const noexcept;
  /// The sum of `amount` over processes.
  template <class Amount>
  [[nodiscard]] Datum sum(const std::set<std::uint32_t>& processes, Amount amount) const;

  std::vector<Process> processes_;
};

}  // namespace eventspace::metrics

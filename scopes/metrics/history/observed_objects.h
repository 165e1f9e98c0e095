#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scopes/metrics/language/metric_type.h"
#include "scopes/tree/plan_names.h"

namespace eventspace::metrics {

/// The rank of a process: in MPI_COMM_WORLD, if it belongs to the first MPI job; nothing, if it belongs to
/// another one; otherwise the number at the end of its name, 3 for "p3".
std::optional<std::uint32_t> rank_of(std::uint32_t process, const PlanNames& names);

/// The processes, threads, nodes, sites and regions that were seen so far, numbered from 0 in order of
/// appearance. A site is a cluster of the pathmap; nodes outside all clusters form the site "-". Not
/// thread-safe.
class ObservedObjects {
 public:
  struct Process {
    std::string name;
    std::optional<std::uint32_t> rank;
    std::uint32_t node{0};
    std::vector<std::uint32_t> threads;
    std::uint32_t number{0};  ///< in reports
  };
  struct Thread {
    std::string name;
    std::uint32_t process{0};
    std::uint32_t number{0};  ///< in records
  };

  /// Returns the number of a thread, given its number in records and its process's number in reports.
  std::uint32_t thread(std::uint32_t thread, std::uint32_t process, const PlanNames& names);
  /// The same for a process.
  std::uint32_t process(std::uint32_t process, const PlanNames& names);
  /// Returns the number of a region, given its probe's number in records, or nothing if there are too many
  /// regions.
  std::optional<std::uint32_t> region(std::uint32_t probe, const PlanNames& names);
  static constexpr std::size_t max_regions = 4096;

  [[nodiscard]] const std::vector<Process>& processes() const noexcept { return processes_; }
  [[nodiscard]] const std::vector<Thread>& threads() const noexcept { return threads_; }
  [[nodiscard]] const std::vector<std::string>& nodes() const noexcept { return nodes_; }
  [[nodiscard]] std::uint32_t site_of_node(std::uint32_t node) const { return site_of_node_[node]; }
  /// The number of a region's probe in records.
  [[nodiscard]] std::uint32_t probe_of_region(std::uint32_t region) const { return regions_[region].probe; }

  /// The number of objects, or regions, of the type.
  [[nodiscard]] std::size_t count(Base base) const noexcept;
  [[nodiscard]] std::string_view name(Base base, std::uint32_t number) const noexcept;
  /// The threads that belong to an object.
  [[nodiscard]] std::vector<std::uint32_t> threads_of(Base base, std::uint32_t number) const;
  /// The processes that belong to a process, node or site; empty for a thread.
  [[nodiscard]] std::vector<std::uint32_t> processes_of(Base base, std::uint32_t number) const;

 private:
  struct Region {
    std::string name;
    std::uint32_t probe{0};
  };

  std::uint32_t node(std::string_view name, std::string_view cluster);
  [[nodiscard]] bool is_of(Base base, std::uint32_t number, const Process& process) const;

  std::vector<Process> processes_;
  std::vector<Thread> threads_;
  std::vector<std::string> nodes_;
  std::vector<std::uint32_t> site_of_node_;
  std::vector<std::string> sites_;
  std::vector<Region> regions_;
  std::map<std::uint32_t, std::uint32_t> region_numbers_;
  std::map<std::uint32_t, std::uint32_t> process_numbers_;
  std::map<std::uint32_t, std::uint32_t> thread_numbers_;
  std::optional<std::pair<std::uint32_t, std::uint32_t>> last_thread_;  // events of a thread come together
};

}  // namespace eventspace::metrics

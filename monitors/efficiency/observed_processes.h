#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "paths/views/view.h"
#include "scopes/tree/plan_names.h"

namespace eventspace::efficiency {

/// The processes of views: until when their events are known, whether they live, and how well times of
/// different nodes can be compared. Times are in nanoseconds on the clock of the process that holds the
/// views. Not thread-safe.
class ObservedProcesses {
 public:
  /// `names` must outlive it.
  explicit ObservedProcesses(const PlanNames& names) noexcept : names_(&names) {}
  void add(const View& view);

  struct Process {
    std::int64_t until_ns{0};  ///< its events that ended by then are known
    bool is_alive{false};      ///< in the last view that reported it
    std::int32_t pid{0};
    std::uint64_t start_ticks{0};
  };
  /// Null if no view has reported the process.
  [[nodiscard]] const Process* find(std::uint32_t process) const;
  /// Until when the events of all living processes are known; nullopt if none lives.
  [[nodiscard]] std::optional<std::int64_t> all_known_until() const;
  /// Whether processes were reported, and none of them lives.
  [[nodiscard]] bool have_ended() const;
  /// How often a process was started again under the same number.
  [[nodiscard]] std::uint64_t restarts() const noexcept { return restarts_; }
  /// Processes that did not record all calls at times (`eventspace switch`, `--budget`). Such calls leave no
  /// hole in the numbers of records, and their time looks useful.
  [[nodiscard]] std::size_t thinned() const noexcept { return thinned_.size(); }
  /// Bound of the error of times of different nodes, 0 on one node; nullopt if it is unknown.
  [[nodiscard]] std::optional<std::int64_t> clock_error_ns() const noexcept { return error_ns_; }

 private:
  const PlanNames* names_;
  std::map<std::uint32_t, Process> processes_;
  std::uint64_t restarts_{0};
  std::set<std::uint32_t> thinned_;
  std::string node_;  // of the first process
  bool has_several_nodes_{false};
  std::optional<std::int64_t> error_ns_{0};
};

}  // namespace eventspace::efficiency

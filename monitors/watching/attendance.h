#pragma once

// Private to monitors/.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "pathmaps/plan/plan.h"
#include "paths/views/view.h"

namespace eventspace {

/// Which threads have come to the collective operations that are under way, by the newest records. A thread
/// has come to an operation when a record of its path is in flight or has ended that operation. The number of
/// an operation in flight may be unknown: when the record that ended last on the path is not in the view, or
/// failed and did not count. Then it is taken for the operation that is asked about. Pure. Not thread-safe.
class Attendance {
 public:
  struct Operation {
    CollectiveIndex collective;
    std::optional<std::uint64_t> number{};                                  ///< nothing: not known
    friend auto operator<=>(const Operation&, const Operation&) = default;  // NOLINT(modernize-use-nullptr)
  };

  /// `traces`: the trace elements of which views have records. Participants without one of them are left out:
  /// nothing is known of them.
  Attendance(const Plan& plan, const std::set<TraceIndex>& traces);

  /// `newest`: a view of the newest events. What was seen before is forgotten.
  void observe(const View& newest);

  /// The operation that is under way on path `path`, of a thread or of a joint; nothing when none is.
  [[nodiscard]] std::optional<Operation> operation_on(std::uint32_t path) const;
  /// The paths of the threads that take part in it and have not come: also of those of which the view has no
  /// record.
  [[nodiscard]] std::vector<PathIndex> absent_from(const Operation& operation) const;
  /// The paths of all threads that take part.
  [[nodiscard]] const std::vector<PathIndex>& participants(CollectiveIndex collective) const {
    return participants_[collective];
  }

 private:
  struct Place {
    CollectiveIndex collective;
    bool is_in_flight{false};
    bool has_failed{false};                    ///< the last one that ended
    std::optional<std::uint64_t> in_flight{};  ///< its number, if those before have not failed
    std::uint64_t ended{0};                    ///< the number of the last one that ended; 0: not known
    [[nodiscard]] std::optional<std::uint64_t> number() const {
      return has_failed ? std::nullopt : in_flight;
    }
  };
  [[nodiscard]] bool has_come(PathIndex path, const Operation& operation) const;

  std::unordered_map<PathIndex, Place> places_;  // uplinks of joints included
  IndexedVector<CollectivePlan, std::vector<PathIndex>> participants_;
};

}  // namespace eventspace

#pragma once

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

/// Finds out from the newest records which threads have come to the collective operations in progress. A
/// thread has come to an operation when a record of its path is in flight in that operation or has ended it.
/// The number of an operation in flight is unknown when the last ended record of the path is not in the view,
/// or failed. The operation then counts as the one that the caller asks about. Pure. Not thread-safe.
class Attendance {
 public:
  struct Operation {
    CollectiveIndex collective;
    std::optional<std::uint64_t> number{};                                  ///< nullopt: unknown
    friend auto operator<=>(const Operation&, const Operation&) = default;  // NOLINT(modernize-use-nullptr)
  };

  /// `traces`: the trace elements that the views read. Participants without one of them are ignored, because
  /// nothing is known about them.
  Attendance(const Plan& plan, const std::set<TraceIndex>& traces);

  /// Replaces the state by that of `newest`, a view of the newest events.
  void observe(const View& newest);

  /// The operation in progress on `path`, the path of a thread or of a joint; nullopt if there is none.
  [[nodiscard]] std::optional<Operation> operation_on(std::uint32_t path) const;
  /// The paths of the participating threads that have not come to `operation`, including threads without a
  /// record in the view.
  [[nodiscard]] std::vector<PathIndex> absent_from(const Operation& operation) const;
  /// The paths of all participating threads.
  [[nodiscard]] const std::vector<PathIndex>& participants(CollectiveIndex collective) const {
    return participants_[collective];
  }

 private:
  struct Place {
    CollectiveIndex collective;
    bool is_in_flight{false};
    bool has_failed{false};                    ///< the operation that ended last
    std::optional<std::uint64_t> in_flight{};  ///< its number, if the operation before has not failed
    std::uint64_t ended{0};                    ///< the number of the last ended operation; 0: unknown
    [[nodiscard]] std::optional<std::uint64_t> number() const {
      return has_failed ? std::nullopt : in_flight;
    }
  };
  [[nodiscard]] bool has_come(PathIndex path, const Operation& operation) const;

  std::unordered_map<PathIndex, Place> places_;  // includes uplinks of joints
  IndexedVector<CollectivePlan, std::vector<PathIndex>> participants_;
};

}  // namespace eventspace

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "monitors/collectives/collective_operation.h"
#include "monitors/collectives/collective_shape.h"
#include "monitors/moments/last_of.h"

namespace eventspace {

enum class OperationState : std::uint8_t {
  complete = 1,  ///< all its records have arrived
  incomplete,    ///< it has ended, but some records were overwritten or have not arrived
  open,          ///< no end is known: a participant has yet to contribute
  broken         ///< a participant got no result: the collective was broken, or a deadline passed
};
std::string_view to_string(OperationState state) noexcept;

/// How long the contribution and the result took on an edge. When the ends of the edge lie in different
/// processes, each end has its own clock.
struct EdgeTimes {
  std::optional<Difference> up;    ///< from leaving the lower end to arriving at the joint
  std::optional<Difference> down;  ///< the way of the result back
  std::optional<Difference> both;  ///< their sum, from durations only: exact however the clocks differ
};

/// The arrival and the departure view of an internal node (EventSpace paper, section 5.3).
struct JointView {
  struct Passage {
    std::size_t edge{0};
    Difference after_first;
  };
  std::vector<Passage> arrivals;           ///< in the order of arrival
  std::vector<Passage> departures;         ///< in the order of departure
  LastOf last;                             ///< which edge arrived last
  std::optional<Difference> gathering;     ///< from the first arrival to the last
  std::optional<Difference> passing_up;    ///< from the last arrival to passing it up; not for the root
  std::optional<Difference> above;         ///< from then until the result came down; not for the root
  std::optional<Difference> handing_down;  ///< from then (root: from the last arrival) to the last departure
};

/// The waiting of the threads of a process whose records a part represents; known only as a sum.
struct GroupWaiting {
  std::size_t within{0};  ///< in CollectiveShape::within
  std::size_t last{0};    ///< the edge of the last of these threads
  Difference waited;      ///< the sum over the threads, until all had come
  Difference after_last;  ///< from the last of them until all had come
};

/// The report on one collective operation. If a part stood for the records of a process, edges and joints
/// within that process have no times here; CollectiveTotals has their sums.
struct OperationReport {
  std::uint64_t number{0};
  OperationState state{OperationState::complete};
  std::size_t missing{0};               ///< ends of edges without an ended record...
  std::vector<std::string> missing_on;  ///< ...and the nodes where they are
  std::vector<std::size_t> absent;      ///< if there is no result: edges of threads not known to have
                                        ///< contributed
  LastOf last;                          ///< which thread contributed last: the contribution view
  std::vector<std::optional<Difference>> waited;  ///< by edge: how long its thread waited until all had come
  std::vector<GroupWaiting> groups;               ///< the same for threads represented by a part
  std::vector<EdgeTimes> edges;                   ///< by edge
  std::vector<JointView> joints;                  ///< by joint
};

/// Makes the report. `is_over` says that the operation must have ended, because later ones have begun. Pure.
[[nodiscard]] OperationReport report_on(const CollectiveShape& shape, const CollectiveOperation& operation,
                                        bool is_over);

}  // namespace eventspace

#pragma once

// Private to monitors/.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "monitors/collectives/collective_operation.h"
#include "monitors/collectives/collective_shape.h"
#include "monitors/watching/last_of.h"

namespace eventspace {

enum class OperationState : std::uint8_t {
  complete = 1,  ///< all its records are here
  incomplete,    ///< it has ended, but some of its records were overwritten, or have not come
  open,          ///< as far as is known it has not ended: somebody has yet to contribute
  broken         ///< it ended without a result for somebody: the collective was broken, or a time was up
};
std::string_view to_string(OperationState state) noexcept;

/// What went into an edge and came out of it. Both ends are read by clocks of their own when they are in two
/// places.
struct EdgeTimes {
  std::optional<Difference> up;    ///< from setting out at the lower end to arriving at the joint
  std::optional<Difference> down;  ///< the result's way back
  std::optional<Difference> both;  ///< the two together, by durations alone: exact whatever the clocks show
};

/// What happened at one joint: the arrival and the departure view of an internal node (EventSpace
/// paper, 5.3).
struct JointView {
  struct Passage {
    std::size_t edge{0};
    Difference after_first;
  };
  std::vector<Passage> arrivals;         ///< in their order
  std::vector<Passage> departures;       ///< in theirs
  LastOf last;                           ///< of the edges, to arrive here
  std::optional<Difference> gathering;   ///< from the first arrival to the last
  std::optional<Difference> passing_up;  ///< from the last arrival to setting out further up; not of the root
  std::optional<Difference> above;       ///< from then until the result came down; not of the root
  std::optional<Difference> handing_down;  ///< from then (root: from the last arrival) to the last departure
};

/// What is known of threads of one process only together: a part stood for their records.
struct GroupWaiting {
  std::size_t within{0};  ///< in CollectiveShape::within
  std::size_t last{0};    ///< the edge of the one who came last of them
  Difference waited;      ///< all together, until all had come
  Difference after_last;  ///< from the last of them until then
};

/// What can be said of one collective operation. Where a part stood for records, edges and joints within that
/// process say nothing; sums of them are beside it (CollectiveTotals).
struct OperationReport {
  std::uint64_t number{0};
  OperationState state{OperationState::complete};
  std::size_t missing{0};               ///< ends of edges without a record that has ended...
  std::vector<std::string> missing_on;  ///< ...and the nodes where they are
  std::vector<std::size_t> absent;      ///< of one without a result: the edges of threads that have not
                                        ///< contributed, as far as is known
  LastOf last;                          ///< of the threads, to contribute: the contribution view
  std::vector<std::optional<Difference>> waited;  ///< by edge: how long that thread waited until all had come
  std::vector<GroupWaiting> groups;               ///< the same of those of whom a part tells
  std::vector<EdgeTimes> edges;                   ///< by edge
  std::vector<JointView> joints;                  ///< by joint
};

/// `is_over`: it must have ended, as later ones have begun. Pure.
[[nodiscard]] OperationReport report_on(const CollectiveShape& shape, const CollectiveOperation& operation,
                                        bool is_over);

}  // namespace eventspace

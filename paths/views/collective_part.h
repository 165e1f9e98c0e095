#pragma once

#include <cstdint>

namespace eventspace {

// Summaries of collective operations in one process, computed from the records of its paths. They are sent
// instead of the records. Times are ticks of that process's clock. Plain data, part of the wire format.

/// The time of a thread's contribution.
struct Contribution {
  std::uint32_t path{0};  ///< number in the plan
  std::uint64_t ticks{0};
  friend bool operator==(const Contribution&, const Contribution&) = default;
};

/// One collective operation in one process: summarises the contributions of the process's threads.
struct CollectivePart {
  std::uint32_t collective{0};       ///< number in the plan
  std::uint32_t process{0};          ///< number in the plan
  std::uint64_t operation{0};        ///< number of the operation, from 1
  std::uint32_t threads{0};          ///< at least 1
  Contribution first, second, last;  ///< `second` is the last but one; equal if there is one thread
  std::uint64_t waited{0};           ///< sum of the threads' waits for their last
  friend bool operator==(const CollectivePart&, const CollectivePart&) = default;
};

/// The interval that a CollectiveSum adds up.
enum class CollectiveTime : std::uint8_t {
  up = 1,           ///< for a path: from the start of its operation to the arrival at the joint
  down = 2,         ///< for a path: from the departure of the result at the joint to the end of the operation
  waited = 3,       ///< for a thread's path: until the last thread of the process contributed
  gathering = 4,    ///< for a joint: from the first arrival to the last
  passing_up = 5,   ///< for a joint: from the last arrival to the start of its operation on the joint above
  above = 6,        ///< for a joint: from then until the result of that operation arrived
  handing_down = 7  ///< for a joint: from then (root: from the last arrival) to the last departure
};

/// The sum of one interval of a path or joint, over the operations of a view that have a CollectivePart.
struct CollectiveSum {
  std::uint32_t process{0};
  std::uint32_t of{0};  ///< number of the path or joint in the plan
  CollectiveTime time{CollectiveTime::up};
  std::uint64_t count{0};
  std::int64_t ticks{0};
  std::int64_t most{0};
  void add(std::int64_t taken) noexcept {
    ++count;
    ticks += taken;
    if (count == 1 || taken > most) most = taken;
  }
  friend bool operator==(const CollectiveSum&, const CollectiveSum&) = default;
};

}  // namespace eventspace

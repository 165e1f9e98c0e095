#pragma once

#include <cstdint>

namespace eventspace {

// What a process did in collective operations, made of the records of paths that begin and end in it: results
// that travel instead of the records. Times are ticks of that process's clock. Plain data, part of the wire
// format.

/// When a thread contributed.
struct Contribution {
  std::uint32_t path{0};  ///< number in the plan
  std::uint64_t ticks{0};
  friend bool operator==(const Contribution&, const Contribution&) = default;
};

/// One operation: it stands for the contributions of all threads of a process that contribute within it.
struct CollectivePart {
  std::uint32_t collective{0};  ///< number in the plan, as is the next
  std::uint32_t process{0};
  std::uint64_t operation{0};
  std::uint32_t threads{0};          ///< one at least
  Contribution first, second, last;  ///< `second` is the last but one; of one thread all are the same
  std::uint64_t waited{0};           ///< all threads together, until the last of them
  friend bool operator==(const CollectivePart&, const CollectivePart&) = default;
};

/// What a CollectiveSum adds up.
enum class CollectiveTime : std::uint8_t {
  up = 1,           ///< of a path: its contribution from setting out to arriving at the joint
  down = 2,         ///< of a path: the way back of its result
  waited = 3,       ///< of a thread's path: until the last thread of the process contributed
  gathering = 4,    ///< of a joint: from the first arrival to the last
  passing_up = 5,   ///< of a joint: from the last arrival to setting out further up
  above = 6,        ///< of a joint: from then until the result came
  handing_down = 7  ///< of a joint: from then (root: from the last arrival) to the last departure
};

/// The times of one kind that a path or a joint took in those operations of a view of which there is a
/// CollectivePart.
struct CollectiveSum {
  std::uint32_t process{0};
  std::uint32_t of{0};  ///< the number of the path or joint in the plan
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

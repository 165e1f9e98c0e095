#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tuplespace/trace/segment.h"

namespace eventspace {

/// One run of a process, as its segment shows it. When the process starts anew another generation follows,
/// with a segment of its own; the older one's stays readable for as long as somebody holds it here.
struct Generation {
  /// Rises with each start; 0: before the first that was seen, when there was no segment. Those below 0 were
  /// looked for later, and there is none of number 0 between -1 and 1.
  std::int64_t number{0};
  std::unique_ptr<const SegmentView> segment;  ///< null: of number 0, or given up, see Generations
  std::shared_ptr<const Generation> newer;     ///< the next one that is kept; null: this is the newest

  /// There is a segment and its memory may be touched. One system call.
  [[nodiscard]] bool readable() const noexcept { return segment != nullptr && segment->intact(); }
};

/// How many generations of one process are kept for who still reads an older one.
inline constexpr std::int64_t generations_kept = 16;

/// How many lie between two of one process that follow each other here.
std::uint64_t generations_between(const Generation& older, const Generation& newer) noexcept;

/// The generations of one process:
///
///     3 ---> 4 ---> 5 (newest)
///     ^             ^
///     a reader      Generations
///
/// Each owns the next and only the newest is owned from here, so that an older segment stays mapped exactly
/// for as long as somebody who reads it, or one before it, has still to come past. More than
/// `generations_kept` before the newest are given up: their segments are unmapped, whoever holds them, and
/// they lead to the oldest that is kept; the gap in the numbers tells how many went. Not thread-safe.
class Generations {
 public:
  [[nodiscard]] std::shared_ptr<const Generation> newest() const noexcept { return newest_; }
  /// Whether somebody outside holds the newest, and will want what follows it.
  [[nodiscard]] bool awaited() const noexcept { return newest_.use_count() > 1; }

  /// The process was started anew, after `skipped` other starts whose segments nobody will read.
  void add(std::unique_ptr<const SegmentView> segment, std::uint64_t skipped = 0);

  /// The oldest that is still held, with all that follow it.
  [[nodiscard]] std::shared_ptr<const Generation> oldest() const;
  /// A segment was found that was made before the oldest's, which there is. Lives for as long as it is held.
  std::shared_ptr<const Generation> add_older(std::unique_ptr<const SegmentView> segment);

 private:
  void give_up_oldest();

  std::shared_ptr<Generation> newest_ = std::make_shared<Generation>();
  std::vector<std::weak_ptr<Generation>> older_;  // that somebody may hold, oldest first
};

}  // namespace eventspace

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tuplespace/trace/segment.h"

namespace eventspace {

class ControlView;

/// One run of a process and its segment. When the process is restarted, another generation with its own
/// segment follows; the older segment stays mapped as long as a reader holds its generation.
struct Generation {
  /// Rises with each start. 0: a segment has not been found yet. Negative: an older run that was found later;
  /// the generation after number -1 is number 1.
  std::int64_t number{0};
  std::unique_ptr<SegmentView> segment;        ///< null for number 0, or if given up, see Generations
  std::shared_ptr<const ControlView> control;  ///< of the same process; null: it cannot be read
  std::shared_ptr<const Generation> newer;     ///< the next generation that is kept; null: this is the newest

  /// Returns whether there is a segment whose memory may be read. One system call.
  [[nodiscard]] bool readable() const noexcept { return segment != nullptr && segment->intact(); }
};

/// The number of generations of one process that are kept for readers of older ones.
inline constexpr std::int64_t generations_kept = 16;

/// Returns how many runs of the process there were between `older` and `newer`.
std::uint64_t generations_between(const Generation& older, const Generation& newer) noexcept;

/// The generations of one process:
///
///     3 ---> 4 ---> 5 (newest)
///     ^             ^
///     a reader      Generations
///
/// Each generation owns the next one, and Generations owns only the newest, so an older segment stays mapped
/// exactly as long as a reader of it, or of an earlier one, exists. A generation more than `generations_kept`
/// before the newest is given up: its segment is unmapped even if a reader holds it, and its `newer` becomes
/// the oldest that is kept. The gap in the numbers is the number of generations that were given up. Not
/// thread-safe.
class Generations {
 public:
  [[nodiscard]] std::shared_ptr<const Generation> newest() const noexcept { return newest_; }
  /// Returns whether a reader holds the newest generation and will therefore need the next one.
  [[nodiscard]] bool awaited() const noexcept { return newest_.use_count() > 1; }

  /// Adds the segment of a new run, after `skipped` other runs whose segments will not be read.
  void add(std::unique_ptr<SegmentView> segment, std::uint64_t skipped = 0);

  /// Returns the oldest generation that a reader holds; it leads to all later ones.
  [[nodiscard]] std::shared_ptr<const Generation> oldest() const;
  /// Adds a segment that is older than the segment of the oldest generation, which must have one. The
  /// generation lives as long as the caller holds it.
  std::shared_ptr<const Generation> add_older(std::unique_ptr<SegmentView> segment);

 private:
  void give_up_oldest();

  std::shared_ptr<Generation> newest_ = std::make_shared<Generation>();
  std::vector<std::weak_ptr<Generation>> older_;  // the ones that readers may hold, oldest first
};

}  // namespace eventspace

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "collectors/clock.h"
#include "collectors/event_record.h"
#include "collectors/stamp.h"
#include "paths/stage.h"
#include "tuplespace/trace/trace_element.h"

namespace eventspace {

/// What an event collector says of each operation besides the operation itself.
struct CollectorIdentity {
  std::uint32_t thread{0};
  std::uint32_t path{0};
  std::uint32_t peer{no_peer};
  std::uint16_t point{0};
};

/// Switches a group of event collectors on and off while they run.
using CollectSwitch = std::atomic<bool>;

/// What the event collectors of one thread have in common, in one place that stays in the cache between them.
struct RecordedThread {
  const CollectSwitch* enabled;
  /// What the thread of an application says it is at, such as the step of its loop; event collectors on its
  /// paths stamp it. Written by the thread only.
  std::uint64_t virtual_time{0};
};

/// The wrapper that makes a trace tuple of each operation through it: the start half when the operation
/// begins, so that it can be seen in flight; the end half when it has finished. What it adds to a path is two
/// readings of the clock and nine stores; it never waits, allocates, calls the system or fails. An operation
/// begun while `thread.enabled` is set is recorded to its end.
///
/// `thread`, its switch and the writer's memory must outlive the wrapper.
std::unique_ptr<Stage> make_event_collector(std::unique_ptr<Stage> next, TraceWriter writer,
                                            CollectorIdentity identity, const RecordedThread& thread,
                                            const Clock& clock, StampOrder stamps = StampOrder::plain);

}  // namespace eventspace

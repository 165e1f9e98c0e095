#pragma once

#include <cstdint>
#include <memory>

#include <eventspace/stage.h>
#include "collectors/clock.h"
#include "collectors/event_record.h"
#include "collectors/stamp.h"
#include "tuplespace/trace/collect_switch.h"
#include "tuplespace/trace/trace_element.h"

namespace eventspace {

/// The constant fields of all records of one event collector.
struct CollectorIdentity {
  std::uint32_t thread{0};
  std::uint32_t path{0};
  std::uint32_t peer{no_peer};
  std::uint16_t point{0};
};

/// The state that all event collectors of one thread share, so that it stays in the cache between operations.
/// All recorders check it to decide which events to record:
///
///     recording_ = thread.records(operation_kind, verb);  // when the event begins
struct RecordedThread {
  const CollectSwitch* collecting;  ///< not owned
  /// The progress that the application's thread reports, such as the step of its loop; stored in each of its
  /// records. Written by this thread only.
  std::uint64_t virtual_time{0};
  /// Whether the thread has reported any; 0 is a valid virtual time.
  bool has_virtual_time{false};
  mutable SampleCounts counts{};

  /// Whether to record an event of this kind and class that begins now. Counts the event if only one in n is
  /// recorded. An event that is not recorded does not use a sequence number, so it never looks lost. One load
  /// while everything is recorded; never waits.
  [[nodiscard]] bool records(std::uint8_t kind, std::uint8_t event_class) const noexcept {
    if (collecting->is_complete()) [[likely]]
      return true;
    return counts.is_due(*collecting, kind, event_class);
  }
};

/// Makes the wrapper that records each operation through it as a trace tuple. It writes the start half when
/// the operation begins, so that monitors see the operation in flight, and the end half when it has finished.
/// It adds two clock readings and nine stores to a path; it never waits, allocates, makes a system call or
/// fails. An operation that is recorded when it begins is recorded to its end. If a stage behind
/// the wrapper throws, the operation is recorded as refused.
///
/// Like any stage, the wrapper is used by one thread at a time. `thread`, its switch and the writer's memory
/// must outlive it.
std::unique_ptr<Stage> make_event_collector(std::unique_ptr<Stage> next, TraceWriter writer,
                                            CollectorIdentity identity, const RecordedThread& thread,
                                            const Clock& clock, StampOrder stamps = StampOrder::plain);

/// Makes a wrapper for a writer that several collectors of one thread share (GrowingTraces::Place::shared),
/// even when one of them records while an operation through another is under way. The operation in flight is
/// then the operation that began last. Adds four stores. `writer` must outlive the wrapper.
std::unique_ptr<Stage> make_sharing_event_collector(std::unique_ptr<Stage> next, TraceWriter& writer,
                                                    CollectorIdentity identity, const RecordedThread& thread,
                                                    const Clock& clock,
                                                    StampOrder stamps = StampOrder::plain);

}  // namespace eventspace

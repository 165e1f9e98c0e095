#pragma once

#include <cstdint>
#include <memory>

#include <eventspace/stage.h>
#include "collectors/clock.h"
#include "collectors/event_collector.h"
#include "tuplespace/trace/trace_element.h"

namespace eventspace {

/// The log of the pulls on one path of a scope, which writes the path's trace element. Several consumers pull
/// through a server's part of a scope at overlapping times, but a trace element has one writer: all of them
/// share one log. A pull is recorded when it ends; the oldest pull under way is shown as the operation in
/// flight.
///
/// Belongs to one thread, the server's. Never waits, allocates, makes a system call or fails.
class PullLog {
 public:
  /// One pull. It must end before it begins again and before it is destroyed.
  class Entry {
   public:
    Entry() = default;
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

   private:
    friend class PullLog;
    std::uint64_t start_{0};
    bool is_recorded_{false};
    Entry* before_{nullptr};
    Entry* after_{nullptr};
  };

  /// The writer's memory, the thread and the clock must outlive the log. Pulls that `thread` does not record
  /// are not in the log.
  PullLog(TraceWriter writer, const CollectorIdentity& identity, const RecordedThread& thread,
          const Clock& clock) noexcept
      : writer_(writer), identity_(identity), thread_(&thread), clock_(&clock) {}
  PullLog(const PullLog&) = delete;
  PullLog& operator=(const PullLog&) = delete;
  ~PullLog() = default;

  [[nodiscard]] std::uint64_t now() const noexcept { return clock_->now(); }
  void begin(Entry& entry) noexcept;
  /// Records the pull. `end` is a reading of now(). The record's `bytes` is the size of the records in the
  /// view, its `missed` the number of trace elements that the pull could not read, its `parameter` the pull's
  /// number.
  void end(Entry& entry, std::uint64_t end, const Operation& operation) noexcept;
  /// Records a pull that will never be finished, with Status::closed.
  void give_up(Entry& entry) noexcept;

 private:
  void show(const Entry& entry) noexcept;
  void publish(Entry& entry, std::uint64_t end, std::uint64_t outcome, std::uint64_t pull) noexcept;
  void unlink(Entry& entry) noexcept;

  TraceWriter writer_;
  CollectorIdentity identity_;
  const RecordedThread* thread_;
  const Clock* clock_;
  Entry* oldest_{nullptr};
  Entry* newest_{nullptr};
};

/// The time at which a pull through a path counts as ended.
enum class PullEnd : std::uint8_t {
  ready,    ///< when the answer is known to have arrived: for the requesting side
  finished  ///< when the pull has been processed completely: for the answering side
};

/// Makes the wrapper that records each pull through it in `log`, which must outlive it.
std::unique_ptr<Stage> make_pull_collector(std::unique_ptr<Stage> next, PullLog& log, PullEnd end);

}  // namespace eventspace

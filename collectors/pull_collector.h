#pragma once

// Private to collectors/.

#include <cstdint>
#include <memory>

#include "collectors/clock.h"
#include "collectors/event_collector.h"
#include "paths/stage.h"
#include "tuplespace/trace/trace_element.h"

namespace eventspace {

/// The trace element of a path of a scope. Several consumers pull through the server's part of one scope,
/// each at its own time, and a trace element has one writer: all of them use one log. A pull is recorded when
/// it ends; of those under way the one that began first is the operation in flight.
///
/// Belongs to one thread, the server's. Never waits, allocates, calls the system or fails.
class PullLog {
 public:
  /// One pull. Must be ended before it is begun again, or goes.
  class Entry {
   public:
    Entry() = default;
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

   private:
    friend class PullLog;
    std::uint64_t start_{0};
    Entry* before_{nullptr};
    Entry* after_{nullptr};
  };

  /// What the writer writes to, and the clock, must outlive it.
  PullLog(TraceWriter writer, const CollectorIdentity& identity, const Clock& clock) noexcept
      : writer_(writer), identity_(identity), clock_(&clock) {}
  PullLog(const PullLog&) = delete;
  PullLog& operator=(const PullLog&) = delete;
  ~PullLog() = default;

  [[nodiscard]] std::uint64_t now() const noexcept { return clock_->now(); }
  void begin(Entry& entry) noexcept;
  /// `end`: a reading of now(). The record's bytes are those of the records that the view holds, its `missed`
  /// the trace elements that the pull could not read, its parameter the pull's number.
  void end(Entry& entry, std::uint64_t end, const Operation& operation) noexcept;
  /// Of a pull that nobody finishes any more.
  void give_up(Entry& entry) noexcept;

 private:
  void show(const Entry& entry) noexcept;
  void publish(Entry& entry, std::uint64_t end, std::uint64_t outcome, std::uint64_t pull) noexcept;
  void unlink(Entry& entry) noexcept;

  TraceWriter writer_;
  CollectorIdentity identity_;
  const Clock* clock_;
  Entry* oldest_{nullptr};
  Entry* newest_{nullptr};
};

/// When a pull through a path counts as ended.
enum class PullEnd : std::uint8_t {
  ready,    ///< when the answer is known to be there: of one who asks another server
  finished  ///< when all that was to be done with it is done: of one who answers
};

/// The wrapper that makes a trace tuple of each pull through it. `log` must outlive it.
std::unique_ptr<Stage> make_pull_collector(std::unique_ptr<Stage> next, PullLog& log, PullEnd end);

}  // namespace eventspace

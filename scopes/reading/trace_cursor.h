#pragma once

#include <cstdint>

#include "paths/views/view.h"
#include "scopes/reading/read_transaction.h"
#include "tuplespace/trace/segment.h"

namespace eventspace {

/// How far one trace element of one run of a process has been read, so that each pull of unread events
/// continues where the last view that arrived ended.
///
/// Counts events that were overwritten before they could be read: as Loss::earlier at the first read, and as
/// Loss::discarded later. Not thread-safe. The segment to which it is bound must outlive its use.
class TraceCursor {
 public:
  explicit TraceCursor(std::uint32_t trace) noexcept : trace_(trace) {}

  /// Continues with the beginning of another run. `found` is null if the run's segment does not have the
  /// trace element. `from_start` is true if the scope has followed the process since an earlier run; it then
  /// has no first read.
  void bind(const SegmentView::Trace* found, bool from_start) noexcept {
    found_ = found;
    const Position start{0, from_start, 0};
    position_ = {start, start};
  }
  /// Continues after event `sequence`, up to which another reader has read.
  void resume_after(std::uint64_t sequence) noexcept {
    const Position start{sequence, true, 0};
    position_ = {start, start};
  }
  /// Lets the first read, unless it is over, begin with the events that ended at `ticks` or later.
  void look_back_to(std::uint64_t ticks, Loss& loss);

  /// See Transacted.
  void settle(bool arrived) noexcept { position_.settle(arrived); }

  /// Sets the most events that the next read returns.
  void set_share(std::uint64_t share) noexcept { share_ = share; }
  /// Returns the number of unread events that are still kept.
  [[nodiscard]] std::uint64_t unread() const noexcept;
  /// Appends unread events to `view`, oldest first: at most as many records as the share, and the rest of the
  /// last event's. The continuation records of an event in flight (record_header.h) are read with its end.
  void read(View& view);
  /// Returns the time, by the process's clock, up to which the last read is complete: later than all events
  /// if its share was enough, otherwise the end of the last event.
  [[nodiscard]] std::uint64_t complete_ticks() const noexcept {
    return is_cut_ ? position_.sent.end : ProcessReport::all_ticks;
  }
  /// Returns true if all events were in views that arrived or are overwritten, or the trace element does not
  /// exist.
  [[nodiscard]] bool is_read_out() const;

  [[nodiscard]] std::uint32_t trace() const noexcept { return trace_; }
  [[nodiscard]] const SegmentView::Trace* found() const noexcept { return found_; }
  /// The sequence number of the last event that was read or skipped.
  [[nodiscard]] std::uint64_t sequence() const noexcept { return position_.sent.sequence; }
  /// Returns whether the position differs from the position of the last view that arrived.
  [[nodiscard]] bool has_moved() const noexcept {
    return position_.sent.sequence != position_.committed.sequence;
  }

 private:
  void complete_last_event(View& view);

  struct Position {
    std::uint64_t sequence{0};
    bool looked{false};    // the first read is over; events overwritten from now on are this scope's loss
    std::uint64_t end{0};  // of the last event that was read
  };

  std::uint32_t trace_;
  const SegmentView::Trace* found_{nullptr};
  Transacted<Position> position_;
  std::uint64_t share_{0};
  bool is_cut_{false};  // the last read left events beyond the share
};

}  // namespace eventspace

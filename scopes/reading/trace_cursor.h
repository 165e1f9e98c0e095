#pragma once

// Private to scopes/.

#include <cstdint>

#include "paths/views/view.h"
#include "scopes/reading/read_transaction.h"
#include "tuplespace/trace/segment.h"

namespace eventspace {

/// How far one trace element of one run of a process has been read, so that each pull of unread events
/// continues where the last view that arrived ended.
///
/// Events that were overwritten before they could be read are counted: as Loss::earlier at the first look,
/// and as Loss::discarded from then on. Not thread-safe. The segment it is bound to must outlive its use.
class TraceCursor {
 public:
  explicit TraceCursor(std::uint32_t trace) noexcept : trace_(trace) {}

  /// Continues with another run, from its beginning. `found` is null when the run's segment has no such trace
  /// element. `from_start`: the scope has followed the process since before this run, so that there is no
  /// first look any more.
  void bind(const SegmentView::Trace* found, bool from_start) noexcept {
    found_ = found;
    const Position start{0, from_start};
    position_ = {start, start};
  }
  /// Another reader had read up to `sequence`; this one continues behind it.
  void resume_after(std::uint64_t sequence) noexcept {
    const Position start{sequence, true};
    position_ = {start, start};
  }
  /// Has the first look, unless it is over, begin with the events that ended at `ticks` or later.
  void look_back_to(std::uint64_t ticks, Loss& loss);

  /// See Transacted.
  void settle(bool arrived) noexcept { position_.settle(arrived); }

  /// How many events a pull may bring at most.
  void set_share(std::uint64_t share) noexcept { share_ = share; }
  /// How many events there are to read, of those still kept.
  [[nodiscard]] std::uint64_t unread() const noexcept;
  /// Appends the unread events, the oldest first and at most its share, to `view`.
  void read(View& view);
  /// All events were in views that arrived, or were overwritten, or cannot be read as there is no such trace
  /// element.
  [[nodiscard]] bool is_read_out() const;

  [[nodiscard]] std::uint32_t trace() const noexcept { return trace_; }
  [[nodiscard]] const SegmentView::Trace* found() const noexcept { return found_; }
  /// The number of the last event that is in a view or was passed over.
  [[nodiscard]] std::uint64_t sequence() const noexcept { return position_.sent.sequence; }
  /// Whether this pull got further than the last view that arrived.
  [[nodiscard]] bool has_moved() const noexcept {
    return position_.sent.sequence != position_.committed.sequence;
  }

 private:
  struct Position {
    std::uint64_t sequence{0};
    bool looked{false};  // the first look is over: what is overwritten from now on is this scope's loss
  };

  std::uint32_t trace_;
  const SegmentView::Trace* found_{nullptr};
  Transacted<Position> position_;
  std::uint64_t share_{0};
};

}  // namespace eventspace

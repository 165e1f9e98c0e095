#pragma once

// Private to scopes/.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "paths/views/view.h"
#include "scopes/reading/trace_cursor.h"
#include "tuplespace/trace/segment.h"

namespace eventspace {

/// The trace elements of one process that a scope reads, and their places in the segment of the process's
/// current run. Only this class turns numbers of trace elements and threads into places in a segment.
///
/// Not thread-safe. The segment must outlive its use here, and must be intact (SegmentView::intact) when it
/// is read.
class ProcessSources {
 public:
  /// Adds a trace element by its number in the plan; the next bind finds it.
  void add(std::uint32_t trace) { cursors_.emplace_back(trace); }

  /// Finds all trace elements in the segment of another run, which is then read from its beginning. For
  /// `from_start` see TraceCursor::bind.
  void bind(const SegmentView& segment, bool from_start);
  /// See Transacted.
  void settle(bool arrived) noexcept;

  /// Appends the newest event of each trace element, and the operation in flight.
  void read_newest(Pull& pull) const;
  /// Appends the unread events of each trace element, at most its cursor's share.
  void read_unread(Pull& pull);
  /// See TraceCursor::is_read_out.
  [[nodiscard]] bool is_read_out() const;

  [[nodiscard]] std::span<TraceCursor> cursors() noexcept { return cursors_; }
  [[nodiscard]] std::span<const TraceCursor> cursors() const noexcept { return cursors_; }
  [[nodiscard]] std::size_t size() const noexcept { return cursors_.size(); }
  /// The number of trace elements that the segment has.
  [[nodiscard]] std::size_t found() const noexcept { return readers_.size(); }
  /// The threads that record in them, as ascending indices in the segment.
  [[nodiscard]] std::span<const std::size_t> threads() const noexcept { return threads_; }

 private:
  std::vector<TraceCursor> cursors_;
  std::vector<TraceReader> readers_;  // of the trace elements found; copies, close together in memory
  std::vector<std::size_t> threads_;
};

}  // namespace eventspace

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

#include "paths/views/view.h"
#include "scopes/reading/local_numbering.h"
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
  /// `process`: its number in the plan. `probes`: see ScopeTree::probes.
  explicit ProcessSources(std::uint32_t process = 0, bool probes = false)
      : process_(process), reads_probes_(probes) {}
  /// The trace elements of a dynamic process: all current and future ones of its segment. `numbering` maps
  /// their process-local ids, and the ids in their records, to numbers in the scope.
  ProcessSources(std::uint32_t process, LocalNumbering numbering) : ProcessSources(process, true) {
    numbering_ = numbering;
  }

  /// Adds a trace element by its number in the plan; the next bind finds it.
  void add(std::uint32_t trace) {
    cursors_.emplace_back(trace);
    planned_ = cursors_.size();
  }

  /// Finds all trace elements in the segment of another run, which is then read from its beginning. For
  /// `from_start` see TraceCursor::bind.
  void bind(const SegmentView& segment, bool from_start);
  [[nodiscard]] bool reads_probes() const noexcept { return reads_probes_; }
  /// Returns the number in the scope for a number that the process gave to a thread, path or trace element.
  [[nodiscard]] std::uint32_t number_in_scope(std::uint32_t number) const noexcept {
    return numbering_ ? (*numbering_)(number) : number;
  }
  /// If probes are read, adds the trace elements with process-local ids (scopes/tree/local_ids.h) that
  /// appeared in the segment since the last call: those of the threads that are read, and of dynamic threads
  /// if the process's first thread is read; all of a dynamic process. Ignores numbers outside the process's
  /// range, and known ones.
  void follow_own(const SegmentView& segment, bool from_start);
  /// See Transacted.
  void settle(bool arrived) noexcept;

  /// Appends the newest event of each trace element, and the event in flight with its continuation records.
  void read_newest(Pull& pull) const;
  /// Appends the unread events of each trace element, at most its cursor's share.
  void read_unread(Pull& pull);
  /// Returns the records in flight.
  [[nodiscard]] std::vector<TraceTuple> in_flight() const;
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
  [[nodiscard]] bool is_own(const TraceSpec& spec) const;
  [[nodiscard]] bool reads_thread_of(const TraceSpec& spec, const SegmentView& segment) const;
  [[nodiscard]] bool reads_thread(std::size_t thread) const;
  void add_found(const SegmentView& segment, const SegmentView::Trace& trace);
  void renumber(std::vector<TraceTuple>& records, std::size_t from) const;

  std::uint32_t process_;
  bool reads_probes_;
  std::optional<LocalNumbering> numbering_;  // set for a dynamic process
  std::size_t planned_{0};                   // cursors of trace elements of the plan, which come first
  std::size_t looked_at_{0};                 // trace elements of the segment that follow_own has seen
  std::vector<TraceCursor> cursors_;
  std::vector<TraceReader> readers_;  // of the trace elements found; copies, close together in memory
  std::vector<std::size_t> threads_;
  std::unordered_set<std::uint32_t> own_;  // numbers of the cursors that follow_own has added
};

}  // namespace eventspace

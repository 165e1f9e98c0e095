#pragma once

#include <cstddef>
#include <cstdint>

#include "paths/views/view.h"
#include "scopes/reading/named_process.h"
#include "scopes/reading/read_transaction.h"

namespace eventspace {

/// Losses of a process: runs that were given up before they were read to their end, and threads or paths that
/// have no place in the segment of the current run. View::missing lists a loss until a view that lists it has
/// arrived. Not thread-safe.
class LossNews {
 public:
  /// See Transacted.
  void settle(bool arrived);

  void add_lost_runs(std::uint64_t count) noexcept { lost_runs_ += count; }
  /// `sources`: the trace elements of the process.
  void report_lost_runs(const NamedProcess& process, std::size_t sources, View& view);

  /// The current run changes: none of its losses have been reported.
  void begin_run() noexcept { unrecorded_ = {}; }
  /// `count`: SegmentView::unrecorded. Reports each increase once, because a thread that did not get a place
  /// stays without one for its life.
  void report_unrecorded(const NamedProcess& process, std::uint64_t count, View& view);

 private:
  std::uint64_t lost_runs_{0};            // not yet listed in a view that arrived
  std::uint64_t lost_runs_sent_{0};       // the part of these that the last view listed
  Transacted<std::uint64_t> unrecorded_;  // the count that a view reported
};

}  // namespace eventspace

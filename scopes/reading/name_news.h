#pragma once

#include <cstddef>

#include "paths/views/view.h"
#include "scopes/reading/named_process.h"
#include "scopes/reading/process_sources.h"
#include "scopes/reading/read_transaction.h"
#include "tuplespace/trace/segment.h"

namespace eventspace {

/// The names of one run of a process that a scope has reported. A process gives names in its segment to its
/// threads, paths, probes and communicators; the names of a dynamic process itself come from its reader, and
/// first. Each name is in one view that arrived. Not thread-safe.
class NameNews {
 public:
  /// Another run begins: all its names are unreported.
  void begin_run() noexcept { reported_ = {}; }
  /// See Transacted.
  void settle(bool arrived) { reported_.settle(arrived); }

  /// Adds to View::names the names that were not in a view that arrived, up to the limit of one view.
  void report(const NamedProcess& process, const SegmentView& segment, const ProcessSources& sources,
              View& view);
  /// Returns whether all names were in views that arrived.
  [[nodiscard]] bool are_all_reported(const NamedProcess& process, const SegmentView& segment) const;

 private:
  Transacted<std::size_t> reported_;  // how many names were in views
};

}  // namespace eventspace

#pragma once

#include <cstdint>
#include <map>

#include "paths/views/read_positions.h"
#include "paths/views/view.h"
#include "scopes/tree/plan_names.h"
#include "scopes/tree/scope_tree.h"

namespace eventspace {

/// Counts the events that a monitor of unread events leaves unread when it ends. The monitor notes each view
/// that it has read. Before it ends, it reads the newest event of each trace element once: it must read the
/// events up to these, or count them as unread. Later events do not matter, so the rest is bounded however
/// fast the program records. Pure. Not thread-safe.
class UnreadRest {
 public:
  /// `names` must outlive this object.
  explicit UnreadRest(const PlanNames& names) noexcept : names_(&names) {}

  /// Notes how far a view of unread events has read.
  void note(const View& unread);
  /// Sets the end of reading: all events up to the events of `newest`, a view of the newest event of each
  /// trace element that the other views read.
  void set_end(const View& newest);

  /// Returns the number of events up to the end that have not been read; 0 before set_end().
  [[nodiscard]] std::uint64_t count() const;
  /// Returns how many events the last noted view passed by: read, dropped, or counted as lost.
  [[nodiscard]] std::uint64_t passed_last() const noexcept { return passed_last_; }

 private:
  struct End {
    std::int32_t pid{0};  // of the run; 0 if unknown
    std::uint64_t sequence{0};
  };

  const PlanNames* names_;
  ReadPositions read_;
  std::map<SourceRef, End> ends_;
  std::uint64_t passed_last_{0};
};

}  // namespace eventspace

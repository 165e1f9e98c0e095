#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "monitors/profile/job_profile.h"
#include "monitors/watching/view_source.h"
#include "monitors/watching/watched.h"
#include "monitors/web/documents/parts.h"

namespace eventspace::web {

/// Reads the events of a session for the parts that need all of them, from the time at which a page first
/// asks for such a part: of a running session from the content of its trace elements on; of a recording from
/// its beginning to its end, whatever is played. Used by one thread.
class EventReading {
 public:
  /// `running`: the consumer of the watched session, whose scopes it uses, and which must outlive it; null
  /// for a recording, which it opens itself. `at_s`: the time of the document's clock. Throws as
  /// find_watched() and base_scope() do.
  EventReading(const Watched& watched, const std::filesystem::path& named, Consumer* running, double at_s);

  /// Reads the new events; of a recording, the events of one pull.
  void read(std::chrono::nanoseconds patience);
  /// Whether a recording has not been read to its end.
  [[nodiscard]] bool has_rest() const noexcept { return has_rest_; }

  [[nodiscard]] EventSums sums() const noexcept;

 private:
  void read_running(std::chrono::nanoseconds patience);
  void add(const View& view);

  std::shared_ptr<RecordedRun> recorded_;  // null for a running session
  std::optional<Consumer> own_;            // of the recording
  Consumer* consumer_;
  ScopeViews views_;
  JobProfile profile_;
  Loss loss_;
  std::size_t missing_{0};
  double at_s_;
  bool has_rest_;
};

}  // namespace eventspace::web

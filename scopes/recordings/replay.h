#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "collectors/record_header.h"
#include "paths/views/view.h"
#include "scopes/recordings/recording_reader.h"
#include "scopes/tree/plan_names.h"

namespace eventspace {

/// What a scope needs to know of a plan's trace element to read it from a recording.
struct RecordedTrace {
  std::uint32_t thread{0};
  bool is_of_first_thread{false};  ///< of its process; see ScopeTree::probes
};

/// A recording as a run that happens again: it has a present moment, which the monitor moves on, and scopes
/// read of it what they would have read of the run at that moment.
///
///  * A scope of unread events gets the events that had ended then, each once. When the recorder read them
///    makes no difference: an event is in the interval in which it ended (ended_ns).
///  * A scope of the newest events gets of each trace element the newest event that had ended then, and those
///    in flight, and the processes and threads as they were. This is exact, however often the recorder
///    pulled: it is made from the state before that moment, and the events between the states around it.
///
/// Times are the recorder's (RecordedSession::begun_ns). The present does not go back below what scopes of
/// unread events have read; they go on from there.
///
/// Thread-safe; decompresses chunks in the calling thread, and keeps the last few.
class Replay {
 public:
  static constexpr std::size_t most_records = 1u << 20;

  /// `traces`: those of the plan, by number. `names` must outlive it. A scope takes at most `most` unread
  /// records in one pull, or more if they cannot be told apart by time.
  Replay(RecordingReader recording, const PlanNames& names, std::vector<RecordedTrace> traces,
         std::size_t most = most_records);

  [[nodiscard]] const RecordingReader& recording() const noexcept { return recording_; }
  [[nodiscard]] const PlanNames& names() const noexcept { return *names_; }
  [[nodiscard]] const RecordedTrace* trace(std::uint32_t number) const noexcept {
    return number < traces_.size() ? &traces_[number] : nullptr;
  }

  /// When recording began, and when the last chunk was read.
  [[nodiscard]] std::int64_t begin_ns() const noexcept { return begin_ns_; }
  [[nodiscard]] std::int64_t end_ns() const noexcept { return end_ns_; }
  [[nodiscard]] std::int64_t now_ns() const;
  void set_now_ns(std::int64_t now);

  /// A scope of unread events left some behind at its last pull, because they were too many for one.
  void note_unread() noexcept { has_unread_ = true; }
  /// Returns whether one did since the last call.
  [[nodiscard]] bool take_unread() noexcept { return has_unread_.exchange(false); }

  /// What a scope of unread events takes in one pull: what ended behind `since`, until `until`.
  struct Unread {
    std::vector<std::size_t> chunks;  ///< that may have such events, in the order in which they were read
    std::int64_t until{0};            ///< before the present if there is too much for one pull
  };
  /// `concerns`: whether the scope can need a chunk.
  [[nodiscard]] Unread unread(std::int64_t since, const std::function<bool(std::size_t)>& concerns) const;

  /// When an event of a chunk counts as ended: the end on the recorder's clock, but never outside of what the
  /// chunk's header says of its events, and not after it was read. `process`: null if it is not known.
  [[nodiscard]] std::int64_t ended_ns(std::size_t chunk, const RecordHeader& record,
                                      const ProcessReport* process) const;
  /// Between which times the events of a chunk ended.
  struct Ends {
    std::int64_t first{0};
    std::int64_t last{0};
  };
  [[nodiscard]] Ends ends_of(std::size_t chunk) const { return ends_[chunk]; }
  /// When what a chunk says is lost or missing counts: when the chunk of events before it was read, since it
  /// was found out behind that.
  [[nodiscard]] std::int64_t lost_ns(std::size_t chunk) const { return lost_ns_[chunk]; }

  using SharedView = std::shared_ptr<const View>;
  /// The view of a chunk. A damaged one is empty, and names that in View::missing.
  [[nodiscard]] SharedView chunk(std::size_t place);
  /// The newest events, processes, and what was missing, at the present moment.
  [[nodiscard]] SharedView newest();

 private:
  /// A chunk of events that takes part in a pull from the time on when it may have something.
  struct Begin {
    std::int64_t at{0};
    std::int64_t last{0};  // when the last of it, and of those that begin before it, has something
    std::size_t place{0};
  };
  void find_ends();
  [[nodiscard]] SharedView load(std::size_t place) const;
  [[nodiscard]] SharedView chunk_locked(std::size_t place);
  [[nodiscard]] View newest_at(std::int64_t now);

  struct Kept {
    std::size_t place{0};
    SharedView view;
  };

  RecordingReader recording_;
  const PlanNames* names_;
  std::vector<RecordedTrace> traces_;
  std::size_t most_;
  std::int64_t begin_ns_{0};
  std::int64_t end_ns_{0};
  std::vector<Ends> ends_;             // by chunk
  std::vector<std::int64_t> lost_ns_;  // by chunk
  std::vector<Begin> begins_;          // rising

  mutable std::mutex mutex_;  // guards all below
  std::int64_t now_ns_{0};
  std::vector<Kept> kept_;       // the one used last is at the end
  std::size_t records_kept_{0};  // and one for each view
  std::optional<std::int64_t> newest_of_;
  SharedView newest_;

  std::atomic<bool> has_unread_{false};
};

}  // namespace eventspace

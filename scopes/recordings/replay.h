#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "collectors/record_header.h"
#include "paths/views/view.h"
#include "scopes/recordings/recording_reader.h"
#include "scopes/tree/plan_names.h"

namespace eventspace {

/// The facts about a plan's trace element that a scope needs to read it from a recording.
struct RecordedTrace {
  std::uint32_t thread{0};
  bool is_of_first_thread{false};  ///< the first thread of its process; see ScopeTree::probes
};

/// A recording as a run that happens again: it has a present moment, which the monitor advances, and scopes
/// read from it the same data as from the run at that moment.
///
/// - A scope of unread events gets the events that had ended by then, each once. The time at which the
///   recorder read them does not matter: an event is in the interval in which it ended (ended_ns).
/// - A scope of the newest events gets the newest event of each trace element that had ended by then, the
///   events in flight, and the processes and threads as they were. This is exact, however often the recorder
///   pulled: it is made from the state before that moment, and the events between the states around it.
///
/// Times are the recorder's (RecordedSession::begun_ns). If the present moves back, scopes of unread events
/// still continue after the events that they have read.
///
/// Thread-safe; decompresses chunks in the calling thread, and keeps the last few.
class Replay {
 public:
  static constexpr std::size_t max_records = 1u << 20;

  /// `traces`: the plan's trace elements, by number. `names` must outlive it. A scope takes at most `most`
  /// unread records in one pull, or more if they cannot be separated by time.
  Replay(RecordingReader recording, const PlanNames& names, std::vector<RecordedTrace> traces,
         std::size_t most = max_records);

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

  /// A scope of unread events left some unread at its last pull, because they were too many for one pull.
  void note_unread() noexcept { has_unread_ = true; }
  /// Returns whether a scope did so since the last call.
  [[nodiscard]] bool take_unread() noexcept { return has_unread_.exchange(false); }

  /// The range of one pull of a scope of unread events: the events that ended after `since`, up to `until`.
  struct Unread {
    std::vector<std::size_t> chunks;  ///< may have such events; in the order in which they were read
    std::int64_t until{0};            ///< before the present if one pull cannot take all
  };
  /// `concerns`: whether the scope can need a chunk.
  [[nodiscard]] Unread unread(std::int64_t since, const std::function<bool(std::size_t)>& concerns) const;

  /// When an event of a chunk counts as ended: its end on the recorder's clock, but never outside the span in
  /// the chunk's header, and not after it was read. `process`: null if it is not known.
  [[nodiscard]] std::int64_t ended_ns(std::size_t chunk, const RecordHeader& record,
                                      const ProcessReport* process) const;
  /// Between which times the events of a chunk ended.
  struct Ends {
    std::int64_t first{0};
    std::int64_t last{0};
  };
  [[nodiscard]] Ends ends_of(std::size_t chunk) const { return ends_[chunk]; }
  /// When the losses and missing parts of a chunk count: when the previous chunk of events was read, since
  /// they were detected after that.
  [[nodiscard]] std::int64_t lost_ns(std::size_t chunk) const { return lost_ns_[chunk]; }

  using SharedView = std::shared_ptr<const View>;
  /// The view of a chunk. The view of a damaged chunk is empty, and lists the damage in View::missing.
  [[nodiscard]] SharedView chunk(std::size_t place);
  /// The newest events, processes, and missing parts, at the present moment.
  [[nodiscard]] SharedView newest();

 private:
  /// A chunk of events that takes part in a pull from the time at which it may have something.
  struct Begin {
    std::int64_t at{0};
    std::int64_t last{0};  // the last time at which it, or a chunk that begins before it, has something
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

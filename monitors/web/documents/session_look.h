#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <eventspace/deadline.h>
#include "monitors/heartbeat/culprit_stacks.h"
#include "monitors/heartbeat/element_fills.h"
#include "monitors/heartbeat/heartbeat_pace.h"
#include "monitors/top/looker.h"
#include "monitors/top/model.h"
#include "monitors/top/playback.h"
#include "monitors/watching/view_source.h"
#include "monitors/watching/watched.h"
#include "monitors/web/documents/event_reading.h"
#include "monitors/web/documents/map_watch.h"
#include "monitors/web/documents/metric_watch.h"
#include "monitors/web/documents/parts.h"

namespace eventspace::web {

/// The session to watch, by the user's words, and how.
struct WatchedSource {
  std::filesystem::path named;  ///< a pathmap, a session without one, or a recording
  std::string session{};        ///< as given with --session
  HeartbeatPace::Wishes pace{};
  std::optional<Watched> found{};                 ///< what `named` stands for, if it was looked up before
  std::shared_ptr<const MetricChoice> metrics{};  ///< that pages can choose
  bool begins_soon{false};  ///< the session is started beside the page, so it may not exist yet
  bool has_stacks{false};   ///< reads the call stacks of the culprits of a stall, once for each stall
  std::string progress{"progress"};  ///< a glob of paths that each step of the application uses once
};

/// Polls a session, or a recording that is played, through the sampler and the model of `top`. Used by
/// one thread.
class SessionLook {
 public:
  /// Throws as find_watched() does.
  explicit SessionLook(const WatchedSource& source);

  struct Also {
    bool servers{false};
    bool collectives{false};
  };
  /// Pulls once. The result is valid until the next call.
  Looked look(Also also);
  /// Reads the events that are new since the last call, and returns parts that are made of all events.
  Document::Parts read_events(const WantedParts& wanted);
  /// Measures the metrics that are wanted until the last look.
  Document::Parts measure(const WantedParts& wanted);
  /// The parts of the map that are wanted, after a look.
  Document::Parts map(const Looked& looked, const WantedParts& wanted);
  std::vector<RaisedAlert> take_alerts() { return metrics_.take_alerts(); }
  /// Whether more of a recording is to be read.
  [[nodiscard]] bool has_rest() const;
  /// How long to wait until the next look, in real time.
  [[nodiscard]] std::chrono::nanoseconds pause() const;
  /// Whether another look would show the same: a recording stands still.
  [[nodiscard]] bool stands_still() const;

  /// Between two looks at a running session.
  [[nodiscard]] std::chrono::nanoseconds interval() const noexcept { return looker_->pace().interval(); }
  void set_interval(std::chrono::nanoseconds interval) noexcept;

  [[nodiscard]] const Watched& watched() const noexcept { return watched_; }
  [[nodiscard]] const About& about() const noexcept { return about_; }
  /// The part "clock" at the last look.
  [[nodiscard]] Json clock() const;
  [[nodiscard]] double at_s() const;  ///< since the beginning of the recording, or of watching
  /// Null for a running session.
  [[nodiscard]] top::Playback* playback() noexcept { return playback_; }

 private:
  void start_over();
  void watch_collectives();
  void watch_delays();
  top::Evidence open_evidence();
  void read_stacks(const View& view);
  bool are_matrices_due(const WantedParts& wanted);

  WatchedSource source_;
  Watched watched_;
  ScopeTree tree_;
  About about_;
  std::unique_ptr<Timeline> time_;
  top::Playback* playback_{nullptr};  // time_, for a recording
  std::optional<top::Looker> looker_;
  std::optional<ScopeViews> past_;  // of the looker's consumer
  std::optional<AskedFills> fills_;
  std::optional<MapWatch> map_;           // from the time at which a page first wants it
  MetricWatch metrics_;                   // of the looker's consumer
  std::unique_ptr<EventReading> events_;  // from the time at which a page first wants them
  std::optional<top::Model> model_;
  Timeline::Time at_{};
  std::optional<std::chrono::nanoseconds> sampled_;  // the position of the last look
  std::optional<Deadline> matrix_due_;               // unset: now
  std::vector<std::size_t> matrices_;                // the numbers of the last parts "flows/N"
  std::optional<WantedParts> made_;                  // when parts were last made of events
  StacksHere stack_source_;
  std::vector<std::uint32_t> blamed_;  // of the stall whose stacks are known
  std::vector<CulpritStack> stacks_;
};

}  // namespace eventspace::web

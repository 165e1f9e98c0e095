#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <eventspace/monitor.h>
#include "pathmaps/sessions/consumer.h"
#include "pathmaps/sessions/recorded_file.h"
#include "scopes/columns/events_in_flight.h"
#include "scopes/columns/record_clocks.h"
#include "scopes/scope.h"

namespace eventspace {

/// The session of a Monitor, shared by its scopes.
struct Monitor::State {
  State(std::shared_ptr<const Plan> plan, const std::string& session, std::filesystem::path of_file);
  explicit State(RecordedFile file);

  [[nodiscard]] Replay* replay() const noexcept {
    return recorded == nullptr ? nullptr : &recorded->replay();
  }
  /// The scope of the events that match. `all_kept`: a pull reads all events that are kept.
  [[nodiscard]] ScopeTree tree_for(const EventQuery& query, bool all_kept) const;

  std::shared_ptr<RecordedRun> recorded;  // null for a running session
  std::filesystem::path pathmap;          // empty if the session does not have one
  Consumer consumer;
  std::shared_ptr<const PlanNames> names;
  std::int64_t realtime_ns;  // CLOCK_REALTIME when the CLOCK_MONOTONIC of views was 0
  std::vector<std::string> warnings;
};

struct Scope::State {
  /// `with_in_flight`: pulls also yield events in flight.
  State(std::shared_ptr<Monitor::State> of_monitor, EventScope scope, bool with_in_flight);

  /// What a pull reads beside the events: see EventScope::Options.
  struct Wishes {
    bool with_usage{false};
    bool with_in_flight{false};
  };
  /// Reads once. `at`: the moment of a recording, on the clock of its recorder. Adds the clocks of processes.
  [[nodiscard]] View pull(std::optional<Deadline> deadline, std::optional<std::int64_t> at,
                          const Wishes& wishes);
  [[nodiscard]] View pull(std::optional<Deadline> deadline, std::optional<std::int64_t> at) {
    return pull(deadline, at, {});
  }
  /// The moment on the clock of the recorder. Throws ConfigurationError for a running session.
  [[nodiscard]] std::int64_t of_recorder(std::int64_t realtime_ns) const;
  /// Whether the last pull left events behind; of a running session, whether it may have done so. May be
  /// called once after each pull.
  [[nodiscard]] bool take_rest();
  /// How long a pull without a deadline may take.
  [[nodiscard]] std::chrono::nanoseconds timeout() const noexcept { return views_.timeout(); }
  [[nodiscard]] Events events(View&& view, bool has_more) const;
  [[nodiscard]] const std::string& name() const noexcept { return views_.tree().scope; }

 private:
  void learn(const View& view);

  std::shared_ptr<Monitor::State> monitor_;
  EventScope views_;
  std::uint64_t least_full_;  // a pull that reads fewer records has read all that were ready
  bool may_have_rest_{false};
  std::optional<EventScope> newest_;
  EventsInFlight in_flight_;
  std::shared_ptr<RecordClocks> clocks_;  // shared with the Events of earlier pulls: copied before a change
};

}  // namespace eventspace

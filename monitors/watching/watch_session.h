#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include "monitors/cli/options.h"
#include "monitors/cli/stop_signals.h"
#include "monitors/watching/timeline.h"
#include "monitors/watching/watched.h"
#include "pathmaps/sessions/consumer.h"

namespace eventspace {

/// The session that a monitor pulls from, running or recorded, with its timeline and its consumer.
/// Signals end the timeline. Used by one thread.
struct WatchSession {
  /// `on_screen`: the monitor also handles the signals of a screen. Throws as find_watched and timeline_of
  /// do.
  WatchSession(const std::filesystem::path& named, const std::string& session, const Played& played,
               bool on_screen = false);
  /// To be called before the first pull through `tree`: prints the damage of a recording, and requires that a
  /// server answers (require_servers).
  void require(const ScopeTree& tree, std::chrono::nanoseconds timeout, Format format);

  [[nodiscard]] bool is_recorded() const noexcept { return watched.recorded != nullptr; }

  StopSignals signals;  ///< before the consumer, whose threads inherit the mask
  const Watched watched;
  const std::unique_ptr<Timeline> time;
  Consumer consumer;

 private:
  const std::filesystem::path named_;
  const std::string session_;
};

}  // namespace eventspace

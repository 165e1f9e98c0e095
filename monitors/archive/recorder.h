#pragma once

// Private to monitors/.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "monitors/archive/pull_pace.h"
#include "monitors/watching/timeline.h"
#include "monitors/watching/watched.h"
#include "scopes/recordings/recording_writer.h"
#include "scopes/scope.h"

namespace eventspace {

/// Writes a recording of a session that runs: first what its trace elements still hold, then all events as
/// they come, and from time to time the state of all. Used by one thread.
class Recorder {
 public:
  struct Settings {
    std::filesystem::path file;
    bool replaces{false};
    std::string program;                                 ///< what records, with its version
    int level{1};                                        ///< of compression
    std::optional<std::chrono::nanoseconds> interval{};  ///< from pull to pull; none: as PullPace says
    std::chrono::nanoseconds state_every = std::chrono::seconds(1);
    std::chrono::nanoseconds duration{0};  ///< 0: no limit
    std::chrono::nanoseconds timeout{0};   ///< of a pull; 0: the scope's
    RecordingWriter::Config::Rotation rotation{};
    std::string node{};  ///< records the events of this node only; empty: of all
    bool direct{false};  ///< reads the segments itself; without a node
    /// Beside `run --record`: removes the segments that processes of the session leave when they end, once
    /// they were read; and looks for the last ones before it ends.
    std::string leaves_segments{};  ///< the name of that session; empty: none does
    bool until_end{false};          ///< ends when all processes that were seen have ended or are gone
    bool shows_progress{false};     ///< on standard error
  };

  /// The scope of all that the session records, or `node` of it. With `direct` it asks no servers; all nodes
  /// must be on one host. Throws ConfigurationError if that is nothing, there is no such node, or `direct`
  /// cannot be.
  static ScopeTree scope_of(const Watched& watched, const std::string& node = "", bool direct = false);
  /// Makes the file. `consumer`, whose session runs, must outlive it. Throws as RecordingWriter does, and
  /// ConfigurationError if the pathmap cannot be kept in a recording (whole_pathmap).
  Recorder(const Watched& watched, Consumer& consumer, const ScopeTree& tree, const Settings& settings);

  /// Records until a limit is reached or `timeline` says so, and ends the file. Throws EnvironmentError if
  /// the file cannot be written; it then ends with its last whole chunk.
  void run(Timeline& timeline);
  /// Records what the trace elements hold now and the state of all, and ends the file.
  void run_once();

  [[nodiscard]] const RecordingWriter::Totals& totals() const noexcept { return writer_.totals(); }
  /// The file that is written last: the recording, or a part of it.
  [[nodiscard]] const std::filesystem::path& file() const noexcept { return writer_.file(); }
  [[nodiscard]] std::chrono::nanoseconds elapsed() const;
  /// Whether a process of the session was read.
  [[nodiscard]] bool saw_process() const noexcept { return saw_process_; }

 private:
  bool pull_events();
  void keep_newest(std::span<const TraceTuple> records);
  void note_processes(const View& view);
  void drain();
  [[nodiscard]] std::chrono::nanoseconds pause();
  void pull_state();
  void remove_read();
  [[nodiscard]] bool has_read(std::int32_t pid) const;
  /// Whether all processes that have ended, and have left their segments on this machine, were read.
  [[nodiscard]] bool has_read_ended() const;
  void read_left();
  void add_gone(std::size_t from, View& state) const;
  void end(std::string reason);
  void show_progress(bool is_last);
  [[nodiscard]] EventScope::Options options(bool with_threads) const;

  Settings settings_;
  EventScope events_;
  EventScope newest_;
  std::int64_t begun_ns_;
  PullPace pace_;
  std::int64_t drained_ns_;  // when the last turn ended
  RecordingWriter writer_;
  /// A process that ended: its last report, and the last event of each of its trace elements, which went with
  /// its segment.
  struct Gone {
    ProcessReport report;
    std::vector<TraceTuple> newest;
  };
  [[nodiscard]] Gone gone(const ProcessReport& report);

  std::map<std::uint32_t, ProcessReport> seen_;  // the last reports of processes that are read, by number
  /// By process that no plan has, and by path and point: the last event that was read, with its continuation
  /// records.
  std::map<std::uint32_t, std::map<std::pair<std::uint32_t, std::uint16_t>, std::vector<TraceTuple>>>
      newest_of_;
  std::vector<Gone> gone_;        // those that ended: the last most_gone
  std::size_t gone_in_state_{0};  // how many of them a state has
  std::int64_t state_due_ns_{0};
  std::int64_t progress_due_ns_{0};
  bool saw_process_{false};
  bool has_ended_{false};  // all processes at the last state
};

}  // namespace eventspace

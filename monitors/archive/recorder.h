#pragma once

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

/// Writes a recording of a running session: first the contents of its trace elements, then all events as they
/// come, and periodically the state of all processes. Used by one thread.
class Recorder {
 public:
  struct Settings {
    std::filesystem::path file;
    bool replaces{false};
    std::string program;                                 ///< the recording program, with its version
    int level{1};                                        ///< of compression
    std::optional<std::chrono::nanoseconds> interval{};  ///< from pull to pull; nullopt means adaptive
                                                         ///< (PullPace)
    std::chrono::nanoseconds state_every = std::chrono::seconds(1);
    std::chrono::nanoseconds duration{0};  ///< 0 means unlimited
    std::chrono::nanoseconds timeout{0};   ///< of a pull; 0 means the scope's
    RecordingWriter::Config::Rotation rotation{};
    std::string node{};  ///< records the events of this node only; empty means all nodes
    bool direct{false};  ///< reads the segments itself; without a node
    /// With `run --record`: removes the segments that processes of the session leave when they end, after
    /// reading them; and checks for the last segments before it ends.
    std::string leaves_segments{};  ///< the name of that session; empty disables this
    bool until_end{false};          ///< ends when all processes seen have ended or are gone
    bool shows_progress{false};     ///< on standard error
  };

  /// The scope of all events of the session, or of `node`. With `direct` it does not use servers; all nodes
  /// must be on one host. Throws ConfigurationError if nothing is recorded, if the node is unknown, or if
  /// `direct` is impossible.
  static ScopeTree scope_of(const Watched& watched, const std::string& node = "", bool direct = false);
  /// Creates the file. `consumer`, whose session runs, must outlive it. Throws like RecordingWriter, and
  /// ConfigurationError if the pathmap cannot be kept in a recording (whole_pathmap).
  Recorder(const Watched& watched, Consumer& consumer, const ScopeTree& tree, const Settings& settings);

  /// Records until a limit is reached or `timeline` ends, and ends the file. Throws EnvironmentError if the
  /// file cannot be written; it then ends with its last whole chunk.
  void run(Timeline& timeline);
  /// Records the current contents of the trace elements and the state of all processes, and ends the file.
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
  /// By dynamic process, and by path and point: the last event read, with its continuation records.
  std::map<std::uint32_t, std::map<std::pair<std::uint32_t, std::uint16_t>, std::vector<TraceTuple>>>
      newest_of_;
  std::vector<Gone> gone_;        // those that ended: the last max_gone
  std::size_t gone_in_state_{0};  // number of them that a state has
  std::int64_t state_due_ns_{0};
  std::int64_t progress_due_ns_{0};
  bool saw_process_{false};
  bool has_ended_{false};  // whether all processes had ended at the last state
};

}  // namespace eventspace

#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "paths/views/view.h"
#include "scopes/recordings/recording.h"
#include "scopes/tree/plan_names.h"

namespace eventspace {

/// Writes a recording: a new file of mode 0600, to which whole chunks are appended. If the process is killed
/// or the disk is full, the file is readable to the last whole chunk. Not thread-safe. The functions write to
/// the file and block as long as that takes.
///
///     RecordingWriter writer({.file = "run.evs", .session = session, .names = &consumer.names()});
///     while (goes_on) writer.add_events(unread.pull({}), now());
///     writer.end({.reason = "stopped by a signal"});
class RecordingWriter {
 public:
  struct Config {
    std::filesystem::path file;
    RecordedSession session;
    const PlanNames* names{nullptr};  ///< must outlive the writer
    int level{1};                     ///< of compression: 1 (fast) to 19
    bool replaces{false};             ///< a file of that name, unless another process writes it
    /// Views of events are collected in memory until they have a chunk's 65536 records, or for this long:
    /// what a kill of the process can lose.
    std::chrono::nanoseconds collects = std::chrono::seconds(1);
  };
  /// Throws EnvironmentError if the file exists and is not to be replaced, is being written by another
  /// process, or cannot be made.
  explicit RecordingWriter(const Config& config);
  ~RecordingWriter();
  RecordingWriter(const RecordingWriter&) = delete;
  RecordingWriter& operator=(const RecordingWriter&) = delete;

  // The functions below throw EnvironmentError if the file cannot be written, as when the disk is full. It
  // then ends with the last whole chunk, and no more can be added.

  /// Adds a view of unread events, which was pulled at `read_ns`: events, losses, what was missing, names,
  /// and the processes of the events. Views are added in the order of their times.
  void add_events(View&& view, std::int64_t read_ns);
  /// Adds a view of the newest events: all of it, behind the events that were read before.
  void add_state(const View& view, std::int64_t read_ns);
  /// Adds the end, and the index. `end.events` and `end.loss` are filled in.
  void end(RecordedEnd end);

  struct Totals {
    std::uint64_t events{0};
    std::uint64_t bytes{0};  ///< of the file
    Loss loss;
  };
  [[nodiscard]] const Totals& totals() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace eventspace

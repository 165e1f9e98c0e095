#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>

#include "paths/views/view.h"
#include "scopes/recordings/recording.h"
#include "scopes/tree/plan_names.h"

namespace eventspace {

/// Writes a recording: a new file of mode 0600, to which whole chunks are appended. If the process is killed
/// or the disk is full, the file is readable to the last whole chunk. Not thread-safe. The functions write to
/// the file and block until that is done.
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
    bool replaces{false};             ///< overwrites a file of that name, unless another process writes it
    /// Views of events are collected in memory until they have the records of a chunk (2048 at first, 65536
    /// in a large file), or for this long, which is the most that a kill of the process can lose.
    std::chrono::nanoseconds collects = std::chrono::seconds(1);
    /// When another file begins. If any is set, the recording is in parts: for "run.evs" these are
    /// "run.0001.evs", "run.0002.evs" ..., at most 9999. Each is a recording by itself; RecordingReader also
    /// reads all of them as one. Checked with each state, which is where a part begins.
    struct Rotation {
      std::uint64_t bytes{0};           ///< of a file; 0: unlimited
      std::chrono::nanoseconds age{0};  ///< since the file was begun; 0: unlimited
      std::uint32_t keep{0};            ///< the number of newest parts that are kept; 0: keeps all
      [[nodiscard]] bool any() const noexcept { return bytes != 0 || age.count() != 0; }
    };
    Rotation rotation{};
  };
  /// Throws EnvironmentError if the file, or a part of it, exists and may not be replaced, is being written
  /// by another process, or cannot be made. If another process is writing one, none is removed.
  explicit RecordingWriter(const Config& config);
  ~RecordingWriter();
  RecordingWriter(const RecordingWriter&) = delete;
  RecordingWriter& operator=(const RecordingWriter&) = delete;

  // The functions below throw EnvironmentError if the file cannot be written, for example when the disk is
  // full. It then ends with the last whole chunk, and no more can be added.

  /// Adds a view of unread events, which was pulled at `read_ns`: events, losses, missing parts, names, and
  /// the processes of the events. Add views in the order of their times.
  void add_events(View&& view, std::int64_t read_ns);
  /// Adds a whole view of the newest events, after the events that were read before. Begins another part with
  /// it if one is due.
  void add_state(const View& view, std::int64_t read_ns);
  /// Adds the end and the index. Fills in `end.events` and `end.loss`.
  void end(RecordedEnd end);

  struct Totals {
    std::uint64_t events{0};
    std::uint64_t bytes{0};  ///< of the files, including removed ones
    Loss loss;
  };
  [[nodiscard]] const Totals& totals() const noexcept;
  /// Whether the file has grown so large that a state is needed, with which another part can begin.
  [[nodiscard]] bool wants_state() const noexcept;
  /// The file that is being written: the recording's, or a part.
  [[nodiscard]] const std::filesystem::path& file() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace eventspace

#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <eventspace/events.h>
#include <eventspace/loss.h>

namespace eventspace {

/// A part of the time of a recording, in nanoseconds since 1970 (UTC): from `begin_ns`, inclusive, to
/// `end_ns`, exclusive.
struct TimeRange {
  std::int64_t begin_ns{std::numeric_limits<std::int64_t>::min()};
  std::int64_t end_ns{std::numeric_limits<std::int64_t>::max()};
};

/// A file that `eventspace record` or `eventspace run --record` has written, or its parts. Reads events in
/// the order in which they were recorded, in pieces: for conditions and scopes see Monitor::of_recording.
///
///     const Recording recording("run.evs");
///     for (Recording::Reader reader = recording.events(); const auto events = reader.next();)
///       for (const Event& event : *events) count[event.thread()] += 1;
///
/// The file is not trusted. Damaged bytes are repaired or left out, which damage() describes. A file whose
/// recorder was killed, or is still writing, is read to its last whole chunk.
///
/// A handle: copies share the file. Const functions are thread-safe.
class Recording {
 public:
  /// Whether `file` begins like a recording, or is the name of a recording in parts. False if it cannot be
  /// read.
  static bool is_recording(const std::filesystem::path& file);

  /// Throws EnvironmentError if the file cannot be read, or is not a recording of a known version of the
  /// format; ConfigurationError if the pathmap in it has faults.
  explicit Recording(const std::filesystem::path& file);

  [[nodiscard]] const std::filesystem::path& file() const noexcept;
  [[nodiscard]] const std::string& session() const noexcept;
  /// The pathmap of the session, in one text; empty if it did not have one.
  [[nodiscard]] const std::string& pathmap() const noexcept;
  /// When recording began, and when the last events were read, in nanoseconds since 1970 (UTC).
  [[nodiscard]] std::int64_t begin_ns() const noexcept;
  [[nodiscard]] std::int64_t end_ns() const noexcept;
  /// How the recording ended, such as "stopped by a signal"; nothing if it is still written, or if the
  /// recorder was killed or the disk was full.
  [[nodiscard]] std::optional<std::string> ending() const;
  [[nodiscard]] bool is_being_written() const noexcept;
  /// The events that the recorder did not get; nothing without an ending.
  [[nodiscard]] std::optional<Loss> loss() const;

  struct Damage {
    std::string text{};             ///< a sentence for people; empty if nothing is damaged
    std::uint64_t lost_records{0};  ///< as far as known
    bool loses_more{false};         ///< whether an unknown number of records is lost beside these
  };
  /// The damage found so far: in files up to 256 MiB all, in larger ones what opening has read.
  [[nodiscard]] Damage damage() const;

  struct Process {
    std::string name;
    std::string node;
    std::int32_t pid{0};
    std::string state;  ///< at the end of the recording: "running", "ended", "dead" ...
  };
  /// The processes of the session, by name. Reads the last part of the file.
  [[nodiscard]] std::vector<Process> processes() const;

  /// Yields the events of a recording in pieces. Shares the file with its Recording, which it may outlive.
  /// Not thread-safe.
  class Reader {
   public:
    ~Reader();
    Reader(Reader&& other) noexcept;
    Reader& operator=(Reader&& other) noexcept;
    /// Returns the next piece, at most 64 MiB of records and usually far fewer; nothing at the end. Pieces
    /// without events are left out, unless they report a loss. Blocks while it reads and decompresses. A
    /// damaged piece has no events and is listed in Events::missing.
    [[nodiscard]] std::optional<Events> next();

   private:
    friend class Recording;
    struct State;
    explicit Reader(std::unique_ptr<State> state) noexcept;
    std::unique_ptr<State> state_;
  };
  /// Reads the events that ended in `range`, each once. Pieces that are outside of it are not read.
  [[nodiscard]] Reader events(const TimeRange& range = {}) const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace eventspace

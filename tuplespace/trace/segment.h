#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuplespace/system/session_files.h"
#include "tuplespace/trace/clock_calibration.h"
#include "tuplespace/trace/trace_element.h"

namespace eventspace {

/// The description of one trace element in a segment.
struct TraceSpec {
  std::string name;        ///< at most segment_name_bytes - 1 bytes
  std::uint32_t trace{0};  ///< its number in the plan
  std::uint32_t path{0};
  std::uint32_t thread{0};
  std::uint16_t point{0};
  std::uint32_t threshold{200};  ///< 1 to max_threshold
};

inline constexpr std::size_t segment_name_bytes = 96;
inline constexpr std::uint32_t max_threshold = 1u << 24;

/// The shared-memory segment of one process in one session, as seen by that process: it owns the file and
/// hands out the writers of its trace elements. The file "eventspace.UID.SESSION.NODE.PROCESS.PID", mode
/// 0600, appears complete or not at all, and its memory is reserved, so that recording never faults for lack
/// of memory. The destructor marks the segment as ended and removes the file; if the process is killed, the
/// file stays and remains readable.
///
/// Not thread-safe, but for bind_thread() and for the writers and readers themselves.
///
///     Segment segment({.identity = {"gas", "n1", "p0", plan.fingerprint},
///                      .clock = Clock::instance().calibration(),
///                      .threads = {0},
///                      .traces = {{.name = "t0/out", .trace = 0, .threshold = 200}}});
///     TraceWriter writer = segment.writer(0);
///
/// Layout (segment_layout.h): header | thread table | thread states | directory | rings.
class Segment {
 public:
  struct Config {
    SegmentIdentity identity;
    ClockCalibration clock;
    std::vector<std::uint32_t> threads;  ///< numbers in the plan
    std::vector<TraceSpec> traces;
    std::filesystem::path directory = segment_directory();
  };

  /// Throws ConfigurationError for names that are too long and thresholds out of range; EnvironmentError if
  /// the file cannot be made, there is not enough memory, or the segment of that name is in use, because this
  /// process has one already. No file is left behind then, and none is replaced.
  explicit Segment(const Config& config);
  ~Segment();
  Segment(Segment&& other) noexcept;
  Segment& operator=(Segment&&) = delete;

  /// Returns the writer of the trace element at `index` in Config::traces. To be called once for each: a
  /// trace element has one writer.
  [[nodiscard]] TraceWriter writer(std::size_t index) noexcept;
  [[nodiscard]] TraceReader reader(std::size_t index) const noexcept;
  /// Stores that the thread at `index` in Config::threads is thread `tid` of the kernel.
  void bind_thread(std::size_t index, std::int32_t tid) noexcept;

  [[nodiscard]] const std::filesystem::path& path() const noexcept;
  [[nodiscard]] std::size_t bytes() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The segment of any process of this user, mapped read-only. The content is not trusted: before anything is
/// used, the constructor checks the file's owner and mode, sizes, offsets, overlaps, names, and the checksum
/// of header and directory. After that only rings and thread states are read, within bounds fixed at opening.
///
/// The process that writes the segment may run, be stopped or be dead; reading never affects it. Thread-safe,
/// except for moves.
///
///     for (const std::filesystem::path& file : find_segments("gas", "n1")) {
///       const SegmentView view(file);
///       for (const SegmentView::Trace& trace : view.traces()) print(trace.spec.name, trace.reader.newest());
///     }
class SegmentView {
 public:
  /// Throws EnvironmentError whose text says why the file is refused ("... is truncated: ...").
  explicit SegmentView(const std::filesystem::path& file);
  ~SegmentView();
  SegmentView(SegmentView&& other) noexcept;
  SegmentView& operator=(SegmentView&& other) noexcept;

  struct Trace {
    TraceSpec spec;
    TraceReader reader;
  };
  [[nodiscard]] const SegmentIdentity& identity() const noexcept;
  [[nodiscard]] const ClockCalibration& clock() const noexcept;
  [[nodiscard]] std::int32_t pid() const noexcept;
  [[nodiscard]] std::uint64_t process_start_ticks() const noexcept;
  [[nodiscard]] std::int64_t created_realtime_ns() const noexcept;
  [[nodiscard]] const std::vector<std::uint32_t>& threads() const noexcept;
  [[nodiscard]] const std::vector<Trace>& traces() const noexcept;
  [[nodiscard]] const std::filesystem::path& path() const noexcept;

  /// The identity of a file, independent of its name: a later segment may have the same name.
  struct File {
    std::uint64_t device{0};
    std::uint64_t inode{0};
    friend bool operator==(const File&, const File&) = default;
    /// Returns nothing if no file is at `path`.
    static std::optional<File> at(const std::filesystem::path& path);
  };
  [[nodiscard]] File file() const noexcept;

  /// Returns the kernel's id of the thread at `index`, or 0 if it has not been bound yet.
  [[nodiscard]] std::int32_t tid(std::size_t index) const noexcept;
  /// Returns whether the process has ended in an orderly way.
  [[nodiscard]] bool ended() const noexcept;
  /// Returns whether the file still has the size that was mapped. To be called before reading, because access
  /// beyond the end of a truncated file faults. One system call.
  [[nodiscard]] bool intact() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace eventspace

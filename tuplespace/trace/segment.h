#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tuplespace/processes/process_origin.h"
#include "tuplespace/system/file_lock.h"
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

/// A meaning of a number in a segment's records, in the process's own words.
struct SegmentName {
  static constexpr std::size_t max_bytes = 4096;

  std::uint16_t of{0};  ///< the class of the number, such as threads or paths; defined by the caller
  std::uint32_t number{0};
  std::string text;  ///< 1 to max_bytes bytes of UTF-8 without control characters
  friend bool operator==(const SegmentName&, const SegmentName&) = default;
};

inline constexpr std::size_t segment_name_bytes = 96;
inline constexpr std::uint32_t max_threshold = 1u << 24;

/// The shared-memory segment of one process in one session, as seen by that process: it owns the file and
/// hands out the writers of its trace elements. The file "eventspace.UID.SESSION.NODE.PROCESS.PID", mode
/// 0600, appears complete or not at all, and its memory is reserved, so that recording never faults for lack
/// of memory. The destructor marks the segment as ended and removes the file; if the process is killed, the
/// file stays and remains readable.
///
/// While the program runs, threads, trace elements and names can be added; readers that have the segment open
/// find them there. Adding makes system calls and may wait briefly for memory; recording does neither, even
/// while another thread adds. Each addition is visible to readers entirely or not at all, even if the process
/// is killed in between. Nothing is ever removed.
///
/// Thread-safe, except for construction, moves and destruction.
///
///     Segment segment({.identity = {"gas", "n1", "p0", plan.fingerprint},
///                      .clock = Clock::instance().calibration(),
///                      .threads = {0},
///                      .traces = {{.name = "t0/out", .trace = 0, .threshold = 200}}});
///     TraceWriter writer = segment.writer(0);
///     if (const auto thread = segment.add_thread(17, ::gettid())) segment.add_name({0, 17, "worker 3"});
///
/// Layout (segment_layout.h): header | thread table | thread states | directory | rings | log.
class Segment {
 public:
  static constexpr std::uint64_t max_log_bytes = std::uint64_t{1} << 30;

  struct Config {
    SegmentIdentity identity;
    ClockCalibration clock;
    std::vector<std::uint32_t> threads;  ///< numbers in the plan
    std::vector<TraceSpec> traces;
    std::filesystem::path directory = segment_directory();
    /// The maximum number of bytes for additions, at most max_log_bytes; 0 means that nothing can be added. A
    /// thread takes 128 bytes, a name of up to 44 bytes 64, a block of trace elements 64 and, for each, 128
    /// and its ring. Only address space is reserved in advance. Memory is reserved in chunks of 64 KiB as it
    /// is needed.
    std::uint64_t log_bytes = std::uint64_t{64} << 20;
    /// The name of an annex; empty means the segment itself. An annex is another file of the same run, with
    /// trace elements that have a separate lifetime or place. It is made before the segment, which readers
    /// open first, and destroyed after it.
    std::string annex{};
    std::int64_t created_realtime_ns{0};             ///< the same in all files of a run; 0 means now
    std::optional<std::chrono::nanoseconds> keep{};  ///< see SegmentView::keep
  };

  /// Throws ConfigurationError for names that are too long, thresholds out of range and a log that is too
  /// large; EnvironmentError if the file cannot be made, there is not enough memory, or the segment of that
  /// name is in use, because this process already has one. On failure, no file is left behind or replaced.
  explicit Segment(const Config& config);
  ~Segment();
  Segment(Segment&& other) noexcept;
  Segment& operator=(Segment&&) = delete;

  /// Returns the writer of the trace element at `index`: trace elements of Config::traces in order, then
  /// added ones. Call once for each: a trace element has one writer.
  [[nodiscard]] TraceWriter writer(std::size_t index) noexcept;
  [[nodiscard]] TraceReader reader(std::size_t index) const noexcept;
  /// The offset in the file of this trace element's block, for a writer in another process, which maps the
  /// file; writer() is not called then.
  [[nodiscard]] std::uint64_t block_offset(std::size_t index) const noexcept;
  // These functions empty trace elements, see TraceRing::empty: the trace element at `index`, of a path, of a
  // thread on all its paths, or all, including added ones. They do nothing in a forked child.
  void empty(std::size_t index) noexcept;
  void empty_path(std::uint32_t path) noexcept;
  void empty_thread(std::uint32_t thread) noexcept;
  void empty_all() noexcept;
  /// Stores that the thread at `index` is thread `tid` of the kernel. Indices count Config::threads, then
  /// added threads.
  void bind_thread(std::size_t index, std::int32_t tid) noexcept;

  // The functions below add to the segment. They refuse, and count that (SegmentView::refused), if the log,
  // the shared memory or a bound of the layout is full, if the file is gone, and in a forked child, whose
  // parent owns the segment; nothing has changed then. They throw ConfigurationError for invalid additions.

  /// Adds a thread, bound to `tid` unless that is 0. Returns its index.
  [[nodiscard]] std::optional<std::size_t> add_thread(std::uint32_t number, std::int32_t tid);
  /// Adds 1 to TraceRing::max_lanes trace elements of one thread and threshold, which share a block. Returns
  /// the index of the first; the others follow it. Throws ConfigurationError for several threads or
  /// thresholds, if the threshold is out of range, or if a name is too long or has control characters.
  [[nodiscard]] std::optional<std::size_t> add_traces(std::span<const TraceSpec> traces);
  /// Adds a name. A later name of the same number does not replace an earlier name; the reader decides which
  /// one counts. Returns false if it is refused. Throws ConfigurationError for a text that is empty, too
  /// long, not UTF-8 or has control characters.
  bool add_name(const SegmentName& name);
  /// Informs readers that recorders lack room for their records (SegmentView::unrecorded).
  void count_unrecorded(std::uint64_t count = 1) noexcept;

  /// Keeps the memory of writers mapped after the segment is destroyed, for threads that may still record.
  [[nodiscard]] std::shared_ptr<const void> memory() const noexcept;
  [[nodiscard]] const std::filesystem::path& path() const noexcept;
  /// The size of the file, all of which is reserved memory. It grows with additions.
  [[nodiscard]] std::size_t bytes() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Whether processes leave their segments when they end in an orderly way, so that a later reader finds and
/// removes them. Only under a recorder or a page that does so (`eventspace run --record`, `--web`).
struct SegmentKeeping {
  static constexpr const char* variable = "EVENTSPACE_KEEP_SEGMENTS";  ///< "1" if they do
  static bool is_asked_for() noexcept;
};

/// The segment of any process of this user, mapped read-only. The content is not trusted: before anything is
/// used, the constructor checks the file's owner and mode, sizes, offsets, overlaps, names, and the checksum
/// of header and directory; and so does refresh() for each entry of the log. After that only rings and thread
/// states are read, within bounds that have been checked.
///
/// The process that writes the segment may run, be stopped or be dead; reading never affects it. Thread-safe,
/// except moves and refresh(): other functions must not run at the same time. Readers and references of trace
/// elements stay valid across both.
///
///     for (const std::filesystem::path& file : find_segments("gas", "n1")) {
///       const SegmentView view(file);
///       for (const SegmentView::Trace& trace : view.traces()) print(trace.spec.name, trace.reader.newest());
///     }
class SegmentView {
 public:
  /// Also reads the additions of the process so far. Throws EnvironmentError with the reason why the file is
  /// refused ("... is truncated: ...").
  explicit SegmentView(const std::filesystem::path& file);
  ~SegmentView();
  SegmentView(SegmentView&& other) noexcept;
  SegmentView& operator=(SegmentView&& other) noexcept;

  /// Reads the process's additions since the last call, and returns whether there were any. Costs one load if
  /// not, and one system call otherwise. Indices do not change; additions are appended. Throws
  /// EnvironmentError if the log is damaged or forged ("... entry 3 of its log is invalid: ..."); all entries
  /// before the invalid one have been read then.
  bool refresh();

  /// Appends the trace elements of an annex of the same run. Throws EnvironmentError, and adds nothing, if
  /// the annex is refused or belongs to another run. Call before refresh() and readers.
  void attach(const std::filesystem::path& annex);

  struct Trace {
    TraceSpec spec;
    TraceReader reader;
  };
  [[nodiscard]] const SegmentIdentity& identity() const noexcept;
  [[nodiscard]] const ClockCalibration& clock() const noexcept;
  [[nodiscard]] std::int32_t pid() const noexcept;
  [[nodiscard]] std::uint64_t process_start_ticks() const noexcept;
  /// The process as it identifies itself; see ProcessSight for whether it is alive.
  [[nodiscard]] ProcessIdentity owner() const noexcept;
  /// Returns whether the process holds the lock on the file. Makes some system calls.
  [[nodiscard]] FileLock lock() const noexcept;
  [[nodiscard]] std::int64_t created_realtime_ns() const noexcept;
  [[nodiscard]] const std::vector<std::uint32_t>& threads() const noexcept;
  [[nodiscard]] const std::deque<Trace>& traces() const noexcept;
  /// In the order in which they were added. A number may have several names, or none.
  [[nodiscard]] const std::vector<SegmentName>& names() const noexcept;
  [[nodiscard]] const std::filesystem::path& path() const noexcept;
  /// Returns the name of this annex; empty for the segment itself.
  [[nodiscard]] std::string annex() const;
  /// Returns how long to keep the file after the death of its process; nullopt means the session's time.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> keep() const noexcept;

  /// The identity of a file, independent of its name: a later segment may have the same name.
  struct File {
    std::uint64_t device{0};
    std::uint64_t inode{0};
    friend bool operator==(const File&, const File&) = default;
    /// Returns nullopt if `path` does not exist.
    static std::optional<File> at(const std::filesystem::path& path);
  };
  [[nodiscard]] File file() const noexcept;

  /// Returns the kernel's id of the thread at `index`, or 0 if it has not been bound yet.
  [[nodiscard]] std::int32_t tid(std::size_t index) const noexcept;
  /// Returns whether the process has ended in an orderly way.
  [[nodiscard]] bool ended() const noexcept;
  /// Returns the number of additions that the process had to refuse.
  [[nodiscard]] std::uint64_t refused() const noexcept;
  /// Returns how often the process lacked a trace element for recording. See GrowingTraces.
  [[nodiscard]] std::uint64_t unrecorded() const noexcept;
  /// Returns whether the file and each annex still have all bytes that this view reads. Call before reading,
  /// because access beyond the end of a truncated file faults. One system call.
  [[nodiscard]] bool intact() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace eventspace

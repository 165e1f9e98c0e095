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

/// One trace element to lay out in a segment.
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

/// The shared-memory segment of one process in one session: it owns the file, and hands out the writers of
/// its trace elements. A file "eventspace.UID.SESSION.NODE.PROCESS.PID", mode 0600, appears complete or not
/// at all; its memory is reserved, so that recording cannot fault for lack of it. On destruction it is marked
/// ended and removed; of a process that is killed it stays, readable.
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

  /// Throws ConfigurationError for names that are too long and thresholds out of range, EnvironmentError
  /// when the file cannot be made or there is no room for it; nothing is left behind then.
  explicit Segment(const Config& config);
  ~Segment();
  Segment(Segment&& other) noexcept;
  Segment& operator=(Segment&&) = delete;

  /// The writer of the trace element at `index` in Config::traces; ask once for each.
  [[nodiscard]] TraceWriter writer(std::size_t index) noexcept;
  [[nodiscard]] TraceReader reader(std::size_t index) const noexcept;
  /// Says that the thread at `index` in Config::threads is the kernel's thread `tid`.
  void bind_thread(std::size_t index, std::int32_t tid) noexcept;

  [[nodiscard]] const std::filesystem::path& path() const noexcept;
  [[nodiscard]] std::size_t bytes() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Somebody's segment, mapped read-only. Everything in it is distrusted: the constructor checks the file's
/// owner and mode, sizes, offsets, overlaps, names and the checksum of header and directory before it uses
/// any; after that only rings and thread states are read, within bounds fixed at opening.
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

  /// Which file that is, whatever its name: a later segment may have the same name.
  struct File {
    std::uint64_t device{0};
    std::uint64_t inode{0};
    friend bool operator==(const File&, const File&) = default;
    /// Nothing when there is none at `path`.
    static std::optional<File> at(const std::filesystem::path& path);
  };
  [[nodiscard]] File file() const noexcept;

  /// The kernel's id of the thread at `index`; 0 while it has not bound itself.
  [[nodiscard]] std::int32_t tid(std::size_t index) const noexcept;
  /// The process left in an orderly way.
  [[nodiscard]] bool ended() const noexcept;
  /// The file still has the size that was mapped: ask before reading, as touching memory behind a
  /// truncated file's end would fault. One system call.
  [[nodiscard]] bool intact() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace eventspace

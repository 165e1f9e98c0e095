#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <tuple>
#include <utility>

#include <eventspace/error.h>
#include "tuplespace/system/mapping.h"
#include "tuplespace/system/shared_file.h"
#include "tuplespace/trace/segment.h"
#include "tuplespace/trace/segment_entries.h"
#include "tuplespace/trace/segment_layout.h"

namespace eventspace {
namespace {

using namespace segment_layout;

}  // namespace

struct SegmentView::State {
  std::filesystem::path file;
  File identity_of_file;
  FileHandle handle;
  Mapping mapping;
  Header header{};
  SegmentIdentity identity;
  std::vector<std::uint32_t> threads;
  std::deque<Trace> traces;
  std::vector<std::uint64_t> added_states;  // the offsets of the states of threads in the log
  std::vector<SegmentName> names;
  std::uint64_t log_read{0};  // the bytes of the log that have been read
  std::size_t entries_read{0};
  std::vector<SegmentView> annexes;

  explicit State(const std::filesystem::path& path) : file(path) {
    check_header(open());
    mapping = Mapping(handle, header.log_offset + header.log_bytes, false, file);
    check_directory();
    refresh();
    identity = {std::string(text_in(header.session)), std::string(text_in(header.node)),
                std::string(text_in(header.process)), header.fingerprint, member()};
  }

  [[nodiscard]] std::optional<JobMember> member() const noexcept {
    return header.job == 0 ? std::nullopt : std::optional(JobMember{header.job, header.rank});
  }

  [[noreturn]] void refuse(const std::string& why) const {
    throw EnvironmentError(fmt::format("segment {} is refused: {}", file.string(), why));
  }

  [[nodiscard]] const std::byte* at(std::uint64_t offset) const noexcept { return mapping.data() + offset; }

  // Returns the size of the file, and copies its header: the owner may write to the file at the same time.
  std::uint64_t open() {
    OwnFile opened =
        open_own_file(file, FileAccess::read, "segment", [this](const std::string& why) { refuse(why); });
    handle = std::move(opened.handle);
    struct stat status {};
    if (::fstat(handle.get(), &status) == 0) identity_of_file = {status.st_dev, status.st_ino};
    if (opened.bytes < sizeof(Header) + sizeof(Lifecycle) ||
        ::pread(handle.get(), &header, sizeof header, 0) != sizeof header) {
      refuse(fmt::format("it is truncated: {} bytes, less than a header", opened.bytes));
    }
    return opened.bytes;
  }

  void check_header(std::uint64_t bytes) const {
    if (header.magic != magic) refuse("it is not a segment of EventSpace");
    if (header.byte_order != byte_order_mark) refuse("its byte order is not this machine's");
    if (header.layout_version != layout_version) {
      refuse(fmt::format("its layout is version {}; this program reads version {}", header.layout_version,
                         layout_version));
    }
    if (header.log_offset > max_bytes || header.log_bytes > Segment::max_log_bytes ||
        header.log_offset % 64 != 0 || header.log_bytes % 64 != 0)
      refuse("its size is wrong");
    if (header.log_offset > bytes)
      refuse(fmt::format("it is truncated: {} of {} bytes", bytes, header.log_offset));
    if (header.log_offset + header.log_bytes < bytes) refuse("its size is wrong");
    if (header.thread_count > max_threads || header.trace_count > max_traces)
      refuse("its counts are too large");
    const Offsets expected = offsets(header.thread_count, header.trace_count, 0);
    if (header.threads_offset != expected.threads || header.states_offset != expected.states ||
        header.traces_offset != expected.traces || header.rings_offset != expected.rings ||
        expected.rings > header.log_offset) {
      refuse("its sections do not lie where they must");
    }
    if (!has_end(header.session) || !has_end(header.node) || !has_end(header.process) ||
        !has_end(header.annex)) {
      refuse("a name in its header is not terminated");
    }
    if (const auto of_job = member(); of_job && !of_job->is_sound()) refuse("its rank is out of range");
    check_clock();
  }

  void check_clock() const {
    const ClockCalibration& clock = header.clock;
    const bool known = clock.source == ClockSource::monotonic || clock.source == ClockSource::tsc;
    if (!known || !clock.is_sound()) refuse("its clock calibration is invalid");
  }

  void check_directory() {
    const std::size_t thread_bytes = header.thread_count * sizeof(std::uint32_t);
    const std::size_t entry_bytes = header.trace_count * sizeof(TraceEntry);
    const std::uint64_t found =
        checksum(header, {at(header.threads_offset), thread_bytes}, {at(header.traces_offset), entry_bytes});
    if (found != header.checksum) refuse("its checksum is wrong");
    threads.resize(header.thread_count);
    if (thread_bytes > 0) std::memcpy(threads.data(), at(header.threads_offset), thread_bytes);
    Block block{header.rings_offset};
    for (std::size_t i = 0; i < header.trace_count; ++i) check_entry(i, block);
    if (block.used != block.lanes || block.end() != header.log_offset)
      refuse("its rings do not end where its log begins");
  }

  // The current block while the directory is checked, and the number of its used lanes.
  struct Block {
    std::uint64_t offset{0};
    std::uint32_t threshold{1};
    std::uint16_t lanes{0};
    std::uint16_t used{0};
    [[nodiscard]] std::uint64_t end() const noexcept { return offset + TraceRing::bytes(threshold, lanes); }
  };

  // Blocks are consecutive, in the order of the directory, and so are the lanes in a block; this check
  // excludes overlaps and gaps.
  void check_entry(std::size_t index, Block& block) {
    TraceEntry entry;
    std::memcpy(&entry, at(header.traces_offset + index * sizeof entry), sizeof entry);
    const bool possible = entry.threshold >= 1 && entry.threshold <= max_threshold && entry.lanes >= 1 &&
                          entry.lanes <= TraceRing::max_lanes && has_end(entry.name);
    if (possible && block.used == block.lanes) block = {block.end(), entry.threshold, entry.lanes, 0};
    const bool sound = possible && block.offset <= header.log_offset &&
                       block.end() - block.offset <= header.log_offset - block.offset &&
                       entry.threshold == block.threshold && entry.lanes == block.lanes &&
                       entry.lane == block.used && entry.block == block.offset;
    if (!sound) refuse(fmt::format("entry {} of its directory is invalid", index));
    ++block.used;
    traces.push_back({{std::string(text_in(entry.name)), entry.trace, entry.path, entry.thread, entry.point,
                       entry.threshold},
                      TraceReader(at(entry.block), entry.threshold, entry.lanes, entry.lane)});
  }

  [[nodiscard]] const Lifecycle& lifecycle() const noexcept {
    return *reinterpret_cast<const Lifecycle*>(at(sizeof(Header)));
  }

  // lseek yields the end of the file; fstat yields more and takes several times as long.
  [[nodiscard]] std::uint64_t size_now() const noexcept {
    const auto end = ::lseek(handle.get(), 0, SEEK_END);
    return end < 0 ? 0 : static_cast<std::uint64_t>(end);
  }

  bool refresh() {
    const std::uint64_t end = lifecycle().log_end.load(std::memory_order_acquire);
    if (end == log_read) return false;
    check_log_end(end);
    for (; log_read < end; ++entries_read) {
      const CheckedEntry entry = next_entry(end);
      std::visit([this](const auto& content) { take(content); }, entry.content);
      log_read += entry.bytes;
    }
    return true;
  }

  // Reads the size of the file after log_end, because both grow.
  void check_log_end(std::uint64_t end) const {
    if (end < log_read || end > header.log_bytes) {
      refuse(fmt::format("its log ends at {} after it ended at {}; it has room for {} bytes", end, log_read,
                         header.log_bytes));
    }
    const std::uint64_t bytes = size_now();
    if (bytes < header.log_offset + end)
      refuse(fmt::format("it is truncated: {} of {} bytes", bytes, header.log_offset + end));
  }

  [[nodiscard]] CheckedEntry next_entry(std::uint64_t end) const {
    const Room room{max_threads - threads.size(), max_traces - traces.size(), max_names - names.size()};
    try {
      return read_entry(at(0), header.log_offset + log_read, header.log_offset + end, room);
    } catch (const InvalidEntry& invalid) {
      refuse(fmt::format("entry {} of its log is invalid: {}", entries_read, invalid.what()));
    }
  }

  // Also compares the clock: the records of all files of a run are converted with the segment's clock.
  [[nodiscard]] bool is_of_run(const State& other) const noexcept {
    const auto run = [](const State& of) {
      const Header& h = of.header;
      return std::tuple(std::string_view(of.identity.session), std::string_view(of.identity.node),
                        std::string_view(of.identity.process), h.fingerprint, h.pid, h.process_start_ticks,
                        h.created_realtime_ns);
    };
    // Bit for bit: an annex has a copy of the clock, and a forged one may be no number.
    return run(*this) == run(other) &&
           std::memcmp(&header.clock, &other.header.clock, sizeof header.clock) == 0;  // NOLINT
  }

  void attach(SegmentView annex) {
    if (!is_of_run(*annex.state_)) annex.state_->refuse("it is not an annex of " + file.string());
    if (annex.traces().size() > max_traces - traces.size()) annex.state_->refuse("its counts are too large");
    traces.insert(traces.end(), annex.traces().begin(), annex.traces().end());
    annexes.push_back(std::move(annex));
  }

  [[nodiscard]] bool intact() const noexcept {
    const std::uint64_t bytes = size_now();
    const std::uint64_t begin = header.log_offset;
    return bytes >= begin + log_read && bytes <= begin + header.log_bytes &&
           std::ranges::all_of(annexes, &SegmentView::intact);
  }

  void take(const AddedThread& thread) {
    // One more may be left from an attempt that ran out of memory.
    added_states.resize(threads.size() - header.thread_count);
    added_states.push_back(thread.state);
    threads.push_back(thread.number);
  }
  void take(const AddedTraces& added) {
    const auto lanes = static_cast<std::uint16_t>(added.specs.size());
    std::vector<Trace> more;
    for (std::uint16_t lane = 0; lane < lanes; ++lane) {
      const TraceSpec& spec = added.specs[lane];
      more.push_back({spec, TraceReader(at(added.block), spec.threshold, lanes, lane)});
    }
    traces.insert(traces.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  }
  void take(const SegmentName& name) { names.push_back(name); }

  [[nodiscard]] const ThreadState& state(std::size_t index) const noexcept {
    if (index < header.thread_count)
      return reinterpret_cast<const ThreadState*>(at(header.states_offset))[index];
    return *reinterpret_cast<const ThreadState*>(at(added_states[index - header.thread_count]));
  }
};

SegmentView::SegmentView(const std::filesystem::path& file) : state_(std::make_unique<State>(file)) {}
SegmentView::~SegmentView() = default;
SegmentView::SegmentView(SegmentView&& other) noexcept = default;
SegmentView& SegmentView::operator=(SegmentView&& other) noexcept = default;

const SegmentIdentity& SegmentView::identity() const noexcept { return state_->identity; }
const ClockCalibration& SegmentView::clock() const noexcept { return state_->header.clock; }
std::int32_t SegmentView::pid() const noexcept { return state_->header.pid; }
std::uint64_t SegmentView::process_start_ticks() const noexcept { return state_->header.process_start_ticks; }
ProcessIdentity SegmentView::owner() const noexcept {
  return {state_->header.pid, state_->header.process_start_ticks, state_->header.origin};
}
FileLock SegmentView::lock() const noexcept { return lock_on(state_->handle); }
std::int64_t SegmentView::created_realtime_ns() const noexcept { return state_->header.created_realtime_ns; }
const std::vector<std::uint32_t>& SegmentView::threads() const noexcept { return state_->threads; }
const std::deque<SegmentView::Trace>& SegmentView::traces() const noexcept { return state_->traces; }
const std::vector<SegmentName>& SegmentView::names() const noexcept { return state_->names; }
const std::filesystem::path& SegmentView::path() const noexcept { return state_->file; }

std::optional<SegmentView::File> SegmentView::File::at(const std::filesystem::path& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return std::nullopt;
  return File{status.st_dev, status.st_ino};
}
SegmentView::File SegmentView::file() const noexcept { return state_->identity_of_file; }

bool SegmentView::refresh() { return state_->refresh(); }

std::int32_t SegmentView::tid(std::size_t index) const noexcept {
  return state_->state(index).tid.load(std::memory_order_acquire);
}

bool SegmentView::ended() const noexcept {
  return state_->lifecycle().ended.load(std::memory_order_acquire) != 0;
}

std::uint64_t SegmentView::refused() const noexcept {
  return state_->lifecycle().refused.load(std::memory_order_relaxed);
}

std::uint64_t SegmentView::unrecorded() const noexcept {
  return state_->lifecycle().unrecorded.load(std::memory_order_relaxed);
}

bool SegmentView::intact() const noexcept { return state_->intact(); }

void SegmentView::attach(const std::filesystem::path& annex) { state_->attach(SegmentView(annex)); }
std::string SegmentView::annex() const { return std::string(text_in(state_->header.annex)); }
std::optional<std::chrono::nanoseconds> SegmentView::keep() const noexcept {
  const std::int64_t keep = state_->header.keep_ns;
  return keep < 0 ? std::nullopt : std::optional(std::chrono::nanoseconds(keep));
}

}  // namespace eventspace

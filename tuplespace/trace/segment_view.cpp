#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "tuplespace/system/error.h"
#include "tuplespace/system/mapping.h"
#include "tuplespace/system/shared_file.h"
#include "tuplespace/trace/segment.h"
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
  std::vector<Trace> traces;

  explicit State(const std::filesystem::path& path) : file(path) {
    open();
    check_header();
    check_directory();
    identity = {std::string(text_in(header.session)), std::string(text_in(header.node)),
                std::string(text_in(header.process)), header.fingerprint};
  }

  [[noreturn]] void refuse(const std::string& why) const {
    throw EnvironmentError(fmt::format("segment {} is refused: {}", file.string(), why));
  }

  [[nodiscard]] const std::byte* at(std::uint64_t offset) const noexcept { return mapping.data() + offset; }

  void open() {
    OwnFile opened =
        open_own_file(file, FileAccess::read, "segment", [this](const std::string& why) { refuse(why); });
    handle = std::move(opened.handle);
    struct stat status {};
    if (::fstat(handle.get(), &status) == 0) identity_of_file = {status.st_dev, status.st_ino};
    const std::uint64_t bytes = opened.bytes;
    if (bytes < sizeof(Header) + sizeof(Lifecycle)) {
      refuse(fmt::format("it is truncated: {} bytes, less than a header", bytes));
    }
    mapping = Mapping(handle, bytes, false, file);
    // Checked and used as a copy: the owner may write to the file meanwhile.
    std::memcpy(&header, mapping.data(), sizeof header);
  }

  void check_header() const {
    if (header.magic != magic) refuse("it is not a segment of EventSpace");
    if (header.byte_order != byte_order_mark) refuse("its byte order is not this machine's");
    if (header.layout_version != layout_version) {
      refuse(fmt::format("its layout is version {}; this program reads version {}", header.layout_version,
                         layout_version));
    }
    if (header.total_bytes > mapping.size()) {
      refuse(fmt::format("it is truncated: {} of {} bytes", mapping.size(), header.total_bytes));
    }
    if (header.total_bytes < mapping.size() || header.total_bytes > max_bytes) refuse("its size is wrong");
    if (header.thread_count > max_threads || header.trace_count > max_traces)
      refuse("its counts are too large");
    const Offsets expected = offsets(header.thread_count, header.trace_count, 0);
    if (header.threads_offset != expected.threads || header.states_offset != expected.states ||
        header.traces_offset != expected.traces || header.rings_offset != expected.rings ||
        expected.rings > header.total_bytes) {
      refuse("its sections do not lie where they must");
    }
    if (!has_end(header.session) || !has_end(header.node) || !has_end(header.process)) {
      refuse("a name in its header is not terminated");
    }
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
    traces.reserve(header.trace_count);
    Block block{header.rings_offset};
    for (std::size_t i = 0; i < header.trace_count; ++i) check_entry(i, block);
    if (block.used != block.lanes || block.end() != header.total_bytes)
      refuse("its rings do not fill the file");
  }

  // The current block while the directory is checked, and how many of its lanes have been used.
  struct Block {
    std::uint64_t offset{0};
    std::uint32_t threshold{1};
    std::uint16_t lanes{0};
    std::uint16_t used{0};
    [[nodiscard]] std::uint64_t end() const noexcept { return offset + TraceRing::bytes(threshold, lanes); }
  };

  // Blocks lie one behind the other in the order of the directory, and so do the lanes in a block; this check
  // excludes overlaps and gaps.
  void check_entry(std::size_t index, Block& block) {
    TraceEntry entry;
    std::memcpy(&entry, at(header.traces_offset + index * sizeof entry), sizeof entry);
    const bool possible = entry.threshold >= 1 && entry.threshold <= max_threshold && entry.lanes >= 1 &&
                          entry.lanes <= TraceRing::max_lanes && has_end(entry.name);
    if (possible && block.used == block.lanes) block = {block.end(), entry.threshold, entry.lanes, 0};
    const bool sound = possible && block.offset <= header.total_bytes &&
                       block.end() - block.offset <= header.total_bytes - block.offset &&
                       entry.threshold == block.threshold && entry.lanes == block.lanes &&
                       entry.lane == block.used && entry.block == block.offset;
    if (!sound) refuse(fmt::format("entry {} of its directory is invalid", index));
    ++block.used;
    traces.push_back({{std::string(text_in(entry.name)), entry.trace, entry.path, entry.thread, entry.point,
                       entry.threshold},
                      TraceReader(at(entry.block), entry.threshold, entry.lanes, entry.lane)});
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
std::int64_t SegmentView::created_realtime_ns() const noexcept { return state_->header.created_realtime_ns; }
const std::vector<std::uint32_t>& SegmentView::threads() const noexcept { return state_->threads; }
const std::vector<SegmentView::Trace>& SegmentView::traces() const noexcept { return state_->traces; }
const std::filesystem::path& SegmentView::path() const noexcept { return state_->file; }

std::optional<SegmentView::File> SegmentView::File::at(const std::filesystem::path& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return std::nullopt;
  return File{status.st_dev, status.st_ino};
}
SegmentView::File SegmentView::file() const noexcept { return state_->identity_of_file; }

std::int32_t SegmentView::tid(std::size_t index) const noexcept {
  const auto* const states = reinterpret_cast<const ThreadState*>(state_->at(state_->header.states_offset));
  return states[index].tid.load(std::memory_order_acquire);
}

bool SegmentView::ended() const noexcept {
  return reinterpret_cast<const Lifecycle*>(state_->at(sizeof(Header)))
             ->ended.load(std::memory_order_acquire) != 0;
}

bool SegmentView::intact() const noexcept {
  // lseek yields the end of the file; fstat yields more and takes several times as long.
  const auto end = ::lseek(state_->handle.get(), 0, SEEK_END);
  return end >= 0 && static_cast<std::uint64_t>(end) == state_->header.total_bytes;
}

}  // namespace eventspace

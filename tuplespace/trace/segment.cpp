#include "tuplespace/trace/segment.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "tuplespace/system/error.h"
#include "tuplespace/system/mapping.h"
#include "tuplespace/system/process_stat.h"
#include "tuplespace/system/shared_file.h"
#include "tuplespace/trace/segment_layout.h"

namespace eventspace {
namespace {

using namespace segment_layout;

void check_threshold(const TraceSpec& trace) {
  if (trace.threshold >= 1 && trace.threshold <= max_threshold) return;
  throw ConfigurationError(fmt::format("trace element '{}' has the discard threshold {}; allowed: 1 to {}",
                                       trace.name, trace.threshold, max_threshold));
}

// Returns how many trace elements, from `first` on, share a block.
std::uint16_t lanes_from(const std::vector<TraceSpec>& traces, std::size_t first) {
  const TraceSpec& one = traces[first];
  std::uint16_t lanes = 1;
  while (lanes < TraceRing::max_lanes && first + lanes < traces.size() &&
         traces[first + lanes].thread == one.thread && traces[first + lanes].threshold == one.threshold)
    ++lanes;
  return lanes;
}

std::uint64_t ring_bytes(const std::vector<TraceSpec>& traces) {
  std::for_each(traces.begin(), traces.end(), check_threshold);
  std::uint64_t sum = 0;
  for (std::size_t first = 0; first < traces.size();) {
    const std::uint16_t lanes = lanes_from(traces, first);
    sum += TraceRing::bytes(traces[first].threshold, lanes);
    first += lanes;
  }
  return sum;
}

}  // namespace

struct Segment::State {
  PublishedFile file;
  Mapping mapping;
  std::uint64_t states_offset{0};
  struct Ring {
    std::uint64_t block;
    std::uint32_t threshold;
    std::uint16_t lanes;
    std::uint16_t lane;
  };
  std::vector<Ring> rings;

  [[nodiscard]] std::byte* at(std::uint64_t offset) const noexcept { return mapping.data() + offset; }

  void fill(const Config& config, const Offsets& at_offsets) {
    Header header = make_header(config, at_offsets);
    const std::size_t thread_bytes = config.threads.size() * sizeof(std::uint32_t);
    if (thread_bytes > 0) std::memcpy(at(at_offsets.threads), config.threads.data(), thread_bytes);
    fill_directory(config, at_offsets);
    header.checksum = checksum(header, {at(at_offsets.threads), thread_bytes},
                               {at(at_offsets.traces), config.traces.size() * sizeof(TraceEntry)});
    // Last: the checksum covers the thread table and the directory.
    std::memcpy(at(0), &header, sizeof header);
  }

  static Header make_header(const Config& config, const Offsets& at_offsets) {
    Header header{};
    header.magic = magic;
    header.layout_version = layout_version;
    header.byte_order = byte_order_mark;
    header.total_bytes = at_offsets.total;
    header.fingerprint = config.identity.fingerprint;
    header.pid = ::getpid();
    header.process_start_ticks = own_start_ticks();
    header.created_realtime_ns =
        std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
    header.thread_count = static_cast<std::uint32_t>(config.threads.size());
    header.trace_count = static_cast<std::uint32_t>(config.traces.size());
    header.threads_offset = at_offsets.threads;
    header.states_offset = at_offsets.states;
    header.traces_offset = at_offsets.traces;
    header.rings_offset = at_offsets.rings;
    header.clock = config.clock;
    copy_text(header.session, config.identity.session, "session");
    copy_text(header.node, config.identity.node, "node");
    copy_text(header.process, config.identity.process, "process");
    return header;
  }

  void fill_directory(const Config& config, const Offsets& at_offsets) {
    std::uint64_t block = at_offsets.rings;
    for (std::size_t first = 0; first < config.traces.size();) {
      const std::uint16_t lanes = lanes_from(config.traces, first);
      for (std::uint16_t lane = 0; lane < lanes; ++lane) {
        const TraceSpec& spec = config.traces[first + lane];
        TraceEntry entry{spec.trace, spec.path, spec.thread, spec.threshold, block, spec.point, lane,
                         lanes,      0,         {}};
        copy_text(entry.name, spec.name, "trace element");
        std::memcpy(at(at_offsets.traces + (first + lane) * sizeof entry), &entry, sizeof entry);
        rings.push_back({block, spec.threshold, lanes, lane});
      }
      block += TraceRing::bytes(config.traces[first].threshold, lanes);
      first += lanes;
    }
  }
};

Segment::Segment(const Config& config) : state_(std::make_unique<State>()) {
  if (config.traces.size() > max_traces || config.threads.size() > max_threads) {
    throw ConfigurationError(
        fmt::format("{} trace elements and {} threads in one process; allowed: {} and {}",
                    config.traces.size(), config.threads.size(), max_traces, max_threads));
  }
  const Offsets at = offsets(config.threads.size(), config.traces.size(), ring_bytes(config.traces));
  const std::filesystem::path file = config.directory / session_files::own_name(config.identity);
  FileDraft draft(file, at.total, "segment");
  state_->mapping = Mapping(draft.handle(), at.total, true, file);
  state_->states_offset = at.states;
  state_->fill(config, at);
  state_->file = draft.publish();
}

Segment::~Segment() {
  if (!state_ || !state_->file.belongs_to_this_process()) return;  // a copy in a forked child
  reinterpret_cast<Lifecycle*>(state_->at(sizeof(Header)))->ended.store(1, std::memory_order_release);
}

Segment::Segment(Segment&& other) noexcept = default;

TraceWriter Segment::writer(std::size_t index) noexcept {
  const auto& [block, threshold, lanes, lane] = state_->rings[index];
  return {state_->at(block), threshold, lanes, lane};
}

TraceReader Segment::reader(std::size_t index) const noexcept {
  const auto& [block, threshold, lanes, lane] = state_->rings[index];
  return {state_->at(block), threshold, lanes, lane};
}

void Segment::bind_thread(std::size_t index, std::int32_t tid) noexcept {
  auto* const states = reinterpret_cast<ThreadState*>(state_->at(state_->states_offset));
  states[index].tid.store(tid, std::memory_order_release);
}

const std::filesystem::path& Segment::path() const noexcept { return state_->file.path(); }
std::size_t Segment::bytes() const noexcept { return state_->mapping.size(); }

}  // namespace eventspace

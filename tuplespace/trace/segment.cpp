#include "tuplespace/trace/segment.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <mutex>

#include <eventspace/error.h>
#include "tuplespace/processes/process_stat.h"
#include "tuplespace/system/mapping.h"
#include "tuplespace/system/plain_text.h"
#include "tuplespace/system/shared_file.h"
#include "tuplespace/trace/segment_entries.h"
#include "tuplespace/trace/segment_layout.h"
#include "tuplespace/trace/segment_log.h"

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

void check_config(const Segment::Config& config) {
  if (config.traces.size() > max_traces || config.threads.size() > max_threads) {
    throw ConfigurationError(
        fmt::format("{} trace elements and {} threads in one process; allowed: {} and {}",
                    config.traces.size(), config.threads.size(), max_traces, max_threads));
  }
  if (config.log_bytes <= Segment::max_log_bytes) return;
  throw ConfigurationError(fmt::format("found {} bytes for the log of additions to a segment; allowed: {}",
                                       config.log_bytes, Segment::max_log_bytes));
}

void check_text(std::string_view text, std::size_t least, std::size_t most, std::string_view what) {
  if (text.size() >= least && text.size() <= most && is_plain_text(text)) return;
  throw ConfigurationError(fmt::format(
      "the name of a {} has {} bytes{}; allowed: {} to {} bytes of UTF-8 without control characters", what,
      text.size(), is_plain_text(text) ? "" : ", not all of them plain text", least, most));
}

void check_added(std::span<const TraceSpec> traces) {
  if (traces.empty() || traces.size() > TraceRing::max_lanes) {
    throw ConfigurationError(
        fmt::format("{} trace elements to be added to a segment at a time; allowed: 1 to {}", traces.size(),
                    TraceRing::max_lanes));
  }
  for (const TraceSpec& trace : traces) {
    check_threshold(trace);
    check_text(trace.name, 0, segment_name_bytes - 1, "trace element");
    if (trace.thread == traces[0].thread && trace.threshold == traces[0].threshold) continue;
    throw ConfigurationError(fmt::format(
        "trace elements '{}' and '{}' are added together, but have threads {} and {} and discard thresholds "
        "{} and {}; trace elements of a block must have the same",
        traces[0].name, trace.name, traces[0].thread, trace.thread, traces[0].threshold, trace.threshold));
  }
}

}  // namespace

struct Segment::State {
  PublishedFile file;
  std::shared_ptr<Mapping> mapping;
  std::uint64_t states_offset{0};
  std::size_t threads{0};  // of the configuration
  struct Ring {
    std::uint64_t block;
    std::uint32_t threshold;
    std::uint16_t lanes;
    std::uint16_t lane;
    std::uint32_t path;
    std::uint32_t thread;
  };
  std::vector<Ring> rings;  // of the configuration; constant once the segment is made

  std::mutex adding;  // guards the log and `names`; held while an addition waits for memory
  std::optional<SegmentLog> log;
  std::size_t names{0};
  mutable std::mutex added;  // guards the lists; held only briefly, and after `adding`
  std::vector<Ring> added_rings;
  std::vector<std::uint64_t> added_states;  // the offsets of the states of threads

  [[nodiscard]] Ring ring(std::size_t index) const noexcept {
    if (index < rings.size()) return rings[index];
    const std::lock_guard lock(added);
    return added_rings[index - rings.size()];
  }
  [[nodiscard]] std::size_t ring_count() const noexcept {
    const std::lock_guard lock(added);
    return rings.size() + added_rings.size();
  }
  // Empties the rings that `is_chosen` selects.
  template <class IsChosen>
  void empty(IsChosen is_chosen) noexcept {
    if (!file.belongs_to_this_process()) return;  // before the lock, as in add()
    const std::size_t count = ring_count();
    for (std::size_t index = 0; index < count; ++index) {
      const Ring chosen = ring(index);
      if (is_chosen(chosen)) TraceRing::empty(at(chosen.block), chosen.lanes, chosen.lane);
    }
  }
  [[nodiscard]] ThreadState& state(std::size_t index) const noexcept {
    if (index < threads) return reinterpret_cast<ThreadState*>(at(states_offset))[index];
    const std::lock_guard lock(added);
    return *reinterpret_cast<ThreadState*>(at(added_states[index - threads]));
  }

  // Adds an entry of `bytes` bytes, which `write` writes, and whose parts `list` enters into a list of this
  // process. Returns the result of `list`: an index.
  template <class Write, class List>
  std::optional<std::size_t> add(std::uint64_t bytes, Write write, List list) {
    if (!file.belongs_to_this_process()) {  // before the lock, which may have been held when the process was
                                            // forked
      log->count_refused();
      return std::nullopt;
    }
    const std::lock_guard lock(adding);
    const auto offset = log->room_for(bytes);
    const auto index = offset ? list(*offset) : std::nullopt;
    if (!index) {
      log->count_refused();
      return std::nullopt;
    }
    write(*offset);
    log->publish(bytes);
    return index;
  }

  std::optional<std::size_t> list_thread(std::uint64_t offset) {
    const std::lock_guard lock(added);
    if (threads + added_states.size() == max_threads) return std::nullopt;
    added_states.push_back(state_of_thread_entry(offset));
    return threads + added_states.size() - 1;
  }
  std::optional<std::size_t> list_traces(std::uint64_t offset, std::span<const TraceSpec> traces) {
    const auto lanes = static_cast<std::uint16_t>(traces.size());
    const std::lock_guard lock(added);
    const std::size_t first = rings.size() + added_rings.size();
    if (first + lanes > max_traces) return std::nullopt;
    std::vector<Ring> block;
    for (std::uint16_t lane = 0; lane < lanes; ++lane)
      block.push_back({block_of_traces_entry(offset, lanes), traces[lane].threshold, lanes, lane,
                       traces[lane].path, traces[lane].thread});
    added_rings.insert(added_rings.end(), block.begin(), block.end());
    return first;
  }
  std::optional<std::size_t> list_name() {
    if (names == max_names) return std::nullopt;
    return names++;
  }

  [[nodiscard]] std::byte* at(std::uint64_t offset) const noexcept { return mapping->data() + offset; }
  [[nodiscard]] Lifecycle& lifecycle() const noexcept {
    return *reinterpret_cast<Lifecycle*>(at(sizeof(Header)));
  }

  void fill(const Config& config, const Offsets& at_offsets, Header& header) {
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
    header.log_offset = at_offsets.log;
    header.log_bytes = (config.log_bytes + 63) / 64 * 64;
    header.fingerprint = config.identity.fingerprint;
    header.pid = ::getpid();
    header.process_start_ticks = own_start_ticks();
    header.origin = own_origin();
    header.created_realtime_ns =
        config.created_realtime_ns != 0
            ? config.created_realtime_ns
            : std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
    header.keep_ns = config.keep ? config.keep->count() : -1;
    header.thread_count = static_cast<std::uint32_t>(config.threads.size());
    header.trace_count = static_cast<std::uint32_t>(config.traces.size());
    header.threads_offset = at_offsets.threads;
    header.states_offset = at_offsets.states;
    header.traces_offset = at_offsets.traces;
    header.rings_offset = at_offsets.rings;
    header.clock = config.clock;
    if (config.identity.member) {
      header.job = config.identity.member->job;
      header.rank = config.identity.member->rank;
    }
    copy_text(header.session, config.identity.session, "session");
    copy_text(header.node, config.identity.node, "node");
    copy_text(header.process, config.identity.process, "process");
    copy_text(header.annex, config.annex, "annex");
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
        rings.push_back({block, spec.threshold, lanes, lane, spec.path, spec.thread});
      }
      block += TraceRing::bytes(config.traces[first].threshold, lanes);
      first += lanes;
    }
  }
};

Segment::Segment(const Config& config) : state_(std::make_unique<State>()) {
  check_config(config);
  const Offsets at = offsets(config.threads.size(), config.traces.size(), ring_bytes(config.traces));
  const std::filesystem::path file =
      config.directory /
      session_files::own_name(config.identity,
                              config.annex.empty() ? "" : session_files::suffix_of_annex(config.annex));
  Header header = State::make_header(config, at);
  FileDraft draft(file, at.log, "segment");
  // The file ends where the log begins: only addresses are mapped for the log here.
  state_->mapping = std::make_shared<Mapping>(draft.handle(), at.log + header.log_bytes, true, file);
  state_->states_offset = at.states;
  state_->threads = config.threads.size();
  header.origin.has_lock = draft.is_locked() ? 1 : 0;
  state_->fill(config, at, header);
  state_->log.emplace(file, draft.handle(), state_->at(0), header);
  state_->file = draft.publish();
}

Segment::~Segment() {
  if (!state_ || !state_->file.belongs_to_this_process()) return;  // a copy in a forked child
  state_->lifecycle().ended.store(1, std::memory_order_release);
  if (SegmentKeeping::is_asked_for()) state_->file.leave();
}

bool SegmentKeeping::is_asked_for() noexcept {
  const char* const asked = std::getenv(variable);
  return asked != nullptr && std::string_view(asked) == "1";
}

Segment::Segment(Segment&& other) noexcept = default;

TraceWriter Segment::writer(std::size_t index) noexcept {
  const State::Ring ring = state_->ring(index);
  return {state_->at(ring.block), ring.threshold, ring.lanes, ring.lane};
}

std::uint64_t Segment::block_offset(std::size_t index) const noexcept { return state_->ring(index).block; }

TraceReader Segment::reader(std::size_t index) const noexcept {
  const State::Ring ring = state_->ring(index);
  return {state_->at(ring.block), ring.threshold, ring.lanes, ring.lane};
}

void Segment::empty(std::size_t index) noexcept {
  if (!state_->file.belongs_to_this_process()) return;  // before the lock, as in State::add
  const State::Ring ring = state_->ring(index);
  TraceRing::empty(state_->at(ring.block), ring.lanes, ring.lane);
}
void Segment::empty_path(std::uint32_t path) noexcept {
  state_->empty([path](const State::Ring& ring) { return ring.path == path; });
}
void Segment::empty_thread(std::uint32_t thread) noexcept {
  state_->empty([thread](const State::Ring& ring) { return ring.thread == thread; });
}
void Segment::empty_all() noexcept {
  state_->empty([](const State::Ring& /*ring*/) { return true; });
}

void Segment::bind_thread(std::size_t index, std::int32_t tid) noexcept {
  state_->state(index).tid.store(tid, std::memory_order_release);
}

std::optional<std::size_t> Segment::add_thread(std::uint32_t number, std::int32_t tid) {
  return state_->add(
      thread_entry_bytes(),
      [&](std::uint64_t offset) { write_thread_entry(state_->at(0), offset, number, tid); },
      [&](std::uint64_t offset) { return state_->list_thread(offset); });
}

std::optional<std::size_t> Segment::add_traces(std::span<const TraceSpec> traces) {
  check_added(traces);
  const std::uint32_t threshold = traces[0].threshold;
  const auto lanes = static_cast<std::uint16_t>(traces.size());
  return state_->add(
      traces_entry_bytes(threshold, lanes),
      [&](std::uint64_t offset) { write_traces_entry(state_->at(0), offset, traces); },
      [&](std::uint64_t offset) { return state_->list_traces(offset, traces); });
}

bool Segment::add_name(const SegmentName& name) {
  check_text(name.text, 1, SegmentName::max_bytes, "number in a segment");
  return state_
      ->add(
          name_entry_bytes(name.text.size()),
          [&](std::uint64_t offset) { write_name_entry(state_->at(0), offset, name); },
          [&](std::uint64_t /*offset*/) { return state_->list_name(); })
      .has_value();
}

// A forked child does not share its parent's segment.
void Segment::count_unrecorded(std::uint64_t count) noexcept {
  if (!state_->file.belongs_to_this_process()) return;
  state_->lifecycle().unrecorded.fetch_add(count, std::memory_order_relaxed);
}

std::shared_ptr<const void> Segment::memory() const noexcept { return state_->mapping; }
const std::filesystem::path& Segment::path() const noexcept { return state_->file.path(); }
std::size_t Segment::bytes() const noexcept { return state_->log->begin() + state_->log->reserved_bytes(); }

}  // namespace eventspace

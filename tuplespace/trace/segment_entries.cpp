#include "tuplespace/trace/segment_entries.h"

#include <fmt/format.h>

#include <cstring>
#include <string>

#include "tuplespace/system/plain_text.h"
#include "tuplespace/system/shared_file.h"

namespace eventspace::segment_layout {
namespace {

constexpr std::uint64_t line = 64;
constexpr std::uint64_t whole_lines(std::uint64_t bytes) noexcept { return (bytes + line - 1) / line * line; }

constexpr std::uint64_t fixed_thread_bytes = line;
constexpr std::uint64_t fixed_traces_bytes(std::size_t lanes) noexcept {
  return line + lanes * sizeof(TraceEntry);
}

// The lower half, which checksum_of() has mixed with the upper one. Mixing them again would undo that.
std::uint32_t entry_checksum(std::span<const std::byte> fixed) noexcept {
  return static_cast<std::uint32_t>(checksum_of(checksum_seed, fixed));
}

// The checksum is computed while its field is still zero, and stored last.
void write_head(std::byte* at, LogEntry head, std::uint64_t fixed_bytes) noexcept {
  head.checksum = 0;
  std::memcpy(at, &head, sizeof head);
  head.checksum = entry_checksum({at, fixed_bytes});
  std::memcpy(at, &head, sizeof head);
}

// --- reading ----------------------------------------------------------------------------------------

LogEntry head_in(const std::byte* at) noexcept {
  LogEntry head;
  std::memcpy(&head, at, sizeof head);
  return head;
}

[[noreturn]] void refuse(const std::string& why) { throw InvalidEntry(why); }

// Returns the bytes of the fixed part.
std::uint64_t fixed_bytes_of(const LogEntry& head) {
  switch (head.type) {
    case LogEntryType::thread:
      return fixed_thread_bytes;
    case LogEntryType::traces:
      if (head.count < 1 || head.count > TraceRing::max_lanes)
        refuse(fmt::format("it has {} trace elements; allowed: 1 to {}", head.count, TraceRing::max_lanes));
      return fixed_traces_bytes(head.count);
    case LogEntryType::name:
      if (head.count < 1 || head.count > SegmentName::max_bytes)
        refuse(fmt::format("its text has {} bytes; allowed: 1 to {}", head.count, SegmentName::max_bytes));
      return name_entry_bytes(head.count);
  }
  refuse(fmt::format("its type {} is unknown", static_cast<unsigned>(head.type)));
}

/// The fixed part of an entry, copied out of the segment.
class FixedPart {
 public:
  FixedPart(const std::byte* at, std::uint64_t available) {
    if (available < line) refuse(fmt::format("only {} bytes are left for it", available));
    const std::uint64_t bytes = fixed_bytes_of(head_in(at));
    if (bytes > available) refuse(fmt::format("it needs {} bytes; {} are left", bytes, available));
    bytes_.assign(at, at + bytes);
    // From here on only the copy counts, whose head may differ from the head read before.
    head_ = head_in(bytes_.data());
    if (fixed_bytes_of(head_) != bytes) refuse("it changes while it is read");
    check_sum();
    if (head_.bytes > available || head_.bytes % line != 0 || head_.bytes < bytes)
      refuse(fmt::format("its size is {}; {} bytes are left", head_.bytes, available));
  }

  [[nodiscard]] const LogEntry& head() const noexcept { return head_; }
  [[nodiscard]] const std::byte* at(std::uint64_t offset) const noexcept { return bytes_.data() + offset; }
  void require_bytes(std::uint64_t expected) const {
    if (head_.bytes != expected) refuse(fmt::format("its size is {} instead of {}", head_.bytes, expected));
  }

 private:
  void check_sum() {
    LogEntry without = head_;
    without.checksum = 0;
    std::memcpy(bytes_.data(), &without, sizeof without);
    if (entry_checksum(bytes_) != head_.checksum) refuse("its checksum is wrong");
  }

  std::vector<std::byte> bytes_;
  LogEntry head_{};
};

AddedThread read_thread(const FixedPart& entry, std::uint64_t offset) {
  entry.require_bytes(thread_entry_bytes());
  return {entry.head().number, state_of_thread_entry(offset)};
}

TraceSpec read_trace(const FixedPart& entry, std::uint16_t lane, const TraceEntry& first,
                     std::uint64_t block) {
  TraceEntry trace;
  std::memcpy(&trace, entry.at(line + lane * sizeof trace), sizeof trace);
  const bool sound = trace.lane == lane && trace.lanes == entry.head().count && trace.block == block &&
                     trace.thread == entry.head().number && trace.threshold == first.threshold;
  if (!sound) refuse(fmt::format("its trace element {} is invalid", lane));
  if (!has_end(trace.name) || !is_plain_text(text_in(trace.name)))
    refuse(fmt::format("the name of its trace element {} is not terminated or no plain text", lane));
  return {
      std::string(text_in(trace.name)), trace.trace, trace.path, trace.thread, trace.point, trace.threshold};
}

AddedTraces read_traces(const FixedPart& entry, std::uint64_t offset) {
  const std::uint32_t lanes = entry.head().count;
  TraceEntry first;
  std::memcpy(&first, entry.at(line), sizeof first);
  if (first.threshold < 1 || first.threshold > max_threshold)
    refuse(fmt::format("its discard threshold is {}; allowed: 1 to {}", first.threshold, max_threshold));
  entry.require_bytes(traces_entry_bytes(first.threshold, lanes));
  AddedTraces added;
  added.block = block_of_traces_entry(offset, lanes);
  for (std::uint16_t lane = 0; lane < lanes; ++lane)
    added.specs.push_back(read_trace(entry, lane, first, added.block));
  return added;
}

SegmentName read_name(const FixedPart& entry) {
  entry.require_bytes(name_entry_bytes(entry.head().count));
  SegmentName name{entry.head().of, entry.head().number, {}};
  name.text.assign(reinterpret_cast<const char*>(entry.at(sizeof(LogEntry))), entry.head().count);
  if (!is_plain_text(name.text)) refuse("its text is not UTF-8 or has control characters");
  return name;
}

void require_room(std::size_t wanted, std::size_t room, const char* what, std::size_t most) {
  if (wanted > room) refuse(fmt::format("the segment has more than {} {}", most, what));
}

}  // namespace

std::uint64_t thread_entry_bytes() noexcept { return fixed_thread_bytes + sizeof(ThreadState); }
std::uint64_t traces_entry_bytes(std::uint32_t threshold, std::size_t lanes) noexcept {
  return fixed_traces_bytes(lanes) + TraceRing::bytes(threshold, static_cast<std::uint16_t>(lanes));
}
std::uint64_t name_entry_bytes(std::size_t text_bytes) noexcept {
  return whole_lines(sizeof(LogEntry) + text_bytes);
}

std::uint64_t state_of_thread_entry(std::uint64_t offset) noexcept { return offset + fixed_thread_bytes; }
std::uint64_t block_of_traces_entry(std::uint64_t offset, std::size_t lanes) noexcept {
  return offset + fixed_traces_bytes(lanes);
}

void write_thread_entry(std::byte* segment, std::uint64_t offset, std::uint32_t number,
                        std::int32_t tid) noexcept {
  auto* const state = reinterpret_cast<ThreadState*>(segment + state_of_thread_entry(offset));
  state->tid.store(tid, std::memory_order_relaxed);  // published with the entry
  const auto bytes = static_cast<std::uint32_t>(thread_entry_bytes());
  write_head(segment + offset, {bytes, 0, LogEntryType::thread, 0, number, 0}, fixed_thread_bytes);
}

void write_traces_entry(std::byte* segment, std::uint64_t offset, std::span<const TraceSpec> traces) {
  const auto lanes = static_cast<std::uint16_t>(traces.size());
  std::uint16_t lane = 0;
  for (const TraceSpec& spec : traces) {
    TraceEntry entry{spec.trace,
                     spec.path,
                     spec.thread,
                     spec.threshold,
                     block_of_traces_entry(offset, lanes),
                     spec.point,
                     lane,
                     lanes,
                     0,
                     {}};
    copy_text(entry.name, spec.name, "trace element");
    std::memcpy(segment + offset + line + lane * sizeof entry, &entry, sizeof entry);
    ++lane;
  }
  const auto bytes = static_cast<std::uint32_t>(traces_entry_bytes(traces[0].threshold, lanes));
  write_head(segment + offset, {bytes, 0, LogEntryType::traces, 0, traces[0].thread, lanes},
             fixed_traces_bytes(lanes));
}

void write_name_entry(std::byte* segment, std::uint64_t offset, const SegmentName& name) noexcept {
  std::memcpy(segment + offset + sizeof(LogEntry), name.text.data(), name.text.size());
  const auto bytes = static_cast<std::uint32_t>(name_entry_bytes(name.text.size()));
  const auto count = static_cast<std::uint32_t>(name.text.size());
  write_head(segment + offset, {bytes, 0, LogEntryType::name, name.of, name.number, count}, bytes);
}

CheckedEntry read_entry(const std::byte* segment, std::uint64_t offset, std::uint64_t end, const Room& room) {
  const FixedPart entry(segment + offset, end - offset);
  const LogEntry& head = entry.head();
  switch (head.type) {
    case LogEntryType::thread:
      require_room(1, room.threads, "threads", max_threads);
      return {head.bytes, read_thread(entry, offset)};
    case LogEntryType::traces:
      require_room(head.count, room.traces, "trace elements", max_traces);
      return {head.bytes, read_traces(entry, offset)};
    case LogEntryType::name:
      require_room(1, room.names, "names", max_names);
      return {head.bytes, read_name(entry)};
  }
  refuse("its type is unknown");  // fixed_bytes_of() has already refused it
}

}  // namespace eventspace::segment_layout

// Opens any bytes as a segment. Values that a forger can know are corrected first: magic, version and
// checksums.

#include <cstring>

#include "tests/fuzz/fuzz.h"
#include "tests/tuplespace/trace/forged_entry.h"
#include "tests/tuplespace/trace/segment_talk.h"
#include "tuplespace/trace/segment_layout.h"

namespace eventspace {
namespace {

using namespace segment_layout;

constexpr std::size_t line = 64;

// The part of an entry that its checksum covers, as large as its bytes allow.
std::size_t fixed_bytes(const LogEntry& head) {
  switch (head.type) {
    case LogEntryType::thread:
      return line;
    case LogEntryType::traces:
      return line + std::size_t{head.count} * sizeof(TraceEntry);
    case LogEntryType::name:
      return head.bytes;
  }
  return head.bytes;
}

void seal_log(std::string& bytes, const Header& header) {
  std::uint64_t end = 0;
  std::memcpy(&end, bytes.data() + sizeof(Header) + offsetof(Lifecycle, log_end), sizeof end);
  end = std::min<std::uint64_t>(end, bytes.size()) + header.log_offset;
  for (std::uint64_t at = header.log_offset; at + line <= std::min<std::uint64_t>(end, bytes.size());) {
    auto* const entry = reinterpret_cast<std::byte*>(bytes.data()) + at;
    const LogEntry head = test::head_at(entry);
    const std::size_t fixed = fixed_bytes(head);
    if (fixed < sizeof head || fixed > bytes.size() - at || head.bytes < line) return;
    test::seal(entry, head, fixed);
    at += head.bytes;
  }
}

void seal(std::string& bytes) {
  if (bytes.size() < sizeof(Header) + sizeof(Lifecycle)) return;
  Header header;
  std::memcpy(&header, bytes.data(), sizeof header);
  header.magic = magic;
  header.layout_version = layout_version;
  header.byte_order = byte_order_mark;
  const std::size_t threads = std::size_t{header.thread_count} * 4;
  const std::size_t traces = std::size_t{header.trace_count} * sizeof(TraceEntry);
  const auto lies_inside = [&](std::uint64_t offset, std::size_t size) {
    return offset <= bytes.size() && size <= bytes.size() - offset;
  };
  if (lies_inside(header.threads_offset, threads) && lies_inside(header.traces_offset, traces)) {
    const auto all = std::as_bytes(std::span(bytes));
    header.checksum = checksum(header, all.subspan(header.threads_offset, threads),
                               all.subspan(header.traces_offset, traces));
  }
  std::memcpy(bytes.data(), &header, sizeof header);
  if (header.log_offset <= bytes.size()) seal_log(bytes, header);
}

std::string segment_with_everything() {
  const test::TemporaryDirectory directory;
  Segment segment(test::small_segment(directory.path()));
  TraceWriter writer = segment.writer(0);
  for (std::uint64_t s = 1; s <= 6; ++s) test::record(writer, s);
  test::begin_pattern(writer, 7);
  (void)segment.add_thread(17, 4711);
  const std::vector<TraceSpec> added{test::added_trace("added/0", 9), test::added_trace("added/1", 10)};
  (void)segment.add_traces(added);
  (void)segment.add_name({1, 17, "a name"});
  std::string content = fuzz::content_of(segment.path());
  Header header;
  std::memcpy(&header, content.data(), sizeof header);
  content.resize(std::min<std::size_t>(content.size(), header.log_offset + 4096));
  return content;
}

}  // namespace
}  // namespace eventspace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const eventspace::fuzz::ScratchFile file("segment");
  std::string bytes(data, data + size);
  eventspace::seal(bytes);
  if (!eventspace::test::refusal_of(file.with(bytes)).empty()) return 0;
  try {
    eventspace::SegmentView view(file.with(bytes));
    (void)view.refresh();
    (void)eventspace::test::inventory_of(view);
  } catch (const eventspace::EnvironmentError&) {
  }
  return 0;
}

std::vector<std::string> eventspace::fuzz::seeds() {
  const std::string whole = segment_with_everything();
  Header header;
  std::memcpy(&header, whole.data(), sizeof header);
  return {whole, whole.substr(0, header.log_offset)};
}

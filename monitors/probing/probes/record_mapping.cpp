#include "monitors/probing/probes/record_mapping.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <algorithm>

#include <eventspace/error.h>
#include "monitors/probing/probes/stack_text.h"
#include "monitors/probing/tracing/stopped_calls.h"

namespace eventspace {
namespace {

constexpr std::uint64_t any_place = 0;
constexpr auto no_file = static_cast<std::uint64_t>(-1);

/// Returns the address of the segment.
std::uint64_t map_both(const StoppedCalls& call, const RecordedProbes& recorded, std::uint64_t name,
                       std::uint64_t guard) {
  constexpr auto rights = static_cast<std::uint64_t>(PROT_READ | PROT_WRITE);
  const std::uint64_t file = call.must("open", SYS_open, {name, O_RDWR | O_CLOEXEC | O_NOFOLLOW});
  std::uint64_t segment = 0;
  try {
    segment = call.must("mmap", SYS_mmap, {any_place, recorded.bytes, rights, MAP_SHARED, file, 0});
    call.must("mmap", SYS_mmap,
              {guard, ProbeArea::guard_bytes, rights, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, no_file, 0});
    call.must("madvise", SYS_madvise, {guard, ProbeArea::guard_bytes, MADV_WIPEONFORK});
  } catch (const EnvironmentError&) {
    if (segment != 0) call(SYS_munmap, {segment, recorded.bytes});
    call(SYS_close, {file});
    throw;
  }
  call(SYS_close, {file});
  return segment;
}

bool is_mapped(const std::vector<MappedRange>& ranges, std::uint64_t begin, std::uint64_t inode) {
  return std::ranges::any_of(
      ranges, [&](const MappedRange& range) { return range.begin == begin && range.inode == inode; });
}

void write_rings(const ProcessMemory& memory, const RecordedProbes& recorded, const ProbeArea::Header& header,
                 std::uint64_t segment) {
  std::array<recorded::Ring, recorded::max_rings> rings{};
  for (std::size_t i = 0; i < rings.size(); ++i) {
    rings[i].block = segment + recorded.rings[i].offset;
    rings[i].thread_path = recorded.rings[i].thread_path;
  }
  memory.write(header.data + ProbeArea::rings_at, std::as_bytes(std::span(rings)));
  const std::uint64_t may_record = 1;
  memory.write(guard_of(header), std::as_bytes(std::span(&may_record, 1)));
}

}  // namespace

std::uint64_t guard_of(const ProbeArea::Header& header) { return header.code + ProbeArea::guard_at; }

void map_records(const ProcessMemory& memory, const RecordedProbes& recorded, ProbeArea::Header& header,
                 std::chrono::nanoseconds& longest_stop) {
  const std::int32_t pid = memory.pid();
  const CallSite site = call_site_in(memory, mapped_ranges(pid));
  header.segment_inode = recorded.inode;
  memory.write(header.data, std::as_bytes(std::span(&header, 1)));
  std::uint64_t segment = 0;
  while_stopped(pid, longest_stop, [&](const StoppedProcess& stopped) {
    const TextOnStack name(memory, stopped, recorded.file.string());
    segment = map_both(StoppedCalls(stopped, site), recorded, name.address(), guard_of(header));
    if (is_mapped(mapped_ranges(pid), segment, recorded.inode)) return;
    StoppedCalls(stopped, site)(SYS_munmap, {segment, recorded.bytes});
    throw EnvironmentError(fmt::format(
        "process {} cannot record its probes: {} is a different file there (it runs in a container)", pid,
        recorded.file.string()));
  });
  write_rings(memory, recorded, header, segment);
}

}  // namespace eventspace

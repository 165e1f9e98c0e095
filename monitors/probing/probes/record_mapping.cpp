#include "monitors/probing/probes/record_mapping.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <algorithm>

#include "monitors/probing/probes/stack_text.h"
#include "monitors/probing/tracing/stopped_calls.h"
#include "tuplespace/system/error.h"

namespace eventspace {
namespace {

constexpr std::uint64_t guard_bytes = 4096;
constexpr std::uint64_t any_place = 0;
constexpr auto no_file = static_cast<std::uint64_t>(-1);

struct Addresses {
  std::uint64_t segment{0};
  std::uint64_t guard{0};
};

Addresses map_both(const StoppedCalls& call, const RecordedProbes& recorded, std::uint64_t name) {
  constexpr auto rights = static_cast<std::uint64_t>(PROT_READ | PROT_WRITE);
  const std::uint64_t file = call.must("open", SYS_open, {name, O_RDWR | O_CLOEXEC | O_NOFOLLOW});
  Addresses made;
  try {
    made.segment = call.must("mmap", SYS_mmap, {any_place, recorded.bytes, rights, MAP_SHARED, file, 0});
    made.guard = call.must("mmap", SYS_mmap,
                           {any_place, guard_bytes, rights, MAP_PRIVATE | MAP_ANONYMOUS, no_file, 0});
    call.must("madvise", SYS_madvise, {made.guard, guard_bytes, MADV_WIPEONFORK});
  } catch (const EnvironmentError&) {
    if (made.segment != 0) call(SYS_munmap, {made.segment, recorded.bytes});
    if (made.guard != 0) call(SYS_munmap, {made.guard, guard_bytes});
    call(SYS_close, {file});
    throw;
  }
  call(SYS_close, {file});
  return made;
}

bool is_mapped(const std::vector<MappedRange>& ranges, std::uint64_t begin, std::uint64_t inode) {
  return std::ranges::any_of(
      ranges, [&](const MappedRange& range) { return range.begin == begin && range.inode == inode; });
}

void write_rings(const ProcessMemory& memory, const RecordedProbes& recorded,
                 const ProbeArea::Header& header) {
  std::array<recorded::Ring, recorded::most_rings> rings{};
  for (std::size_t i = 0; i < rings.size(); ++i) {
    rings[i].block = header.segment + recorded.rings[i].offset;
    rings[i].thread_path = recorded.rings[i].thread_path;
  }
  memory.write(header.data + ProbeArea::rings_at, std::as_bytes(std::span(rings)));
  const std::uint64_t may_record = 1;
  memory.write(header.guard, std::as_bytes(std::span(&may_record, 1)));
}

}  // namespace

void map_records(const ProcessMemory& memory, const RecordedProbes& recorded, ProbeArea::Header& header,
                 std::chrono::nanoseconds& longest_stop) {
  const std::int32_t pid = memory.pid();
  const std::uint64_t syscall = syscall_instruction(memory, mapped_ranges(pid));
  while_stopped(pid, longest_stop, [&](const StoppedProcess& stopped) {
    const TextOnStack name(memory, stopped, recorded.file.string());
    const Addresses made = map_both(StoppedCalls(stopped, syscall), recorded, name.address());
    header.segment = made.segment;
    header.guard = made.guard;
    memory.write(header.data, std::as_bytes(std::span(&header, 1)));
  });
  if (!is_mapped(mapped_ranges(pid), header.segment, recorded.inode))
    throw EnvironmentError(
        fmt::format("process {} cannot record its probes: {} is another file for it (it runs in a container)",
                    pid, recorded.file.string()));
  write_rings(memory, recorded, header);
}

std::vector<AddressRange> record_mappings(const ProbeArea::Header& header,
                                          const std::vector<MappedRange>& ranges) {
  std::vector<AddressRange> found;
  for (const MappedRange& range : ranges) {
    const bool is_segment = header.segment != 0 && range.begin == header.segment && range.is_shared &&
                            range.path.find("/eventspace.") != std::string::npos;
    if (is_segment) found.push_back({range.begin, range.end});
    const bool is_guard = header.guard != 0 && range.inode == 0 && range.begin <= header.guard &&
                          header.guard + guard_bytes <= range.end;
    if (is_guard) found.push_back({header.guard, header.guard + guard_bytes});
  }
  return found;
}

}  // namespace eventspace

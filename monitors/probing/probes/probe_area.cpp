#include "monitors/probing/probes/probe_area.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include <eventspace/error.h>
#include "monitors/probing/processes/open_files.h"

namespace eventspace {
namespace {

template <class T>
std::span<std::byte> writable_bytes(T& value) {
  return std::as_writable_bytes(std::span(&value, 1));
}

bool is_plausible(const ProbeArea::Header& header, const ProbeArea& area) {
  const auto is_mapped = [&](std::uint64_t begin, std::uint64_t bytes, bool is_code) {
    return std::ranges::any_of(area.mappings, [&](const MappedRange& range) {
      return range.begin == begin && range.end - range.begin == bytes && range.is_executable == is_code;
    });
  };
  return header.count <= ProbeArea::max_patches && is_mapped(header.code, ProbeArea::code_bytes, true) &&
         is_mapped(header.data, ProbeArea::data_bytes, false);
}

bool is_plausible(const ProbeArea::Entry& entry, const ProbeArea::Header& header,
                  const std::vector<MappedRange>& ranges) {
  const std::uint64_t in_code = entry.trampoline - header.code;
  if (in_code >= ProbeArea::code_bytes || in_code % ProbeArea::code_alignment != 0 ||
      entry.place >= header.count)
    return false;
  return std::ranges::any_of(ranges, [&](const MappedRange& range) {
    return range.is_executable && !range.is_shared && range.inode != 0 && entry.address >= range.begin &&
           entry.address < range.end && range.end - entry.address >= probe_jump_bytes;
  });
}

void read_journal(ProbeArea& area, const ProcessMemory& memory, const std::vector<MappedRange>& ranges) {
  for (const MappedRange& mapping : area.mappings) {
    if (mapping.is_executable) continue;
    ProbeArea::Header header;
    if (memory.read_some(mapping.begin, writable_bytes(header)) != sizeof header ||
        header.magic != ProbeArea::magic)
      continue;
    if (header.version != ProbeArea::version)
      throw EnvironmentError(fmt::format(
          "process {} has probes of another version of EventSpace; remove them with that version: "
          "eventspace probe --pid {} --remove",
          memory.pid(), memory.pid()));
    if (!is_plausible(header, area)) continue;
    area.header = header;
    for (std::size_t i = 0; i < header.count; ++i) {
      ProbeArea::Entry entry;
      const std::uint64_t at = header.data + ProbeArea::header_bytes + i * ProbeArea::entry_bytes;
      memory.read(at, writable_bytes(entry));
      if (is_plausible(entry, header, ranges)) area.entries.push_back(entry);
    }
  }
}

bool is_segment_path(std::string_view path) { return path.find("/eventspace.") != std::string_view::npos; }

ProbeArea& area_with(std::vector<ProbeArea>& areas, std::uint64_t inode) {
  const auto known = std::ranges::find(areas, inode, &ProbeArea::inode);
  if (known != areas.end()) return *known;
  areas.emplace_back().inode = inode;
  return areas.back();
}

void add_descriptors(std::vector<ProbeArea>& areas, std::int32_t pid) {
  for (const OpenFile& file : open_files_of(pid)) {
    const bool is_of_area = file.path.starts_with(std::string("/memfd:") + ProbeArea::file_name + " ");
    if (is_of_area && file.is_writable) area_with(areas, file.inode).descriptors.push_back(file.descriptor);
    for (ProbeArea& area : areas)
      if (area.header && area.header->segment_inode == file.inode && is_segment_path(file.path))
        area.descriptors.push_back(file.descriptor);
  }
}

}  // namespace

std::vector<ProbeArea> areas_in(const ProcessMemory& memory, const std::vector<MappedRange>& ranges) {
  const std::string path = std::string("/memfd:") + ProbeArea::file_name;
  std::vector<ProbeArea> areas;
  for (const MappedRange& range : ranges) {
    if (range.path != path || !range.is_removed) continue;
    area_with(areas, range.inode).mappings.push_back(range);
  }
  for (ProbeArea& area : areas) read_journal(area, memory, ranges);
  add_descriptors(areas, memory.pid());
  return areas;
}

std::vector<AddressRange> memory_of(const ProbeArea& area, const std::vector<MappedRange>& ranges) {
  std::vector<AddressRange> all;
  for (const MappedRange& range : ranges)
    if (area.header && range.is_shared && range.inode == area.header->segment_inode &&
        is_segment_path(range.path))
      all.push_back({range.begin, range.end});
  if (area.mappings.empty()) return all;
  const AddressRange whole{area.mappings.front().begin, area.mappings.front().begin + ProbeArea::all_bytes};
  if (area.mappings.back().end <= whole.end) {
    all.push_back(whole);  // includes the guard, which is not a mapping of the file
  } else {
    for (const MappedRange& range : area.mappings) all.push_back({range.begin, range.end});
  }
  return all;
}

std::optional<std::uint64_t> free_place(const std::vector<MappedRange>& ranges, AddressRange around,
                                        std::uint64_t bytes) {
  constexpr std::uint64_t reach = (std::uint64_t{1} << 31) - (std::uint64_t{1} << 20);
  constexpr std::uint64_t lowest = std::uint64_t{1} << 20;       // the lowest address for users
  constexpr std::uint64_t highest = std::uint64_t{1} << 47;      // the end of user addresses
  constexpr std::uint64_t heap_room = std::uint64_t{256} << 20;  // kept free above a lower region
  constexpr std::uint64_t page = 4096;
  std::optional<std::uint64_t> below;
  std::optional<std::uint64_t> above;
  std::uint64_t free_from = lowest;
  const auto look_at_gap = [&](std::uint64_t end) {
    if (end <= free_from || end - free_from < bytes) return;
    const bool is_below = end <= around.begin;
    const std::uint64_t space = end - free_from - bytes;
    // Above the module, it keeps away from both ends of the gap: the heap grows upwards, and a stack
    // downwards.
    const std::uint64_t apart = std::min(space / 2, heap_room) & ~(page - 1);
    const std::uint64_t place = is_below ? end - bytes : free_from + apart;
    const std::uint64_t farthest = is_below ? around.end - place : place + bytes - around.begin;
    if (farthest > reach) return;
    if (is_below) below = place;
    if (!is_below && free_from >= around.end && !above) above = place;
  };
  for (const MappedRange& range : ranges) {
    look_at_gap(range.begin);
    free_from = std::max(free_from, range.end);
  }
  look_at_gap(highest);
  return below ? below : above;
}

}  // namespace eventspace

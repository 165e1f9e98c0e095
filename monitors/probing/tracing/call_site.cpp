#include "monitors/probing/tracing/call_site.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <span>

#include <eventspace/error.h>

namespace eventspace {
namespace {

constexpr std::array syscall_code{std::byte{0x0f}, std::byte{0x05}};
constexpr std::array syscall_and_return{std::byte{0x0f}, std::byte{0x05}, std::byte{0xc3}};
constexpr std::array restorer_code{std::byte{0x48}, std::byte{0xc7}, std::byte{0xc0},
                                   std::byte{0x0f}, std::byte{0x00}, std::byte{0x00},
                                   std::byte{0x00}, std::byte{0x0f}, std::byte{0x05}};

std::vector<std::byte> bytes_of(const ProcessMemory& memory, const MappedRange& range) {
  std::vector<std::byte> code(range.end - range.begin);
  code.resize(memory.read_some(range.begin, code));
  return code;
}

/// The address of the bytes in the range; 0: not found.
std::uint64_t place_of(Bytes wanted, Bytes code, const MappedRange& range) {
  const auto found = std::search(code.begin(), code.end(), wanted.begin(), wanted.end());
  return found == code.end() ? 0 : range.begin + static_cast<std::uint64_t>(found - code.begin());
}

/// Code mapped from files. The dynamic linker and the C library come first, as nearly every program has them
/// and they contain the wanted code.
std::vector<MappedRange> code_to_search(const std::vector<MappedRange>& ranges) {
  std::vector<MappedRange> code;
  for (const MappedRange& range : ranges)
    if (range.is_executable && !range.is_shared && range.inode != 0) code.push_back(range);
  std::stable_partition(code.begin(), code.end(), [](const MappedRange& range) {
    const std::string name = range.path.substr(range.path.rfind('/') + 1);
    return name.starts_with("ld-") || name.starts_with("ld.") || name.starts_with("libc.") ||
           name.starts_with("libc-");
  });
  return code;
}

}  // namespace

CallSite call_site_in(const ProcessMemory& memory, const std::vector<MappedRange>& ranges) {
  std::uint64_t bytes_left = std::uint64_t{64} << 20;
  for (const MappedRange& range : code_to_search(ranges)) {
    if (range.end - range.begin > bytes_left) continue;
    bytes_left -= range.end - range.begin;
    const std::vector<std::byte> code = bytes_of(memory, range);
    const CallSite site{place_of(syscall_and_return, code, range), place_of(restorer_code, code, range)};
    if (site.instruction != 0 && site.restorer != 0) return site;
  }
  const auto vdso = std::ranges::find(ranges, "[vdso]", &MappedRange::path);
  if (vdso != ranges.end())
    if (const std::uint64_t place = place_of(syscall_code, bytes_of(memory, *vdso), *vdso); place != 0)
      return {place, 0};
  throw EnvironmentError(fmt::format(
      "process {} cannot have probes: found no system call instruction in its code or in the vdso",
      memory.pid()));
}

bool is_in_call_of_tool(const ProcessMemory& memory, const ::user_regs_struct& registers) {
  constexpr std::size_t syscall_bytes = 2;
  std::array<std::byte, syscall_bytes + syscall_and_return.size()> code{};
  if (memory.read_some(registers.rip - syscall_bytes, code) != code.size()) return false;
  const auto is_site = [&](std::size_t from) {
    return std::ranges::equal(std::span(code).subspan(from, syscall_and_return.size()), syscall_and_return);
  };
  if (!is_site(0) && !is_site(syscall_bytes)) return false;
  std::array<std::byte, sizeof(std::uint64_t)> word{};
  if (memory.read_some(registers.rsp, word) != word.size()) return false;
  std::array<std::byte, restorer_code.size()> target{};
  return memory.read_some(std::bit_cast<std::uint64_t>(word), target) == target.size() &&
         target == restorer_code;
}

}  // namespace eventspace

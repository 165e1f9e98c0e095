#include "monitors/probing/symbols/mapped_build_id.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <eventspace/error.h>
#include "monitors/probing/symbols/elf_image.h"

namespace eventspace {

std::string mapped_build_id(const ProcessMemory& memory, const ProcessModule& module) try {
  // Linkers put the notes at the beginning, so they are on the first pages.
  constexpr std::uint64_t most = 65536;
  const auto first = std::ranges::find(module.ranges, std::uint64_t{0}, &MappedRange::offset);
  if (first == module.ranges.end()) return {};
  std::vector<std::byte> head(std::min(first->end - first->begin, most));
  head.resize(memory.read_some(first->begin, head));
  return ElfImage(std::move(head)).build_id();
} catch (const ConfigurationError&) {
  return {};  // the mapped bytes are not the head of an ELF file
}

}  // namespace eventspace

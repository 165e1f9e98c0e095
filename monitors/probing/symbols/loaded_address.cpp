#include "monitors/probing/symbols/loaded_address.h"

namespace eventspace {

std::optional<std::uint64_t> loaded_address(const ProcessModule& module, const ElfImage& image) {
  constexpr std::uint64_t in_page = 4095;
  for (const MappedRange& range : module.ranges) {
    if (!range.is_executable) continue;
    for (const ElfImage::Load& load : image.loads()) {
      const std::uint64_t first = load.offset & ~in_page;
      if (range.offset < first || range.offset >= load.offset + load.file_size) continue;
      if (image.is_code(load.address))
        return range.begin - (range.offset - first) - (load.address & ~in_page);
    }
  }
  return std::nullopt;
}

}  // namespace eventspace

#pragma once

// Private to monitors/.

#include <cstdint>
#include <optional>

#include "monitors/probing/processes/process_modules.h"
#include "monitors/probing/symbols/elf_image.h"

namespace eventspace {

/// What has to be added to an address in the file to get the one in the process; nullopt if no part of the
/// file that is mapped as code is one that its head names.
std::optional<std::uint64_t> loaded_address(const ProcessModule& module, const ElfImage& image);

}  // namespace eventspace

#pragma once

#include <cstdint>
#include <optional>

#include "monitors/probing/processes/process_modules.h"
#include "monitors/probing/symbols/elf_image.h"

namespace eventspace {

/// The offset to add to an address in the file to get the address in the process; nullopt if no code mapping
/// of the module corresponds to a part in the file's head.
std::optional<std::uint64_t> loaded_address(const ProcessModule& module, const ElfImage& image);

}  // namespace eventspace

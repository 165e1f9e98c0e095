#pragma once

#include <string>

#include "monitors/probing/processes/process_modules.h"
#include "monitors/probing/tracing/process_memory.h"

namespace eventspace {

/// The build-id of a module, in hexadecimal, read from the memory of a process: also correct if its file was
/// removed or replaced since. Empty if the module has none, or its head is not mapped.
std::string mapped_build_id(const ProcessMemory& memory, const ProcessModule& module);

}  // namespace eventspace

#pragma once

#include <chrono>
#include <cstdint>

#include "monitors/probing/probes/kept_memory.h"
#include "monitors/probing/probes/probe_area.h"

namespace eventspace {

/// The tool that changes a process. It may differ from the process that requests it (process_probes.h).
struct ProbeOwner {
  std::int32_t pid{0};
  std::uint64_t start_ticks{0};
};

/// Makes a probe region in a process, within reach of the module, and writes its header. `kept` gets its
/// file, if that can be opened here. Raises `longest_stop` to how long the threads were stopped. Throws
/// EnvironmentError with the reason if there is not enough room or a call fails.
ProbeArea::Header make_area(const ProcessMemory& memory, const AddressRange& module, const ProbeOwner& owner,
                            KeptMemory& kept, std::chrono::nanoseconds& longest_stop);

}  // namespace eventspace

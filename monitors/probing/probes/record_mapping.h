#pragma once

#include <chrono>
#include <cstdint>

#include "monitors/probing/probes/probe_area.h"
#include "monitors/probing/probes/recorded_probes.h"

namespace eventspace {

/// Makes a process map the segment in which its probes record, and the guard: the last page of the region,
/// which begins with 1 in this process and with 0 in its forked children (MADV_WIPEONFORK), as a trace
/// element has one writer. First notes the segment in the header of the region, in the process too;
/// afterwards stores the addresses of the rings in its data. Throws EnvironmentError with the reason if the
/// process cannot open the file, because it runs as another user or sees other files under that name.
void map_records(const ProcessMemory& memory, const RecordedProbes& recorded, ProbeArea::Header& header,
                 std::chrono::nanoseconds& longest_stop);

/// The address of the guard.
std::uint64_t guard_of(const ProbeArea::Header& header);

}  // namespace eventspace

#pragma once

// Private to monitors/probing/probes/.

#include <chrono>
#include <cstdint>

#include "monitors/probing/probes/probe_area.h"
#include "monitors/probing/probes/recorded_probes.h"

namespace eventspace {

/// Makes a process map the segment in which its probes record, and the guard: a page that begins with 1 in
/// this process and with 0 in its forked children (MADV_WIPEONFORK), as a trace element has one writer.
/// Stores their addresses in the header of the area, in the process too, and the places of the rings in its
/// data. Throws EnvironmentError with the reason if the process cannot open the file, because it runs as
/// another user or sees other files under that name.
void map_records(const ProcessMemory& memory, const RecordedProbes& recorded, ProbeArea::Header& header,
                 std::chrono::nanoseconds& longest_stop);

/// The mappings of map_records() that a process still has.
std::vector<AddressRange> record_mappings(const ProbeArea::Header& header,
                                          const std::vector<MappedRange>& ranges);

}  // namespace eventspace

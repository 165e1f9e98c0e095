#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "monitors/probing/code/trampoline.h"
#include "monitors/probing/measuring/measuring_layout.h"
#include "monitors/probing/processes/process_modules.h"
#include "monitors/probing/tracing/process_memory.h"
#include "monitors/probing/tracing/traced_process.h"

namespace eventspace {

/// A probe region: the memory of probes in a process. It is an anonymous file (memfd) that the process has
/// mapped three times, within 2 GiB of the module with the functions, followed by a page without a file.
///
///     code (private, r-x)      trampolines, and the code that they call
///     data (shared, rw)        Header | max_patches x Entry | max_probes x measuring::Descriptor
///                              | max_probes x ProbeCounters | max_probes x measuring::MeasureLine[lines]
///                              | max_rings x measuring::recorded::Ring
///                              | measuring::max_variables x measuring::variable_bytes
///     threads (private, rw)    measuring::thread_slots x measuring::ThreadSlot
///     guard                    see map_records(); inaccessible if the probes do not record
///
/// Only used pages take memory. The whole region is reserved first and released last, each by one system
/// call, so other mappings of the process never lie within it. The header and the entries are a journal. An
/// entry is written before the code that it describes is patched, so that a later tool can undo the patches
/// of a tool that was killed: a place is patched if and only if its bytes are the jump to the entry's
/// trampoline. A region without a header was left by a tool that was killed before it wrote one; no function
/// has a probe there. An open file of this name was left by a tool that was killed before the process had
/// closed it.
struct ProbeArea {
  static constexpr const char* file_name =
      "eventspace-probes";  ///< "/memfd:eventspace-probes" in /proc/PID/maps
  static constexpr std::size_t max_probes = measuring::max_probes;
  static constexpr std::size_t max_patches = 1024;  ///< patched entries and exits of functions
  static constexpr std::size_t code_bytes = std::size_t{1} << 20;
  static constexpr std::size_t code_alignment = 16;
  static constexpr std::size_t header_bytes = 64;
  static constexpr std::size_t entry_bytes = 32;
  static constexpr std::size_t measures_bytes = measuring::lines * sizeof(measuring::MeasureLine);
  // Offsets in the data, multiples of 4096.
  static constexpr std::size_t descriptors_at = 36864;
  static constexpr std::size_t counters_at = descriptors_at + max_probes * sizeof(measuring::Descriptor);
  static constexpr std::size_t measures_at = counters_at + max_probes * ProbeCounters::bytes;
  static constexpr std::size_t rings_at = measures_at + max_probes * measures_bytes;
  static constexpr std::size_t variables_at =
      rings_at + measuring::recorded::max_rings * sizeof(measuring::recorded::Ring);
  static constexpr std::size_t data_bytes = variables_at + 4096;
  static constexpr std::size_t threads_bytes = measuring::thread_slots * sizeof(measuring::ThreadSlot);
  static constexpr std::size_t guard_bytes = 4096;
  static constexpr std::size_t guard_at = code_bytes + data_bytes + threads_bytes;  ///< from the code
  static constexpr std::size_t all_bytes = guard_at + guard_bytes;

  struct Header {
    std::uint64_t magic{0};
    std::uint32_t version{0};
    std::int32_t owner_pid{0};  ///< the tool that made the region
    std::uint64_t owner_start_ticks{0};
    std::uint64_t code{0};  ///< addresses in the process
    std::uint64_t data{0};
    std::uint32_t count{0};  ///< number of entries
    std::uint32_t reserved{0};
    std::uint64_t segment_inode{0};  ///< of the segment file in which the probes record; 0: none
    std::uint64_t reserved_word{0};
  };
  struct Entry {
    std::uint64_t address{0};  ///< of the jump
    std::uint64_t trampoline{0};
    std::uint8_t original[8]{};  ///< the first 5 are replaced by the jump
    std::uint8_t is_exit{0};     ///< 1: an exit; another entry of the journal is the function's entry
    std::uint8_t is_removed{0};  ///< 1: its probe was removed individually, and is not switched on again
    std::uint16_t place{0};      ///< index of this entry in the journal
    std::uint32_t probe{0};      ///< the same number for the entry and the exits of a function
  };
  static constexpr std::uint64_t magic = 0x3142'4f52'5056'4545;
  static constexpr std::uint32_t version = 8;

  std::uint64_t inode{0};                 ///< of the file; the same in forked children
  std::vector<MappedRange> mappings;      ///< of the file, by address; the last may be the guard
  std::vector<std::int32_t> descriptors;  ///< open files: the region's and its segment's
  std::optional<Header> header;           ///< nullopt: never written, or damaged
  std::vector<Entry> entries;             ///< the valid ones
};
static_assert(sizeof(ProbeArea::Header) == ProbeArea::header_bytes);
static_assert(sizeof(ProbeArea::Entry) == ProbeArea::entry_bytes);
static_assert(ProbeArea::header_bytes + ProbeArea::max_patches * ProbeArea::entry_bytes <=
              ProbeArea::descriptors_at);
static_assert(measuring::max_variables * measuring::variable_bytes <= 4096);
static_assert(ProbeArea::data_bytes % 4096 == 0 && ProbeArea::threads_bytes % 4096 == 0);

/// Finds the probe regions of a process. The content of its memory is distrusted: entries whose addresses do
/// not lie in code of a file, or in the region's own code, are left out. Throws EnvironmentError if a region
/// was made by another version of EventSpace, whose journal cannot be read.
std::vector<ProbeArea> areas_in(const ProcessMemory& memory, const std::vector<MappedRange>& ranges);

/// The memory of a region and of the segment in which its probes record: the ranges to unmap, the region
/// last. Pure.
std::vector<AddressRange> memory_of(const ProbeArea& area, const std::vector<MappedRange>& ranges);

/// Chooses a free address for `bytes` of memory within 2 GiB of all of `around`: below it if possible, so
/// that the heap above a program can grow. Nullopt if there is not enough room. Pure.
std::optional<std::uint64_t> free_place(const std::vector<MappedRange>& ranges, AddressRange around,
                                        std::uint64_t bytes);

}  // namespace eventspace

#pragma once

// Private to monitors/.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "monitors/probing/code/trampoline.h"
#include "monitors/probing/processes/process_modules.h"
#include "monitors/probing/tracing/process_memory.h"
#include "monitors/probing/tracing/traced_process.h"

namespace eventspace {

/// The memory that probes have in the process that they are in: a file without a name (memfd) of which the
/// process has two mappings, within 2 GiB of the module with the functions.
///
///     code (private, r-x)    most_probes x Trampoline::most_bytes
///     data (shared, rw)      Header | most_probes x Entry | most_probes x ProbeCounters::bytes
///
/// The header and the entries are a journal. An entry is written before the function that it is of is
/// changed, so that whoever comes later can undo what a tool that was killed has left: the function has a
/// probe if and only if its bytes are the jump to the entry's trampoline. Mappings of a file of this name
/// without a header are of a tool that was killed before it wrote one; no function has a probe in them.
struct ProbeArea {
  static constexpr const char* file_name =
      "eventspace-probes";  ///< "/memfd:eventspace-probes" in /proc/PID/maps
  static constexpr std::size_t most_probes = 256;
  static constexpr std::size_t code_bytes = most_probes * Trampoline::most_bytes;
  static constexpr std::size_t header_bytes = 64;
  static constexpr std::size_t entry_bytes = 32;
  static constexpr std::size_t counters_at =
      12288;  ///< in the data; behind header and entries, a multiple of 4096
  static constexpr std::size_t data_bytes = counters_at + most_probes * ProbeCounters::bytes;

  struct Header {
    std::uint64_t magic{0};
    std::uint32_t version{0};
    std::int32_t owner_pid{0};  ///< the tool that made it
    std::uint64_t owner_start_ticks{0};
    std::uint64_t code{0};  ///< addresses in the process
    std::uint64_t data{0};
    std::uint32_t count{0};  ///< of entries
    std::uint32_t reserved[3]{};
    std::uint64_t more_reserved{0};
  };
  struct Entry {
    std::uint64_t address{0};  ///< of the jump
    std::uint64_t trampoline{0};
    std::uint8_t original[8]{};  ///< the first 5 are what the jump replaces
    std::uint8_t reserved[8]{};
  };
  static constexpr std::uint64_t magic = 0x3142'4f52'5056'4545;
  static constexpr std::uint32_t version = 1;

  std::uint64_t inode{0};  ///< of the file: the same in forked children
  std::vector<MappedRange> mappings;
  std::optional<Header> header;  ///< nothing: never written, or damaged
  std::vector<Entry> entries;    ///< those that can be true

  [[nodiscard]] std::uint64_t counters_of(std::size_t probe) const noexcept {
    return header->data + counters_at + probe * ProbeCounters::bytes;
  }
  [[nodiscard]] std::vector<AddressRange> ranges() const;
};
static_assert(sizeof(ProbeArea::Header) == ProbeArea::header_bytes);
static_assert(sizeof(ProbeArea::Entry) == ProbeArea::entry_bytes);
static_assert(ProbeArea::header_bytes + ProbeArea::most_probes * ProbeArea::entry_bytes <=
              ProbeArea::counters_at);

/// Finds the areas that a process has. What is in its memory is distrusted: entries whose addresses do not
/// lie in code of a file, or in the area's own code, are left out.
std::vector<ProbeArea> areas_in(const ProcessMemory& memory, const std::vector<MappedRange>& ranges);

/// Chooses an address for `bytes` of memory that is free and from which all of `around` is within 2 GiB:
/// below it if possible, so that the heap above a program can grow. Nothing if there is no room. Pure.
std::optional<std::uint64_t> free_place(const std::vector<MappedRange>& ranges, AddressRange around,
                                        std::uint64_t bytes);

}  // namespace eventspace

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <variant>
#include <vector>

#include "tuplespace/trace/segment_layout.h"

/// Entries of a segment's log as bytes: writing them, and reading entries that may be damaged or forged.
/// Works only on memory, not on files. See segment_layout.h for the layout.
namespace eventspace::segment_layout {

/// The bytes of whole entries. `lanes` is 1 to TraceRing::max_lanes, `text_bytes` at most
/// SegmentName::max_bytes.
std::uint64_t thread_entry_bytes() noexcept;
std::uint64_t traces_entry_bytes(std::uint32_t threshold, std::size_t lanes) noexcept;
std::uint64_t name_entry_bytes(std::size_t text_bytes) noexcept;

/// Write a whole entry into the zeros at `offset` of a segment. The arguments have been checked: names fit,
/// and trace elements have one thread and threshold.
void write_thread_entry(std::byte* segment, std::uint64_t offset, std::uint32_t number,
                        std::int32_t tid) noexcept;
void write_traces_entry(std::byte* segment, std::uint64_t offset, std::span<const TraceSpec> traces);
void write_name_entry(std::byte* segment, std::uint64_t offset, const SegmentName& name) noexcept;

/// The live parts, given the offset of an entry.
std::uint64_t state_of_thread_entry(std::uint64_t offset) noexcept;
std::uint64_t block_of_traces_entry(std::uint64_t offset, std::size_t lanes) noexcept;

/// The addition of an entry to a segment. Its live part is given as an offset in the segment.
struct AddedThread {
  std::uint32_t number{0};
  std::uint64_t state{0};
};
struct AddedTraces {
  std::vector<TraceSpec> specs;  ///< in the order of their lanes
  std::uint64_t block{0};
};
struct CheckedEntry {
  std::uint64_t bytes{0};
  std::variant<AddedThread, AddedTraces, SegmentName> content;
};

/// The number of each that an entry may add.
struct Room {
  std::size_t threads{0};
  std::size_t traces{0};
  std::size_t names{0};
};

/// Thrown with the reason why an entry is invalid.
class InvalidEntry : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Returns the entry at `offset` of a segment, whose live part ends before `end`. All used data is copied
/// first and checked in the copy, because the owner may write to the memory at the same time. Requires that
/// the memory before `end` can be read. Throws InvalidEntry.
CheckedEntry read_entry(const std::byte* segment, std::uint64_t offset, std::uint64_t end, const Room& room);

}  // namespace eventspace::segment_layout

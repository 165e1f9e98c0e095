#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tuplespace/processes/process_origin.h"
#include "tuplespace/shared/shared_element_layout.h"

namespace eventspace::element_file_layout {

// The memory layout of an element file, version 4; native byte order, every section aligned to 64 bytes.
//
//     0           Header (512 bytes), its checksum over itself and the directory
//     512         Lifecycle
//     576         element_count x Entry
//     elements    the elements in the order of the directory, see shared_element_layout.h
//
// A change of any of this, or of an element's memory, raises layout_version; other versions are refused.

inline constexpr std::uint64_t magic = 0x3154'4c45'5056'4545;
inline constexpr std::uint32_t layout_version = 4;
inline constexpr std::uint32_t byte_order_mark = 0x01020304;
inline constexpr std::uint64_t max_bytes = std::uint64_t{1} << 40;
inline constexpr std::uint32_t max_elements = 1u << 18;

struct Header {
  std::uint64_t magic;
  std::uint32_t layout_version;
  std::uint32_t byte_order;
  std::uint64_t total_bytes;
  std::uint64_t checksum;  ///< computed with this field set to 0
  std::uint64_t fingerprint;
  std::uint64_t process_start_ticks;
  std::int64_t created_realtime_ns;
  std::int32_t pid;
  std::uint32_t element_count;
  char session[64];
  char node[64];
  char process[64];
  ProcessOrigin origin;  ///< the namespace of `pid`
  char padding[208];
};
static_assert(sizeof(Header) == 512);

/// The only data before the elements that changes after publication, on a separate cache line.
struct alignas(64) Lifecycle {
  std::atomic<std::uint32_t> ended;  ///< not 0 once the process has left in an orderly way
};
static_assert(sizeof(Lifecycle) == 64);

struct Entry {
  std::uint64_t offset;
  std::uint64_t room;
  std::uint64_t threshold;
  std::uint64_t max_tuple_bytes;
  std::uint32_t field_count;
  std::uint8_t when_full;
  std::uint8_t reserved[11];
  std::uint8_t fields[Signature::max_fields];
  char name[144];
};
static_assert(sizeof(Entry) == 256);

inline constexpr std::uint64_t directory_offset = sizeof(Header) + sizeof(Lifecycle);
inline std::uint64_t elements_offset(std::uint64_t element_count) noexcept {
  return directory_offset + element_count * sizeof(Entry);
}

std::uint64_t checksum(Header header, std::span<const std::byte> directory) noexcept;

}  // namespace eventspace::element_file_layout

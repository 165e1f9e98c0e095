#pragma once

// Private to tuplespace/.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "tuplespace/trace/clock_calibration.h"
#include "tuplespace/trace/segment.h"

namespace eventspace::segment_layout {

// The memory layout of a segment, version 3; native byte order, every section aligned to 64 bytes.
//
//     0                 Header (512 bytes), its checksum over itself, thread table and directory
//     threads_offset    thread_count  x u32, numbers in the plan
//     states_offset     thread_count  x ThreadState (written while the process runs)
//     traces_offset     trace_count   x TraceEntry
//     rings_offset      blocks of rings, in the order of the directory; see TraceRing. Consecutive trace
//                       elements of one thread and threshold share a block, up to TraceRing::max_lanes
//
// A change of any of this raises layout_version; other versions are refused.

inline constexpr std::uint64_t magic = 0x3147'4553'5056'4545;
inline constexpr std::uint32_t layout_version = 3;
inline constexpr std::uint32_t byte_order_mark = 0x01020304;
inline constexpr std::uint64_t max_bytes = std::uint64_t{1} << 40;
inline constexpr std::uint32_t max_traces = 1u << 22;
inline constexpr std::uint32_t max_threads = 1u << 20;

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
  std::uint32_t thread_count;
  std::uint32_t trace_count;
  std::uint32_t reserved;
  std::uint64_t threads_offset;
  std::uint64_t states_offset;
  std::uint64_t traces_offset;
  std::uint64_t rings_offset;
  ClockCalibration clock;
  char session[64];
  char node[64];
  char process[64];
  char padding[168];
};
static_assert(sizeof(Header) == 512);

/// The only data in the header's page that changes after publication, on a cache line of its own.
struct alignas(64) Lifecycle {
  std::atomic<std::uint32_t> ended;
};
static_assert(sizeof(Lifecycle) == 64);

struct alignas(64) ThreadState {
  std::atomic<std::int32_t> tid;
};
static_assert(sizeof(ThreadState) == 64);

struct TraceEntry {
  std::uint32_t trace;
  std::uint32_t path;
  std::uint32_t thread;
  std::uint32_t threshold;
  std::uint64_t block;  ///< offset of the block that contains its ring
  std::uint16_t point;
  std::uint16_t lane;  ///< of its ring in the block
  std::uint16_t lanes;
  std::uint16_t reserved;
  char name[segment_name_bytes];
};
static_assert(sizeof(TraceEntry) == 128);

struct Offsets {
  std::uint64_t threads, states, traces, rings, total;
};
/// Returns the offsets of the sections for these counts; `ring_bytes` is the sum of TraceRing::bytes of all
/// blocks.
Offsets offsets(std::uint64_t thread_count, std::uint64_t trace_count, std::uint64_t ring_bytes) noexcept;

/// Returns checksum_of() over the immutable sections: header, thread table, directory.
std::uint64_t checksum(Header header, std::span<const std::byte> threads, std::span<const std::byte> traces);

}  // namespace eventspace::segment_layout

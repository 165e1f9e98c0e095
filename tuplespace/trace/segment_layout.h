#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tuplespace/processes/process_origin.h"
#include "tuplespace/trace/clock_calibration.h"
#include "tuplespace/trace/segment.h"

namespace eventspace::segment_layout {

// The memory layout of a segment, version 7; native byte order, every section aligned to 64 bytes.
//
//     0                 Header (512 bytes), its checksum over itself, thread table and directory
//     512               Lifecycle (written while the process runs)
//     threads_offset    thread_count  x u32, numbers in the plan
//     states_offset     thread_count  x ThreadState (written while the process runs)
//     traces_offset     trace_count   x TraceEntry
//     rings_offset      blocks of rings, in the order of the directory; see TraceRing. Consecutive trace
//                       elements of one thread and threshold share a block, up to TraceRing::max_lanes
//     log_offset        the log: entries that the process adds while it runs, see LogEntry. At most log_bytes
//
// The file ends where the reserved memory ends: at log_offset or later. The log is mapped with all of its
// log_bytes when the segment is made or opened; the part after the end of the file is only address space, and
// is not accessed.
//
// Protocol of the log:
// 1. The writer makes the file longer, with memory of zeros, before it writes an entry there.
// 2. It writes the whole entry after log_end, then moves log_end past the entry with a release store. An
//    entry before log_end no longer changes, except its live part.
// 3. A reader loads log_end with acquire, then reads the size of the file, and reads only entries before
//    log_end. So it sees only whole entries, wherever the process was killed.
// 4. log_end never decreases. The order of entries is the order in which they were added.
// tests/tuplespace/trace/log_model_test.cpp enumerates the interleavings.
//
// A change of any of this raises layout_version; other versions are refused.

inline constexpr std::uint64_t magic = 0x3147'4553'5056'4545;
inline constexpr std::uint32_t layout_version = 7;
inline constexpr std::uint32_t byte_order_mark = 0x01020304;
inline constexpr std::uint64_t max_bytes = std::uint64_t{1} << 40;
inline constexpr std::uint32_t max_traces = 1u << 22;
inline constexpr std::uint32_t max_threads = 1u << 20;
inline constexpr std::uint32_t max_names = 1'000'000;

struct Header {
  std::uint64_t magic;
  std::uint32_t layout_version;
  std::uint32_t byte_order;
  std::uint64_t log_offset;
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
  std::uint64_t log_bytes;  ///< at most; a multiple of 64
  ClockCalibration clock;
  char session[64];
  char node[64];
  char process[64];
  char annex[64];        ///< the name of this annex; empty for the segment itself
  std::int64_t keep_ns;  ///< how long the file of a dead process is kept; negative means the session's time
  ProcessOrigin origin;  ///< the namespaces of `pid` and `clock`
  std::uint32_t job;     ///< of MPI; 0: the process belongs to none
  std::uint32_t rank;    ///< in that job
  char padding[32];
};
static_assert(sizeof(Header) == 512);

/// The only data in the header's page that changes after publication, on a separate cache line.
struct alignas(64) Lifecycle {
  std::atomic<std::uint32_t> ended;
  std::atomic<std::uint64_t> log_end;     ///< the bytes of the log that hold entries
  std::atomic<std::uint64_t> refused;     ///< additions to the log that were refused for lack of room
  std::atomic<std::uint64_t> unrecorded;  ///< times that a trace element for recording was missing
};
static_assert(sizeof(Lifecycle) == 64);

struct alignas(64) ThreadState {
  std::atomic<std::int32_t> tid;
};
static_assert(sizeof(ThreadState) == 64);

/// An entry of the directory, and the description of a trace element in the log.
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

enum class LogEntryType : std::uint16_t { thread = 1, traces = 2, name = 3 };

/// An entry of the log begins with this. The fixed part, which the checksum covers, ends at a multiple of 64
/// bytes; a live part, which changes later, follows it.
///
///              fixed part                                          | live part
///     thread   LogEntry, zeros                                     | ThreadState
///     traces   LogEntry, zeros up to 64 bytes, `count` x TraceEntry | their block of rings, see TraceRing
///     name     LogEntry, `count` bytes of text, zeros              |
struct LogEntry {
  std::uint32_t bytes;     ///< of the whole entry; a multiple of 64
  std::uint32_t checksum;  ///< computed with this field set to 0
  LogEntryType type;
  std::uint16_t of;      ///< the class of a name, otherwise 0
  std::uint32_t number;  ///< of the thread, of the thread of the trace elements, or the named number
  std::uint32_t count;   ///< of the trace elements, or of the bytes of a name; 0 for a thread
};
static_assert(sizeof(LogEntry) == 20);

struct Offsets {
  std::uint64_t threads, states, traces, rings, log;
};
/// Returns the offsets of the sections for these counts; `ring_bytes` is the sum of TraceRing::bytes of all
/// blocks.
Offsets offsets(std::uint64_t thread_count, std::uint64_t trace_count, std::uint64_t ring_bytes) noexcept;

/// Returns checksum_of() over the immutable sections: header, thread table, directory.
std::uint64_t checksum(Header header, std::span<const std::byte> threads, std::span<const std::byte> traces);

}  // namespace eventspace::segment_layout

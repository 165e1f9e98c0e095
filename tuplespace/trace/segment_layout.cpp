#include "tuplespace/trace/segment_layout.h"

#include <fmt/format.h>
#include <unistd.h>

#include <eventspace/error.h>
#include "tuplespace/system/shared_file.h"

namespace eventspace::segment_layout {
namespace {

constexpr std::uint64_t align(std::uint64_t offset) noexcept { return (offset + 63) / 64 * 64; }

}  // namespace

Offsets offsets(std::uint64_t thread_count, std::uint64_t trace_count, std::uint64_t ring_bytes) noexcept {
  Offsets at{};
  at.threads = sizeof(Header) + sizeof(Lifecycle);
  at.states = align(at.threads + thread_count * sizeof(std::uint32_t));
  at.traces = at.states + thread_count * sizeof(ThreadState);
  at.rings = at.traces + trace_count * sizeof(TraceEntry);
  at.log = at.rings + ring_bytes;
  return at;
}

std::uint64_t checksum(Header header, std::span<const std::byte> threads, std::span<const std::byte> traces) {
  header.checksum = 0;
  const std::uint64_t of_header = checksum_of(checksum_seed, std::as_bytes(std::span(&header, 1)));
  return checksum_of(checksum_of(of_header, threads), traces);
}

}  // namespace eventspace::segment_layout

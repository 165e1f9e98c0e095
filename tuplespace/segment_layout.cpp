#include "tuplespace/segment_layout.h"

#include <fmt/format.h>
#include <unistd.h>

namespace eventspace::segment_layout {
namespace {

constexpr std::uint64_t align(std::uint64_t offset) noexcept { return (offset + 63) / 64 * 64; }

// FNV-1a, a word at a time where it can: directories of 100 000 elements are checked at each opening.
std::uint64_t hash(std::uint64_t seed, std::span<const std::byte> bytes) noexcept {
  constexpr std::uint64_t prime = 0x100000001b3;
  std::size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    std::uint64_t word = 0;
    __builtin_memcpy(&word, bytes.data() + i, 8);
    seed = (seed ^ word) * prime;
    seed ^= seed >> 32;
  }
  for (; i < bytes.size(); ++i) seed = (seed ^ static_cast<std::uint64_t>(bytes[i])) * prime;
  return seed;
}

bool is_plain(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

}  // namespace

Offsets offsets(std::uint64_t thread_count, std::uint64_t trace_count, std::uint64_t ring_bytes) noexcept {
  Offsets at{};
  at.threads = sizeof(Header) + sizeof(Lifecycle);
  at.states = align(at.threads + thread_count * sizeof(std::uint32_t));
  at.traces = at.states + thread_count * sizeof(ThreadState);
  at.rings = at.traces + trace_count * sizeof(TraceEntry);
  at.total = at.rings + ring_bytes;
  return at;
}

std::uint64_t checksum(Header header, std::span<const std::byte> threads, std::span<const std::byte> traces) {
  header.checksum = 0;
  const std::uint64_t of_header = hash(0xcbf29ce484222325, std::as_bytes(std::span(&header, 1)));
  return hash(hash(of_header, threads), traces);
}

std::string escaped(std::string_view name) {
  std::string result;
  for (const char c : name) {
    if (is_plain(c)) {
      result += c;
    } else {
      result += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return result;
}

std::string file_prefix(std::string_view session, std::string_view node) {
  std::string prefix = fmt::format("eventspace.{}.{}.", ::geteuid(), escaped(session));
  if (!node.empty()) prefix += escaped(node) + ".";
  return prefix;
}

}  // namespace eventspace::segment_layout

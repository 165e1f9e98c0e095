#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tuplespace/system/shared_file.h"
#include "tuplespace/trace/segment_entries.h"

namespace eventspace::test {

inline segment_layout::LogEntry head_at(const std::byte* entry) {
  segment_layout::LogEntry head;
  std::memcpy(&head, entry, sizeof head);
  return head;
}

/// Gives an entry whose fixed part has `fixed_bytes` bytes the head `head` with the correct checksum.
inline void seal(std::byte* entry, segment_layout::LogEntry head, std::size_t fixed_bytes) {
  head.checksum = 0;
  std::memcpy(entry, &head, sizeof head);
  head.checksum = static_cast<std::uint32_t>(checksum_of(checksum_seed, {entry, fixed_bytes}));
  std::memcpy(entry, &head, sizeof head);
}

}  // namespace eventspace::test

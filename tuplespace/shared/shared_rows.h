#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <eventspace/operation.h>
#include "tuplespace/shared/shared_element_layout.h"

namespace eventspace::shared_element {

/// The shared memory of an element holds impossible values. Thrown by SharedRows and SharedTuples, and caught
/// by SharedElement.
struct Damage {
  const char* what;  ///< the fault, such as "its counts"
};

/// The rows and the arena of a shared element: where the bytes of each tuple lie (shared_element_layout.h).
/// Whatever the memory contains, only addresses inside it are accessed. Which rows are kept is not known
/// here: see SharedTuples. Not thread-safe.
class SharedRows {
 public:
  /// `geometry` must outlive it.
  SharedRows(std::byte* memory, const Geometry& geometry) noexcept : memory_(memory), geometry_(geometry) {}

  /// A copy of a row's fields, so that memory that another process can write to is read only once.
  struct Kept {
    std::uint32_t number;
    std::uint64_t sequence;
    std::uint32_t position;
    std::uint32_t size;
    bool gone;
    /// The position in the arena after its bytes.
    [[nodiscard]] std::uint32_t end() const noexcept { return position + (fits_row(size) ? 0 : size); }
  };
  /// Bytes that may lie in two pieces, at the end and at the beginning of the arena.
  struct Halves {
    Bytes first;
    Bytes second;
    [[nodiscard]] std::uint32_t size() const noexcept {
      return static_cast<std::uint32_t>(first.size() + second.size());
    }
  };

  /// Throws Damage if the size is impossible. It is checked here once for all its users.
  [[nodiscard]] Kept kept(std::uint32_t number) const {
    const Row& found = row(number);
    const Kept kept{number, found.sequence, found.position, found.size,
                    found.gone.load(std::memory_order_relaxed) != 0};
    if (kept.size > geometry_.room) throw Damage{"the size of a tuple"};
    return kept;
  }
  [[nodiscard]] Halves bytes_of(const Kept& kept) const noexcept {
    if (fits_row(kept.size)) return {{row(kept.number).bytes.data(), kept.size}, {}};
    const Bytes first = part(kept.position, kept.size);
    const auto begun = static_cast<std::uint32_t>(first.size());
    return {first, part(kept.position + begun, kept.size - begun)};
  }

  /// Writes a row, and its bytes from `position` of the arena if they do not fit in the row. Returns the
  /// position after them.
  std::uint32_t write(std::uint32_t number, std::uint64_t sequence, std::uint32_t position,
                      const Halves& bytes) noexcept {
    const auto begun = static_cast<std::uint32_t>(bytes.first.size());
    Row& fresh = row(number);
    fresh.sequence = sequence;
    fresh.position = position;
    fresh.size = bytes.size();
    fresh.gone.store(0, std::memory_order_relaxed);
    if (fits_row(bytes.size())) {
      std::copy(bytes.first.begin(), bytes.first.end(), fresh.bytes.begin());
      std::copy(bytes.second.begin(), bytes.second.end(), fresh.bytes.begin() + begun);
      return position;
    }
    fill(position, bytes.first);
    fill(position + begun, bytes.second);
    return position + bytes.size();
  }
  /// The store cannot move before earlier ones.
  void mark_gone(std::uint32_t number) noexcept { row(number).gone.store(1, std::memory_order_release); }

 private:
  [[nodiscard]] static bool fits_row(std::uint32_t size) noexcept { return size <= sizeof(Row::bytes); }
  // The masks in the next two keep row and offset inside the memory, whatever value the memory holds.
  [[nodiscard]] Row& row(std::uint32_t number) const noexcept {
    return reinterpret_cast<Row*>(memory_ + sizeof(Head))[number & (geometry_.rows - 1)];
  }
  [[nodiscard]] Bytes part(std::uint32_t position, std::uint32_t size) const noexcept {
    const std::uint64_t offset = position & (geometry_.arena - 1);
    return {memory_ + geometry_.arena_offset() + offset,
            std::min<std::uint64_t>(size, geometry_.arena - offset)};
  }
  void fill(std::uint32_t position, Bytes bytes) noexcept {
    while (!bytes.empty()) {
      const Bytes there = part(position, static_cast<std::uint32_t>(bytes.size()));
      std::memmove(const_cast<std::byte*>(there.data()), bytes.data(), there.size());
      position += static_cast<std::uint32_t>(there.size());
      bytes = bytes.subspan(there.size());
    }
  }

  std::byte* memory_;
  const Geometry& geometry_;
};

}  // namespace eventspace::shared_element

#include "tuplespace/shared/shared_element_layout.h"

#include <algorithm>
#include <bit>

namespace eventspace::shared_element {
namespace {

constexpr std::uint64_t align(std::uint64_t offset) noexcept { return (offset + 63) / 64 * 64; }

/// The size of the smallest possible encoding of a tuple of this signature: one byte for the array, one for a
/// boolean, integer or text, two for bytes, nine for a real.
std::uint64_t min_bytes(const Signature& signature) noexcept {
  std::uint64_t bytes = 1;
  for (const FieldType type : signature.fields()) {
    if (type == FieldType::real)
      bytes += 9;
    else
      bytes += type == FieldType::bytes ? 2 : 1;
  }
  return bytes;
}

}  // namespace

Geometry::Geometry(const ElementConfig& config, std::uint64_t room_bytes) noexcept
    : most(std::clamp<std::uint64_t>(room_bytes / min_bytes(config.signature), 1, config.threshold)),
      room(room_bytes),
      rows(std::bit_ceil(2 * most)),
      arena(std::bit_ceil(2 * room)),
      total(align(arena_offset() + arena)) {}

std::uint64_t Geometry::arena_offset() const noexcept { return align(sizeof(Head) + rows * sizeof(Row)); }

}  // namespace eventspace::shared_element

#pragma once

#include <memory>
#include <span>

#include "tuplespace/tuple.h"

namespace eventspace {

/// Where one field of an encoded tuple is, so that reading it decodes nothing.
struct FieldSlot {
  FieldType type;
  std::uint32_t size;   ///< of a text or bytes, in octets
  std::uint64_t value;  ///< the bits of a scalar, or the offset of a text or bytes in the encoded tuple
};

/// What the copies of a tuple share. One allocation, so that making a tuple costs one and handing it to
/// another thread touches few cache lines:
///
///     +--------+-------------------------+---------------+--------+
///     | Buffer | FieldSlot x field_count | msgpack bytes | unused |
///     +--------+-------------------------+---------------+--------+
///                                        |<-encoded_size->|
struct Tuple::Buffer {
  std::size_t field_count;
  std::size_t encoded_size;

  /// Slots and bytes are not initialised; `encoded_size` is set to `room`.
  static std::shared_ptr<Buffer> allocate(std::size_t field_count, std::size_t room);

  [[nodiscard]] FieldSlot* slots() noexcept { return reinterpret_cast<FieldSlot*>(this + 1); }
  [[nodiscard]] const FieldSlot* slots() const noexcept { return const_cast<Buffer*>(this)->slots(); }
  [[nodiscard]] std::byte* bytes() noexcept { return reinterpret_cast<std::byte*>(slots() + field_count); }
  [[nodiscard]] const std::byte* bytes() const noexcept { return const_cast<Buffer*>(this)->bytes(); }

  [[nodiscard]] std::span<const FieldSlot> all_slots() const noexcept { return {slots(), field_count}; }
  [[nodiscard]] Field field(std::size_t index) const noexcept;
};

}  // namespace eventspace

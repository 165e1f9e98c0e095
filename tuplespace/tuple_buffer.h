#pragma once

// Private to tuplespace/.

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

// What the copies of a tuple share. One allocation, so that making a tuple costs one and handing it to
// another thread touches few cache lines:
//
//     +--------+-------------------------+---------------+--------+
//     | Buffer | FieldSlot x field_count | msgpack bytes | unused |
//     +--------+-------------------------+---------------+--------+
//                                        |<-encoded_size->|
//
// allocate() leaves slots and bytes uninitialised, and sets `encoded_size` to `room`.

inline FieldSlot* Tuple::Buffer::slots() noexcept { return reinterpret_cast<FieldSlot*>(this + 1); }
inline const FieldSlot* Tuple::Buffer::slots() const noexcept { return const_cast<Buffer*>(this)->slots(); }
inline std::byte* Tuple::Buffer::bytes() noexcept {
  return reinterpret_cast<std::byte*>(slots() + field_count);
}
inline const std::byte* Tuple::Buffer::bytes() const noexcept { return const_cast<Buffer*>(this)->bytes(); }
inline std::span<const FieldSlot> Tuple::Buffer::all_slots() const noexcept { return {slots(), field_count}; }

}  // namespace eventspace

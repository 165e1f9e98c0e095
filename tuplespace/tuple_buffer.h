#pragma once

#include <span>

#include <eventspace/tuple.h>

namespace eventspace {

/// The place of one field in an encoded tuple, so that reading the field needs no decoding.
struct FieldSlot {
  FieldType type;
  std::uint32_t size;   ///< of a text or bytes field, in octets
  std::uint64_t value;  ///< the bits of a scalar, or the offset of text or bytes in the encoding
};

// The buffer that the copies of a tuple share. It is one allocation: making a tuple costs no more, and
// passing it to another thread touches few cache lines.
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

#include <eventspace/tuple.h>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <new>

#include <eventspace/error.h>
#include "tuplespace/tuple_buffer.h"

namespace eventspace {

std::shared_ptr<Tuple::Buffer> Tuple::Buffer::allocate(std::size_t field_count, std::size_t room) {
  using Word = std::uint64_t;
  static_assert(alignof(Buffer) <= alignof(Word) && alignof(FieldSlot) <= alignof(Word));
  const std::size_t size = sizeof(Buffer) + field_count * sizeof(FieldSlot) + room;
  // Words, not bytes, so that the memory is aligned for Buffer and FieldSlot. The returned pointer shares the
  // ownership of the array (aliasing constructor): reference count, buffer, slots and bytes are one
  // allocation.
  const auto words = std::make_shared_for_overwrite<Word[]>((size + sizeof(Word) - 1) / sizeof(Word));
  return {words, ::new (words.get()) Buffer{field_count, room}};
}

Field Tuple::Buffer::field(std::size_t index) const noexcept {
  const FieldSlot& slot = slots()[index];
  switch (slot.type) {
    case FieldType::boolean:
      return slot.value != 0;
    case FieldType::integer:
      return static_cast<std::int64_t>(slot.value);
    case FieldType::real:
      return std::bit_cast<double>(slot.value);
    case FieldType::text:
      return std::string_view(reinterpret_cast<const char*>(bytes() + slot.value), slot.size);
    case FieldType::bytes:
      break;
  }
  return Bytes(bytes() + slot.value, slot.size);
}

std::size_t Tuple::field_count() const noexcept { return buffer_ ? buffer_->field_count : 0; }

Signature Tuple::signature() const {
  std::vector<FieldType> types;
  for (std::size_t i = 0; i < field_count(); ++i) types.push_back(buffer_->slots()[i].type);
  return Signature(std::move(types));
}

bool Tuple::has_signature(const Signature& signature) const noexcept {
  const auto& wanted = signature.fields();
  if (wanted.size() != field_count()) return false;
  return wanted.empty() ||
         std::equal(wanted.begin(), wanted.end(), buffer_->slots(),
                    [](FieldType type, const FieldSlot& slot) { return type == slot.type; });
}

Field Tuple::field(std::size_t index) const {
  if (index < field_count()) return buffer_->field(index);
  throw ConfigurationError(
      fmt::format("no field {} in a tuple {}: fields are counted from 0", index, signature().to_string()));
}

void Tuple::throw_wrong_type(std::size_t index, const Field& found, FieldType wanted) const {
  throw ConfigurationError(fmt::format("field {} of a tuple {} is {}, not {}", index, signature().to_string(),
                                       to_string(type_of(found)), to_string(wanted)));
}

Bytes Tuple::encoded() const noexcept {
  return buffer_ ? Bytes(buffer_->bytes(), buffer_->encoded_size) : Bytes();
}

bool operator==(const Tuple& a, const Tuple& b) noexcept {
  if (a.buffer_ == b.buffer_) return true;
  if (a.field_count() != b.field_count()) return false;
  for (std::size_t i = 0; i < a.field_count(); ++i)
    if (!same_value(a.buffer_->field(i), b.buffer_->field(i))) return false;
  return true;
}

}  // namespace eventspace

#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace eventspace {

/// The type of one field of a tuple. The words in brackets are how pathmaps spell it.
enum class FieldType : std::uint8_t {
  boolean,  ///< "bool"
  integer,  ///< "int", signed 64 bits
  real,     ///< "float", IEEE double
  text,     ///< "text", UTF-8 by convention, not checked
  bytes     ///< "bytes", any octets
};

std::string_view to_string(FieldType type) noexcept;
/// The type that a pathmap calls `word`; nothing for any other word.
std::optional<FieldType> field_type_from(std::string_view word) noexcept;

/// The type of a tuple: the ordered types of its fields. An element accepts tuples of one signature only.
class Signature {
 public:
  static constexpr std::size_t max_fields = 64;

  Signature() = default;
  Signature(std::initializer_list<FieldType> fields) : fields_(fields) {}
  explicit Signature(std::vector<FieldType> fields) : fields_(std::move(fields)) {}

  [[nodiscard]] const std::vector<FieldType>& fields() const noexcept { return fields_; }
  [[nodiscard]] std::string to_string() const;  ///< such as "(int, bytes)"
  friend bool operator==(const Signature&, const Signature&) = default;

 private:
  std::vector<FieldType> fields_;
};

/// One field's value. Views into a Tuple or into what the caller passes; see the function that takes it.
using Bytes = std::span<const std::byte>;
using Field = std::variant<bool, std::int64_t, double, std::string_view, Bytes>;

FieldType type_of(const Field& field) noexcept;
/// Same type and same value. Reals compare as numbers, except that a NaN equals every NaN.
bool same_value(const Field& a, const Field& b) noexcept;

struct FieldSlot;

/// A typed, ordered list of values, encoded as one msgpack array in an immutable buffer that copies share.
/// Copying costs a reference count; a default-constructed tuple is empty (no fields, no buffer).
/// Thread-safe to read from many threads, as any const value.
class Tuple {
 public:
  Tuple() = default;

  /// Encodes `fields`, copying what they view. Throws ConfigurationError for more than
  /// Signature::max_fields fields, or a text or bytes of 4 GiB or more.
  static Tuple of(std::initializer_list<Field> fields);
  static Tuple of(std::span<const Field> fields);

  /// Checks and adopts encoded bytes from outside. The bytes must be exactly one msgpack array of at most
  /// Signature::max_fields booleans, integers in the int64 range (unsigned ones too), doubles, strings and
  /// binaries. Throws ConfigurationError saying what was found, and at which offset. Never reads beyond
  /// `encoded`, never allocates more than encoded.size() and some 2 KiB.
  static Tuple decode(Bytes encoded);
  /// The same of bytes that lie in two parts and may change meanwhile: they are read once. They must have
  /// this signature.
  static Tuple decode(Bytes first, Bytes second, const Signature& signature);

  [[nodiscard]] bool empty() const noexcept { return !buffer_; }
  [[nodiscard]] std::size_t field_count() const noexcept;
  [[nodiscard]] Signature signature() const;
  [[nodiscard]] bool has_signature(const Signature& signature) const noexcept;  ///< no allocation

  /// Field `index` (from 0); views live as long as any copy of this tuple. Throws ConfigurationError when
  /// there is no such field.
  [[nodiscard]] Field field(std::size_t index) const;

  /// Field `index` as T, one of the alternatives of Field. Throws ConfigurationError on another type.
  template <class T>
  [[nodiscard]] T get(std::size_t index) const {
    const Field value = field(index);
    if (const T* found = std::get_if<T>(&value)) return *found;
    throw_wrong_type(index, value, type_of(Field(T{})));
  }

  /// The msgpack bytes, valid as long as any copy of this tuple; none for an empty tuple.
  [[nodiscard]] Bytes encoded() const noexcept;
  /// How many those are. Event collectors ask at each operation.
  [[nodiscard]] std::size_t encoded_size() const noexcept { return buffer_ ? buffer_->encoded_size : 0; }

  /// The same fields by same_value(), however they are encoded. An empty tuple equals one of no fields.
  friend bool operator==(const Tuple& a, const Tuple& b) noexcept;

 private:
  struct Buffer {  // what the copies of a tuple share; tuplespace/tuple_buffer.h
    std::size_t field_count;
    std::size_t encoded_size;

    static std::shared_ptr<Buffer> allocate(std::size_t field_count, std::size_t room);
    [[nodiscard]] FieldSlot* slots() noexcept;
    [[nodiscard]] const FieldSlot* slots() const noexcept;
    [[nodiscard]] std::byte* bytes() noexcept;
    [[nodiscard]] const std::byte* bytes() const noexcept;
    [[nodiscard]] std::span<const FieldSlot> all_slots() const noexcept;
    [[nodiscard]] Field field(std::size_t index) const noexcept;
  };
  explicit Tuple(std::shared_ptr<const Buffer> buffer) noexcept : buffer_(std::move(buffer)) {}
  [[noreturn]] void throw_wrong_type(std::size_t index, const Field& found, FieldType wanted) const;

  std::shared_ptr<const Buffer> buffer_;
};

/// Selects tuples: one entry a field, either actual (this very value, by same_value) or formal (any value of
/// this type), as Linda's anti-tuples. Owns its values.
class Template {
 public:
  using Entry = std::variant<FieldType, bool, std::int64_t, double, std::string, std::vector<std::byte>>;

  Template() = default;
  Template(std::initializer_list<Entry> entries) : entries_(entries) {}
  explicit Template(std::vector<Entry> entries) : entries_(std::move(entries)) {}

  [[nodiscard]] const std::vector<Entry>& entries() const noexcept { return entries_; }
  [[nodiscard]] Signature signature() const;
  [[nodiscard]] bool has_signature(const Signature& signature) const noexcept;  ///< no allocation
  [[nodiscard]] bool matches(const Tuple& tuple) const noexcept;                ///< no allocation

 private:
  std::vector<Entry> entries_;
};

}  // namespace eventspace

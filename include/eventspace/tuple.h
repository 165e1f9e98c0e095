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

/// The type of one field of a tuple. In quotes: its name in pathmaps.
enum class FieldType : std::uint8_t {
  boolean,  ///< "bool"
  integer,  ///< "int", signed 64 bits
  real,     ///< "float", IEEE double
  text,     ///< "text", UTF-8 by convention, not checked
  bytes     ///< "bytes", any octets
};

std::string_view to_string(FieldType type) noexcept;
/// Returns the type with the name `word` in pathmaps, or nullopt for an unknown name.
std::optional<FieldType> field_type_from(std::string_view word) noexcept;

/// The type of a tuple: the ordered types of its fields. An element accepts only tuples of one signature.
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

/// The value of one field. Text and bytes are views, into a Tuple or into memory of the caller; the
/// documentation of the function that takes or returns them defines their lifetime.
using Bytes = std::span<const std::byte>;
using Field = std::variant<bool, std::int64_t, double, std::string_view, Bytes>;

FieldType type_of(const Field& field) noexcept;
/// Returns whether both have the same type and value. Reals compare as numbers, except that all NaNs are
/// equal.
bool same_value(const Field& a, const Field& b) noexcept;

struct FieldSlot;

/// A typed, ordered list of values: the unit of communication through elements. It is encoded as one msgpack
/// array in an immutable buffer that all copies share, so a copy costs one reference count. A
/// default-constructed tuple is empty: it is without fields and buffer.
///
/// Thread-safe like a const value: threads may read the same tuple, and copies of it, at the same time.
///
///     const Tuple row = Tuple::of({std::int64_t{42}, std::string_view("north")});
///     row.get<std::int64_t>(0);      // 42
///     row.signature().to_string();   // "(int, text)"
class Tuple {
 public:
  Tuple() = default;

  /// Encodes `fields`, copying the text and bytes that they view. Throws ConfigurationError if there are more
  /// than Signature::max_fields fields, or if a text or bytes field has 4 GiB or more.
  static Tuple of(std::initializer_list<Field> fields);
  static Tuple of(std::span<const Field> fields);

  /// Checks and copies encoded bytes from an untrusted source. They must be exactly one msgpack array of at
  /// most Signature::max_fields booleans, integers in the range of int64 (also if encoded as unsigned),
  /// doubles, strings and binaries. Throws ConfigurationError with the fault and its offset. Never reads
  /// beyond `encoded`, and never allocates more than encoded.size() plus 2 KiB.
  static Tuple decode(Bytes encoded);
  /// The same for bytes in two pieces of memory, which another process may change at the same time: each byte
  /// is read only once. The tuple must have this signature; throws ConfigurationError otherwise.
  static Tuple decode(Bytes first, Bytes second, const Signature& signature);

  [[nodiscard]] bool empty() const noexcept { return !buffer_; }
  [[nodiscard]] std::size_t field_count() const noexcept;
  [[nodiscard]] Signature signature() const;
  [[nodiscard]] bool has_signature(const Signature& signature) const noexcept;  ///< no allocation

  /// Returns field `index`, counted from 0. A view in it stays valid as long as any copy of this tuple
  /// exists. Throws ConfigurationError for an invalid index.
  [[nodiscard]] Field field(std::size_t index) const;

  /// Returns field `index` as T, one of the alternatives of Field. Throws ConfigurationError if the field has
  /// another type, or for an invalid index.
  template <class T>
  [[nodiscard]] T get(std::size_t index) const {
    const Field value = field(index);
    if (const T* found = std::get_if<T>(&value)) return *found;
    throw_wrong_type(index, value, type_of(Field(T{})));
  }

  /// The msgpack encoding, valid as long as any copy of this tuple exists; empty for an empty tuple.
  [[nodiscard]] Bytes encoded() const noexcept;
  /// The size of encoded(), in bytes. Inline, because event collectors call it for each operation.
  [[nodiscard]] std::size_t encoded_size() const noexcept { return buffer_ ? buffer_->encoded_size : 0; }

  /// Returns whether all fields are equal by same_value(), however they are encoded. An empty tuple equals a
  /// tuple without fields.
  friend bool operator==(const Tuple& a, const Tuple& b) noexcept;

 private:
  struct Buffer {  // shared by the copies of a tuple; see tuplespace/tuple_buffer.h
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

/// Selects tuples, like Linda's anti-tuples. It has one entry for each field: an actual (this value, by
/// same_value()) or a formal (any value of this type). A template owns its values.
///
/// Thread-safe like a const value.
///
///     const Template northern({FieldType::integer, std::string("north")});  // any integer, then "north"
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

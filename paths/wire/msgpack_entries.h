#pragma once

// Also used by scopes/. Reading message bodies.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <eventspace/tuple.h>
#include "tuplespace/system/plain_text.h"

namespace eventspace::msgpack_body {

/// Thrown by the readers below, and caught by the function that decodes the body.
class BodyError : public std::runtime_error {
 public:
  BodyError() : std::runtime_error("message body") {}
};

class Entries;
template <std::size_t words>
class WordReader;  // words.h

/// A message body, read once from its first byte to its last with Entries, in place and without building a
/// tree of objects. The body is not trusted: no byte beyond its end is read, whatever sizes it contains. The
/// bytes must outlive it. Not thread-safe.
class Body {
 public:
  static constexpr std::size_t default_depth = 16;

  /// `depth`: maximum nesting of arrays. `owner` keeps the bytes, for readers of views into them.
  explicit Body(Bytes bytes, std::size_t depth = default_depth,
                std::shared_ptr<const void> owner = nullptr) noexcept
      : next_(bytes.data()),
        end_(bytes.data() + bytes.size()),
        depth_left_(depth),
        owner_(std::move(owner)) {}
  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;

  /// Begins the array that is the body.
  Entries array();
  Entries list();
  /// Throws BodyError if there are bytes left.
  void expect_end() const {
    if (next_ != end_) refuse();
  }

 private:
  friend class Entries;

  [[noreturn]] static void refuse();
  [[nodiscard]] std::size_t left() const noexcept { return static_cast<std::size_t>(end_ - next_); }
  [[nodiscard]] std::uint8_t look() const {
    if (next_ == end_) refuse();
    return std::to_integer<std::uint8_t>(*next_);
  }
  std::uint8_t octet() {
    const std::uint8_t octet = look();
    ++next_;
    return octet;
  }
  Bytes take(std::size_t size) {
    if (size > left()) refuse();
    const Bytes taken(next_, size);
    next_ += size;
    return taken;
  }
  /// Reads a number of `octets` octets, the most significant one first.
  std::uint64_t number(std::size_t octets);
  struct Integer {
    bool negative;
    std::uint64_t bits;  ///< two's complement
  };
  Integer integer(std::uint8_t format);
  std::size_t array_size(std::uint8_t format);
  std::size_t text_size(std::uint8_t format);
  std::size_t bytes_size(std::uint8_t format);
  double real(std::uint8_t format);

  const std::byte* next_;
  const std::byte* end_;
  std::size_t depth_left_;
  std::shared_ptr<const void> owner_;
};

/// Reads the entries of a msgpack array, one after another, each with the function for its expected type. A
/// nested array must be read to its end before reading of the outer one continues. All functions throw
/// BodyError if the body is not as expected.
///
///     Entries entries(body);
///     const auto number = entries.integer<std::uint32_t>();
///     for (Entries names = entries.array(); names.more();) add(names.text());
///     entries.expect_end();
class Entries {
 public:
  /// Begins the next array in `body`. Refuses an array with more entries than there are bytes left, because
  /// each entry takes at least one byte; so callers may allocate for left() entries.
  explicit Entries(Body& body) : body_(&body) {
    if (body.depth_left_ == 0) Body::refuse();
    left_ = body.array_size(body.octet());
    if (left_ > body.left()) Body::refuse();
    --body.depth_left_;
  }
  ~Entries() { ++body_->depth_left_; }
  Entries(const Entries&) = delete;
  Entries& operator=(const Entries&) = delete;

  [[nodiscard]] bool more() const noexcept { return left_ > 0; }
  [[nodiscard]] std::size_t left() const noexcept { return left_; }
  void expect_end() const {
    if (more()) Body::refuse();
  }

  /// Begins the next entry, an array. It must be read before further entries of this one.
  Entries array() {
    take_entry();
    return Entries(*body_);
  }
  /// Likewise, an array of any number of elements.
  Entries list() { return array(); }

  template <class Integer>
  Integer integer() {
    const std::uint8_t format = next();
    if (format <= 0x7f) return static_cast<Integer>(format);
    const Body::Integer read = body_->integer(format);
    const auto value = static_cast<std::int64_t>(read.bits);
    if (read.negative ? !std::in_range<Integer>(value) : !std::in_range<Integer>(read.bits)) Body::refuse();
    return static_cast<Integer>(read.bits);
  }
  /// Reads an integer from `least` to `most`.
  template <class Integer>
  Integer integer(Integer least, Integer most) {
    const auto value = integer<Integer>();
    if (value < least || value > most) Body::refuse();
    return value;
  }
  /// Reads the number of elements that follow as further entries.
  std::uint32_t count() { return integer<std::uint32_t>(); }

  /// Reads a value of an enumeration from `first` to `last`, without gaps.
  template <class Enum>
  Enum enumeration(Enum first, Enum last) {
    const auto value = integer<std::underlying_type_t<Enum>>();
    if (value < static_cast<std::underlying_type_t<Enum>>(first) ||
        value > static_cast<std::underlying_type_t<Enum>>(last)) {
      Body::refuse();
    }
    return static_cast<Enum>(value);
  }

  bool boolean() {
    const std::uint8_t format = next();
    if (format != 0xc2 && format != 0xc3) Body::refuse();
    return format == 0xc3;
  }
  double real() { return body_->real(next()); }
  /// Reads a number from `least` to `most`; refuses NaN.
  double real(double least, double most) {
    const double value = real();
    if (!(value >= least && value <= most)) Body::refuse();
    return value;
  }
  /// Returns a view into the body.
  std::string_view text() {
    const Bytes text = body_->take(body_->text_size(next()));
    return {reinterpret_cast<const char*>(text.data()), text.size()};
  }
  /// A text that is only displayed: escaped (tuplespace/system/plain_text.h), because the peer may send
  /// anything.
  std::string shown_text() { return escaped(text()); }
  /// A text of printable characters (is_plain_text); refuses others.
  std::string plain_text() {
    const std::string_view plain = text();
    if (!is_plain_text(plain)) Body::refuse();
    return std::string(plain);
  }
  /// Returns a view into the body.
  Bytes bytes() { return body_->take(body_->bytes_size(next())); }
  /// Likewise; refuses a number of bytes that `multiple` does not divide.
  Bytes bytes(std::size_t multiple) {
    const Bytes block = bytes();
    if (block.size() % multiple != 0) Body::refuse();
    return block;
  }
  /// A block of words, in the bytes of an entry.
  template <std::size_t count>
  WordReader<count> words() {
    return WordReader<count>(bytes());
  }
  /// Likewise; nullopt if the entry has no bytes.
  template <std::size_t count>
  std::optional<WordReader<count>> words_or_none() {
    const Bytes block = bytes();
    return block.empty() ? std::nullopt : std::optional<WordReader<count>>(block);
  }
  /// Keeps the bytes of the body; null if the caller keeps them.
  [[nodiscard]] const std::shared_ptr<const void>& owner() const noexcept { return body_->owner_; }

  /// The type of the next entry: which of the functions above can read it.
  enum class Type : std::uint8_t { array, integer, boolean, real, text, bytes, unknown };
  [[nodiscard]] Type type() const;

 private:
  void take_entry() {
    if (left_ == 0) Body::refuse();
    --left_;
  }
  std::uint8_t next() {
    take_entry();
    return body_->octet();
  }

  Body* body_;
  std::size_t left_;
};

inline Entries Body::array() { return Entries(*this); }
inline Entries Body::list() { return Entries(*this); }

/// Reads a body that is one array, from its first byte to its last: returns the result of `read`, which is
/// called with its Entries. Nullopt if the body is anything else, or `read` throws BodyError.
template <class Read>
auto read_array(Bytes bytes, Read read) -> std::optional<std::invoke_result_t<Read, Entries&>> {
  try {
    Body body(bytes);
    Entries entries(body);
    auto value = read(entries);
    entries.expect_end();
    body.expect_end();
    return value;
  } catch (const BodyError&) {
    return std::nullopt;
  }
}

}  // namespace eventspace::msgpack_body

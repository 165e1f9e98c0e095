#pragma once

// Also used by scopes/. Numbers as one block of 64-bit little-endian words, for fields that every message
// has: cheaper than one msgpack entry for each.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "paths/wire/little_endian.h"
#include "paths/wire/msgpack_entries.h"

namespace eventspace::msgpack_body {

template <std::size_t words>
inline constexpr std::size_t block_bytes = words * sizeof(std::uint64_t);

/// A block of `words` words, while a WordWriter fills it.
template <std::size_t words>
class WordBuffer {
 public:
  /// The block, once all words are written.
  [[nodiscard]] Bytes block() const noexcept { return block_; }
  /// The place of the next word. More than `words` are undefined.
  std::byte* next() noexcept { return &block_[sizeof(std::uint64_t) * written_++]; }

 private:
  std::array<std::byte, block_bytes<words>> block_;
  std::size_t written_{0};
};

/// Writes words into a buffer, to which it is a pointer.
template <std::size_t words>
class WordWriter {
 public:
  explicit WordWriter(WordBuffer<words>& buffer) noexcept : buffer_(&buffer) {}

  template <class Integer>
  void integer(Integer value) const noexcept {
    little_endian::store(buffer_->next(), static_cast<std::uint64_t>(static_cast<std::int64_t>(value)));
  }
  void integer(std::uint64_t value) const noexcept { little_endian::store(buffer_->next(), value); }
  void real(double value) const noexcept {
    little_endian::store(buffer_->next(), std::bit_cast<std::uint64_t>(value));
  }
  void boolean(bool value) const noexcept { integer(std::uint64_t{value}); }

 private:
  WordBuffer<words>* buffer_;
};

/// Reads a block of exactly `words` words. The constructor and the readers throw BodyError for a block of
/// another size and for values out of range.
template <std::size_t words>
class WordReader {
 public:
  explicit WordReader(Bytes block) : next_(block.data()) {
    if (block.size() != block_bytes<words>) throw BodyError();
  }

  template <class Integer>
  Integer integer() {
    const std::uint64_t word = take();
    if constexpr (std::is_same_v<Integer, std::uint64_t>) return word;
    const auto value = static_cast<std::int64_t>(word);
    if (!std::in_range<Integer>(value)) throw BodyError();
    return static_cast<Integer>(value);
  }
  /// Reads an integer from `least` to `most`.
  template <class Integer>
  Integer integer(Integer least, Integer most) {
    const auto value = integer<Integer>();
    if (value < least || value > most) throw BodyError();
    return value;
  }
  template <class Enum>
  Enum enumeration(Enum first, Enum last) {
    const std::uint64_t word = take();
    if (word < static_cast<std::uint64_t>(first) || word > static_cast<std::uint64_t>(last))
      throw BodyError();
    return static_cast<Enum>(word);
  }
  bool boolean() { return enumeration<std::uint8_t>(0, 1) != 0; }
  double real() noexcept { return std::bit_cast<double>(take()); }
  /// Reads a number from `least` to `most`; refuses NaN.
  double real(double least, double most) {
    const double value = real();
    if (!(value >= least && value <= most)) throw BodyError();
    return value;
  }
  /// Reads an error bound, which must not be negative.
  std::int64_t error() {
    const auto error = integer<std::int64_t>();
    if (error < 0) throw BodyError();
    return error;
  }

 private:
  std::uint64_t take() noexcept {
    const auto word = little_endian::load<std::uint64_t>(next_);
    next_ += sizeof word;
    return word;
  }

  const std::byte* next_;
};

}  // namespace eventspace::msgpack_body

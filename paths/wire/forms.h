#pragma once

// Also used by collectors/, scopes/ and monitors/. How one value is written in a message: the forms from
// which layouts (fields.h) are put together.

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "paths/wire/msgpack_body.h"
#include "paths/wire/words.h"

namespace eventspace::wire {

using msgpack_body::Body;
using msgpack_body::BodyError;
using msgpack_body::Entries;
using msgpack_body::EntryWriter;

/// The layout of a struct (fields.h); specialised next to the struct's encoder.
template <class T>
struct Layout;
template <class T>
concept Described = requires {
  Layout<T>::field_count;
};

/// Bounds of an encoded size in bytes.
struct SizeBounds {
  static constexpr std::size_t unbounded = std::numeric_limits<std::size_t>::max();

  std::size_t least{0};
  std::size_t most{0};

  friend constexpr SizeBounds operator+(SizeBounds a, SizeBounds b) noexcept {
    const bool is_bounded = a.most != unbounded && b.most != unbounded;
    return {a.least + b.least, is_bounded ? a.most + b.most : unbounded};
  }
  /// The bounds of at most `times` such values.
  [[nodiscard]] constexpr SizeBounds up_to(std::size_t times) const noexcept {
    return {0, most == unbounded || times == unbounded ? unbounded : most * times};
  }
};

// A *form* is how one value is written. It is a class with these static members:
//
//     std::size_t count(const T&)                  the number of entries that it takes in the enclosing array
//     void write(Sink, const T&)                   Sink: EntryWriter or msgpack_body::WordWriter
//     void read(Source&, T&)                       Source: Entries, msgpack_body::WordReader or RandomSource;
//                                                  throws BodyError
//     template <class T> SizeBounds bounds         of what write() writes
//     std::string_view name                        in docs/wire-format.md

template <class T>
struct DefaultForm;

/// A form that takes one entry.
struct OneEntry {
  template <class T>
  static constexpr std::size_t count(const T& /*value*/) noexcept {
    return 1;
  }
};

/// A form that takes one entry of any size.
struct UnboundedEntry : OneEntry {
  template <class T>
  static constexpr SizeBounds bounds{1, SizeBounds::unbounded};
};

/// An integer, any value of its type; a duration, in its ticks.
struct Integer : OneEntry {
  static constexpr std::string_view name = "integer";
  template <class T>
  static constexpr SizeBounds bounds{1, 1 + sizeof(T)};

  template <class Sink, std::integral T>
  static void write(Sink sink, const T& value) {
    sink.integer(value);
  }
  template <class Sink, class Rep, class Period>
  static void write(Sink sink, const std::chrono::duration<Rep, Period>& value) {
    sink.integer(value.count());
  }
  template <class Source, std::integral T>
  static void read(Source& source, T& value) {
    value = source.template integer<T>();
  }
  template <class Source, class Rep, class Period>
  static void read(Source& source, std::chrono::duration<Rep, Period>& value) {
    value = std::chrono::duration<Rep, Period>(source.template integer<Rep>());
  }
};

struct Boolean : OneEntry {
  static constexpr std::string_view name = "boolean";
  template <class T>
  static constexpr SizeBounds bounds{1, 1};

  template <class Sink>
  static void write(Sink sink, bool value) {
    sink.boolean(value);
  }
  template <class Source>
  static void read(Source& source, bool& value) {
    value = source.boolean();
  }
};

/// A real of 64 bits, any value.
struct Real : OneEntry {
  static constexpr std::string_view name = "real";
  template <class T>
  static constexpr SizeBounds bounds{9, 9};

  template <class Sink>
  static void write(Sink sink, double value) {
    sink.real(value);
  }
  template <class Source>
  static void read(Source& source, double& value) {
    value = source.real();
  }
};

/// A real from Range::least to Range::most; not NaN.
template <class Range>
struct RealIn : Real {
  template <class Source>
  static void read(Source& source, double& value) {
    value = source.real(Range::least, Range::most);
  }
};

/// An integer or duration from `least` to `most`.
template <auto least, auto most>
struct Between : Integer {
  template <class Source, class T>
  static void read(Source& source, T& value) {
    if constexpr (std::integral<T>)
      value = source.template integer<T>(least, most);
    else
      value = T(source.template integer<typename T::rep>(least, most));
  }
};
template <class T>
inline constexpr T greatest = std::numeric_limits<T>::max();
/// An integer of 64 bits that is not negative.
using NotNegative = Between<std::int64_t{0}, greatest<std::int64_t>>;

/// A value of an enumeration; numbers without a name are accepted, too.
struct AnyOf : OneEntry {
  static constexpr std::string_view name = "integer";
  template <class T>
  static constexpr SizeBounds bounds{1, 1 + sizeof(T)};

  template <class Sink, class T>
  static void write(Sink sink, T value) {
    sink.integer(static_cast<std::underlying_type_t<T>>(value));
  }
  template <class Source, class T>
  static void read(Source& source, T& value) {
    value = static_cast<T>(source.template integer<std::underlying_type_t<T>>());
  }
};

/// A value of an enumeration from `first` to `last`, without gaps.
template <auto first, auto last>
struct OneOf : AnyOf {
  template <class Source, class T>
  static void read(Source& source, T& value) {
    value = source.enumeration(first, last);
  }
};

/// A char as an integer from 0 to 255.
struct Octet : OneEntry {
  static constexpr std::string_view name = "u8";
  template <class T>
  static constexpr SizeBounds bounds{1, 2};

  template <class Sink>
  static void write(Sink sink, char value) {
    sink.integer(static_cast<std::uint8_t>(value));
  }
  template <class Source>
  static void read(Source& source, char& value) {
    value = static_cast<char>(source.template integer<std::uint8_t>());
  }
};

/// An integer, or -1 for none.
struct OrMinusOne : OneEntry {
  static constexpr std::string_view name = "i64 (-1: none)";
  template <class T>
  static constexpr SizeBounds bounds{1, 9};

  template <class Sink, class T>
  static void write(Sink sink, const std::optional<T>& value) {
    sink.integer(value ? number_of(*value) : -1);
  }
  template <class Source, class T>
  static void read(Source& source, std::optional<T>& value) {
    const auto number = source.integer(std::int64_t{-1}, most_of<T>());
    value = number < 0 ? std::nullopt : std::optional<T>(static_cast<T>(number));
  }

 private:
  template <class T>
  static std::int64_t number_of(const T& value) noexcept {
    if constexpr (std::integral<T>)
      return static_cast<std::int64_t>(value);
    else
      return value.count();
  }
  template <class T>
  static constexpr std::int64_t most_of() noexcept {
    if constexpr (std::integral<T> && sizeof(T) < sizeof(std::int64_t))
      return std::numeric_limits<T>::max();
    else
      return greatest<std::int64_t>;
  }
};

/// An optional integer as two entries: whether there is one, and the integer or 0.
struct FlagAndInteger {
  static constexpr std::string_view name = "boolean and integer";
  template <class T>
  static constexpr SizeBounds bounds{2, 2 + sizeof(typename T::value_type)};

  template <class T>
  static constexpr std::size_t count(const std::optional<T>& /*value*/) noexcept {
    return 2;
  }
  template <class Sink, std::integral T>
  static void write(Sink sink, const std::optional<T>& value) {
    sink.boolean(value.has_value());
    sink.integer(value.value_or(0));
  }
  template <class Source, std::integral T>
  static void read(Source& source, std::optional<T>& value) {
    const bool has_value = source.boolean();
    const auto number = source.template integer<T>();
    value = has_value ? std::optional<T>(number) : std::nullopt;
  }
};

/// The largest header of a text, of bytes or of an array.
inline constexpr std::size_t largest_entry_header = 5;

/// A text of any bytes, at most `most`.
template <std::size_t most = SizeBounds::unbounded>
struct Text : OneEntry {
  static constexpr std::string_view name = "text";
  template <class T>
  static constexpr SizeBounds bounds = SizeBounds{1, largest_entry_header} + SizeBounds{1, 1}.up_to(most);

  template <class Sink>
  static void write(Sink sink, std::string_view value) {
    sink.text(value);
  }
  template <class Source, class T>
  static void read(Source& source, T& value) {
    value = source.text();
    if (value.size() > most) throw BodyError();
  }
};

/// A text that the reader only displays, and therefore escapes.
struct ShownText : Text<> {
  template <class Source>
  static void read(Source& source, std::string& value) {
    value = source.shown_text();
  }
};

/// A text of printable characters; others are refused.
struct PlainText : Text<> {
  template <class Source>
  static void read(Source& source, std::string& value) {
    value = source.plain_text();
  }
};

/// Bytes that the encoder does not interpret. A member of type Bytes becomes a view into the body.
struct Blob : OneEntry {
  static constexpr std::string_view name = "bytes";
  template <class T>
  static constexpr SizeBounds bounds{2, SizeBounds::unbounded};

  template <class Sink>
  static void write(Sink sink, Bytes value) {
    sink.bytes(value);
  }
  template <class Source>
  static void read(Source& source, Bytes& value) {
    value = source.bytes();
  }
  template <class Source>
  static void read(Source& source, std::vector<std::byte>& value) {
    const Bytes bytes = source.bytes();
    value.assign(bytes.begin(), bytes.end());
  }
};

/// A described struct: an array of its fields.
struct Structure : OneEntry {
  static constexpr std::string_view name = "array";
  template <class T>
  static constexpr SizeBounds bounds = SizeBounds{1, largest_entry_header} + Layout<T>::bounds;

  template <class Sink, class T>
  static void write(Sink sink, const T& value) {
    sink.array(Layout<T>::count(value));
    Layout<T>::write(sink, value);
  }
  template <class Source, class T>
  static void read(Source& source, T& value) {
    auto entries = source.array();
    Layout<T>::read(entries, value);
    entries.expect_end();
  }
};

/// A described struct whose fields are entries of the enclosing array, or words of the enclosing block.
struct Flattened {
  static constexpr std::string_view name = "its fields";
  template <class T>
  static constexpr SizeBounds bounds = Layout<T>::bounds;
  template <class T>
  static constexpr std::size_t words = Layout<T>::words;

  template <class T>
  static constexpr std::size_t count(const T& value) noexcept {
    return Layout<T>::count(value);
  }
  template <class Sink, class T>
  static void write(Sink sink, const T& value) {
    Layout<T>::write(sink, value);
  }
  template <class Source, class T>
  static void read(Source& source, T& value) {
    Layout<T>::read(source, value);
  }
};

/// A vector: an array of at most `most` elements, each with `Form`. Flattened elements put their fields
/// directly into the array, which is fast for many small structs.
template <class Form, std::size_t most = SizeBounds::unbounded>
struct List : OneEntry {
  static constexpr std::string_view name = "array of";
  using Element = Form;
  template <class T>
  static constexpr SizeBounds bounds = SizeBounds{1, largest_entry_header} +
                                       Form::template bounds<typename T::value_type>.up_to(most);

  template <class Sink, class T>
  static void write(Sink sink, const T& list) {
    std::size_t entries = 0;
    for (const auto& element : list) entries += Form::count(element);
    sink.array(entries);
    for (const auto& element : list) Form::write(sink, element);
  }
  template <class Source, class T>
  static void read(Source& source, std::vector<T>& list) {
    constexpr std::size_t max_at_once = 1000;  // a peer must not make us reserve much memory with few bytes
    auto entries = source.list();
    list.clear();
    list.reserve(std::min(entries.left() / Form::count(T{}), max_at_once));
    while (entries.more()) {
      if (list.size() == most) throw BodyError();
      Form::read(entries, list.emplace_back());
    }
  }
};

/// A described struct as one block of 64-bit words: cheaper than an array, for numbers in every message.
struct WordBlock : OneEntry {
  static constexpr std::string_view name = "words";
  template <class T>
  static constexpr std::size_t words = Layout<T>::words;
  template <class T>
  static constexpr SizeBounds bounds{2 + 8 * Layout<T>::words, 3 + 8 * Layout<T>::words};

  template <class Sink, class T>
  static void write(Sink sink, const T& value) {
    msgpack_body::WordBuffer<words<T>> block;
    Layout<T>::write(msgpack_body::WordWriter(block), value);
    sink.bytes(block.block());
  }
  template <class Source, class T>
  static void read(Source& source, T& value) {
    auto block = source.template words<words<T>>();
    Layout<T>::read(block, value);
  }
};

/// An optional described struct as a block of words, which is empty for none.
struct OptionalWordBlock : OneEntry {
  static constexpr std::string_view name = "words";
  template <class T>
  static constexpr SizeBounds bounds{2, WordBlock::bounds<typename T::value_type>.most};

  template <class Sink, class T>
  static void write(Sink sink, const std::optional<T>& value) {
    if (!value) return sink.bytes({});
    WordBlock::write(sink, *value);
  }
  template <class Source, class T>
  static void read(Source& source, std::optional<T>& value) {
    value.reset();
    if (auto block = source.template words_or_none<Layout<T>::words>())
      Layout<T>::read(*block, value.emplace());
  }
};

/// An optional value with `Form`, which may only be the last entry of its array: none if it is not there.
template <class Form>
struct Trailing {
  static constexpr std::string_view name = "optional";
  using Optional = Form;
  template <class T>
  static constexpr SizeBounds bounds = Form::template bounds<typename T::value_type>.up_to(1);

  template <class T>
  static constexpr std::size_t count(const std::optional<T>& value) noexcept {
    return value ? Form::count(*value) : 0;
  }
  template <class Sink, class T>
  static void write(Sink sink, const std::optional<T>& value) {
    if (value) Form::write(sink, *value);
  }
  template <class Source, class T>
  static void read(Source& source, std::optional<T>& value) {
    value.reset();
    if (source.more()) Form::read(source, value.emplace());
  }
};

/// A value with `Form` that is the last entry of its array, and that earlier versions do not write: it keeps
/// its default then.
template <class Form>
struct AddedLater : Form {
  template <class Source, class T>
  static void read(Source& source, T& value) {
    if (source.more()) Form::read(source, value);
  }
};

template <std::integral T>
struct DefaultForm<T> : Integer {};
template <>
struct DefaultForm<bool> : Boolean {};
template <>
struct DefaultForm<double> : Real {};
template <class Rep, class Period>
struct DefaultForm<std::chrono::duration<Rep, Period>> : Integer {};
template <>
struct DefaultForm<std::string> : Text<> {};
template <>
struct DefaultForm<std::string_view> : Text<> {};
template <>
struct DefaultForm<std::vector<std::byte>> : Blob {};
template <>
struct DefaultForm<Bytes> : Blob {};
template <class T>
struct DefaultForm<std::vector<T>> : List<DefaultForm<T>> {};
template <Described T>
struct DefaultForm<T> : Structure {};

}  // namespace eventspace::wire

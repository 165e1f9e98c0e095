#pragma once

// Also used by collectors/, scopes/ and monitors/. One description for each struct in a message, from which
// its encoder, its decoder, its size bounds, its random values (tests/paths/wire/random_source.h) and its
// table in docs/wire-format.md come:
//
//     struct Failure {
//       Fault fault{};
//       std::string text;
//     };
//     template <>
//     struct Layout<Failure> : Array<Failure, Field<&Failure::fault, OneOf<Fault::truncated, Fault::credit>>,
//                                    Field<&Failure::text, ShownText>> {};
//
//     std::vector<std::byte> body = encoded(Failure{Fault::busy, "too many"});
//     std::optional<Failure> failure = decoded<Failure>(body);  // nullopt: malformed
//
// A layout that lacks a member of its struct does not compile.

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "paths/wire/forms.h"

namespace eventspace::wire {

namespace fields_detail {

template <class Member>
struct MemberOf;
template <class T, class V>
struct MemberOf<V T::*> {
  using Struct = T;
  using Value = V;
};

/// The name of a member without its struct's.
template <auto member>
consteval std::string_view name_of() {
  std::string_view text = __PRETTY_FUNCTION__;
  text = text.substr(text.find("member = ") + 9);
  text = text.substr(0, text.find_first_of(";])"));
  return text.substr(text.rfind(':') + 1);
}

/// The number of words that a value takes in a block; a form without `words` takes one. Without meaning for
/// forms that WordWriter cannot write, such as texts and lists.
template <class Form, class T>
consteval std::size_t words_of() {
  if constexpr (requires { Form::template words<T>; })
    return Form::template words<T>;
  else
    return 1;
}

}  // namespace fields_detail

/// A member of a struct, and how it is written.
template <auto member, class Form = DefaultForm<typename fields_detail::MemberOf<decltype(member)>::Value>>
struct Field {
  using Struct = typename fields_detail::MemberOf<decltype(member)>::Struct;
  using Value = typename fields_detail::MemberOf<decltype(member)>::Value;
  static constexpr std::string_view name = fields_detail::name_of<member>();
  static constexpr std::size_t members = 1;
  static constexpr SizeBounds bounds = Form::template bounds<Value>;
  static constexpr std::size_t words = fields_detail::words_of<Form, Value>();

  static constexpr std::size_t count(const Struct& value) noexcept { return Form::count(value.*member); }
  template <class Sink>
  static void write(Sink sink, const Struct& value) {
    Form::write(sink, value.*member);
  }
  template <class Source>
  static void read(Source& source, Struct& value) {
    Form::read(source, value.*member);
  }
};

/// A member that is not sent.
template <auto member>
struct Unsent {
  using Struct = typename fields_detail::MemberOf<decltype(member)>::Struct;
  static constexpr std::size_t members = 1;
  static constexpr SizeBounds bounds{};
  static constexpr std::size_t words = 0;
  static constexpr std::size_t count(const Struct& /*value*/) noexcept { return 0; }
  template <class Sink>
  static void write(Sink /*sink*/, const Struct& /*value*/) {}
  template <class Source>
  static void read(Source& /*source*/, Struct& /*value*/) {}
};

/// An integer that is the same in all messages, such as a version; others are refused.
template <class T, auto constant>
struct Constant : OneEntry {
  static constexpr std::string_view name = "version";
  static constexpr std::size_t members = 0;
  static constexpr SizeBounds bounds{1, 1 + sizeof(constant)};
  static constexpr std::size_t words = 1;
  template <class Sink>
  static void write(Sink sink, const T& /*value*/) {
    sink.integer(constant);
  }
  template <class Source>
  static void read(Source& source, T& /*value*/) {
    (void)source.template integer<decltype(constant)>(constant, constant);
  }
};

/// Several members of a struct as one entry, a block of words.
template <class... Fields>
struct Block : OneEntry {
  static constexpr std::string_view name = "words";
  static constexpr std::size_t members = (Fields::members + ...);
  static constexpr std::size_t block_words = (Fields::words + ...);
  static constexpr SizeBounds bounds{2 + 8 * block_words, 3 + 8 * block_words};

  template <class Sink, class T>
  static void write(Sink sink, const T& value) {
    msgpack_body::WordBuffer<block_words> block;
    (Fields::write(msgpack_body::WordWriter(block), value), ...);
    sink.bytes(block.block());
  }
  template <class Source, class T>
  static void read(Source& source, T& value) {
    auto block = source.template words<block_words>();
    (Fields::read(block, value), ...);
  }
};

/// All members of a base class, written by the layout of that class.
template <Described Of>
struct Base {
  static constexpr std::size_t members = 0;
  static constexpr std::size_t bytes_of_base = sizeof(Of);
  static constexpr SizeBounds bounds = Layout<Of>::bounds;
  static constexpr std::size_t words = Layout<Of>::words;

  static constexpr std::size_t count(const Of& value) noexcept { return Layout<Of>::count(value); }
  template <class Sink>
  static void write(Sink sink, const Of& value) {
    Layout<Of>::write(sink, value);
  }
  template <class Source>
  static void read(Source& source, Of& value) {
    Layout<Of>::read(source, value);
  }
};

namespace fields_detail {

// Does not compile unless T has exactly `members` non-static members, all of them public and of one class.
template <std::size_t members, class T>
void require_members(const T& value) {
  static_assert(members > 0 && members <= 24, "add a line below");
  // clang-format off
  if constexpr (members == 1) { [[maybe_unused]] const auto& [a] = value; }
  if constexpr (members == 2) { [[maybe_unused]] const auto& [a, b] = value; }
  if constexpr (members == 3) { [[maybe_unused]] const auto& [a, b, c] = value; }
  if constexpr (members == 4) { [[maybe_unused]] const auto& [a, b, c, d] = value; }
  if constexpr (members == 5) { [[maybe_unused]] const auto& [a, b, c, d, e] = value; }
  if constexpr (members == 6) { [[maybe_unused]] const auto& [a, b, c, d, e, f] = value; }
  if constexpr (members == 7) { [[maybe_unused]] const auto& [a, b, c, d, e, f, g] = value; }
  if constexpr (members == 8) { [[maybe_unused]] const auto& [a, b, c, d, e, f, g, h] = value; }
  if constexpr (members == 9) { [[maybe_unused]] const auto& [a, b, c, d, e, f, g, h, i] = value; }
  if constexpr (members == 10) { [[maybe_unused]] const auto& [a, b, c, d, e, f, g, h, i, j] = value; }
  if constexpr (members == 11) { [[maybe_unused]] const auto& [a, b, c, d, e, f, g, h, i, j, k] = value; }
  if constexpr (members == 12) { [[maybe_unused]] const auto& [a, b, c, d, e, f, g, h, i, j, k, l] = value; }
  if constexpr (members == 13) { [[maybe_unused]] const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = value; }
  if constexpr (members == 14) { [[maybe_unused]] const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = value; }
  if constexpr (members == 15) { [[maybe_unused]] const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = value; }
  if constexpr (members == 16) { [[maybe_unused]] const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = value; }
  if constexpr (members == 17) { [[maybe_unused]] const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q] = value; }
  if constexpr (members == 18) { [[maybe_unused]] const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r] = value; }
  if constexpr (members == 19) { [[maybe_unused]] const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s] = value; }
  if constexpr (members == 20) { [[maybe_unused]] const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t] = value; }
  if constexpr (members == 21) { [[maybe_unused]] const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u] = value; }
  if constexpr (members == 22) { [[maybe_unused]] const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v] = value; }
  if constexpr (members == 23) { [[maybe_unused]] const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w] = value; }
  if constexpr (members == 24) { [[maybe_unused]] const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x] = value; }
  // clang-format on
}

}  // namespace fields_detail

/// The fields of `T`, in their order on the wire: the base class of Layout<T>. If Layout<T> has a function
/// `static void check(const T&)`, it is called with each value that was read; it throws BodyError if members
/// do not fit together.
template <class T, class... Fields>
struct Array {
  static constexpr std::size_t field_count = sizeof...(Fields);
  /// The number of words in a block, if all fields are numbers; without meaning for other layouts.
  static constexpr std::size_t words = (std::size_t{0} + ... + Fields::words);
  static constexpr SizeBounds bounds = (SizeBounds{} + ... + Fields::bounds);
  using FieldTypes = std::tuple<Fields...>;

  static constexpr std::size_t count(const T& value) noexcept {
    return (std::size_t{0} + ... + Fields::count(value));
  }
  template <class Sink>
  static void write([[maybe_unused]] Sink sink, [[maybe_unused]] const T& value) {
    constexpr std::size_t members = (std::size_t{0} + ... + Fields::members);
    if constexpr (members > 0)
      fields_detail::require_members<members>(value);
    else if constexpr (field_count == 0)
      static_assert(std::is_empty_v<T>, "a member has no field");
    else
      static_assert(sizeof(T) == (Fields::bytes_of_base + ...), "a member is in none of the base classes");
    (Fields::write(sink, value), ...);
  }
  template <class Source>
  static void read([[maybe_unused]] Source& source, [[maybe_unused]] T& value) {
    (Fields::read(source, value), ...);
    if constexpr (requires { Layout<T>::check(value); }) Layout<T>::check(value);
  }
};

/// The bounds of an encoded T, in bytes.
template <Described T>
inline constexpr SizeBounds size_bounds = Structure::bounds<T>;

/// Appends an encoded value to `bytes`.
template <class Form, class T>
void append_as(std::vector<std::byte>& bytes, const T& value) {
  msgpack_body::write_into(bytes, [&](EntryWriter writer) { Form::write(writer, value); });
}
template <class T>
void append(std::vector<std::byte>& bytes, const T& value) {
  append_as<DefaultForm<T>>(bytes, value);
}
template <class T>
std::vector<std::byte> encoded(const T& value) {
  std::vector<std::byte> bytes;
  append(bytes, value);
  return bytes;
}
/// Decodes all of `bytes`; nullopt if they are malformed. `owner` keeps the bytes, for values that refer to
/// them.
template <class T, class Form = DefaultForm<T>>
std::optional<T> decoded(Bytes bytes, const std::shared_ptr<const void>& owner = nullptr,
                         std::size_t depth = Body::default_depth) {
  try {
    Body body(bytes, depth, owner);
    std::optional<T> value(std::in_place);
    Form::read(body, *value);
    body.expect_end();
    return value;
  } catch (const BodyError&) {
    return std::nullopt;
  }
}

}  // namespace eventspace::wire

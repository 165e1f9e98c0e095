#pragma once

// Also used by monitors/. The form of a variant: which alternative it holds, and its value.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "paths/wire/fields.h"

namespace eventspace::wire {

/// A variant as two entries: the index of its alternative, and the value in its default form.
struct Alternatives {
  static constexpr std::string_view name = "index and value";
  template <class T>
  static constexpr SizeBounds bounds = [] {
    return []<class... Ts>(std::type_identity<std::variant<Ts...>>) {
      return SizeBounds{1, 1} + SizeBounds{std::min({DefaultForm<Ts>::template bounds<Ts>.least...}),
                                           std::max({DefaultForm<Ts>::template bounds<Ts>.most...})};
    }(std::type_identity<T>());
  }();

  template <class... Ts>
  static constexpr std::size_t count(const std::variant<Ts...>& /*value*/) noexcept {
    return 2;
  }
  template <class Sink, class... Ts>
  static void write(Sink sink, const std::variant<Ts...>& value) {
    static_assert(sizeof...(Ts) <= 128, "an index of one byte");
    sink.integer(static_cast<std::uint8_t>(value.index()));
    std::visit([&]<class T>(const T& one) { DefaultForm<T>::write(sink, one); }, value);
  }
  template <class Source, class... Ts>
  static void read(Source& source, std::variant<Ts...>& value) {
    const auto index = source.template integer<std::uint8_t>(0, sizeof...(Ts) - 1);
    read_at(source, value, index, std::index_sequence_for<Ts...>());
  }

 private:
  template <class Source, class... Ts, std::size_t... indices>
  static void read_at(Source& source, std::variant<Ts...>& value, std::size_t index,
                      std::index_sequence<indices...> /*indices*/) {
    const auto read_into = [&]<class T>(T& one) { DefaultForm<T>::read(source, one); };
    ((index == indices ? read_into(value.template emplace<indices>()) : void()), ...);
  }
};

template <class... Ts>
struct DefaultForm<std::variant<Ts...>> : Alternatives {};

}  // namespace eventspace::wire

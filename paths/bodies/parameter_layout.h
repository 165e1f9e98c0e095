#pragma once

// Private to paths/.
// Also used by scopes/. The form of the parameters of wrappers and filters.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "paths/parameters/parameters.h"
#include "paths/wire/fields.h"

namespace eventspace::wire {

/// The value of a parameter as two entries: its kind, and the value in that kind's form.
struct ParameterForm {
  static constexpr std::string_view name = "kind and value";
  static constexpr std::size_t max_texts = 256;  ///< each may be compared with each event
  template <class T>
  static constexpr SizeBounds bounds{2, SizeBounds::unbounded};
  static constexpr std::size_t count(const ParameterValue& /*value*/) noexcept { return 2; }

  template <class Sink>
  static void write(Sink sink, const ParameterValue& value) {
    sink.integer(static_cast<std::uint8_t>(value.index()));
    std::visit([&](const auto& of_kind) { FormOf<std::decay_t<decltype(of_kind)>>::write(sink, of_kind); },
               value);
  }
  template <class Source>
  static void read(Source& source, ParameterValue& value) {
    const auto kind = source.enumeration(ParameterKind::boolean, ParameterKind::texts);
    read_kind(source, value, static_cast<std::size_t>(kind),
              std::make_index_sequence<std::variant_size_v<ParameterValue>>());
  }

 private:
  template <class T>
  struct FormOf : DefaultForm<T> {};
  template <std::size_t index, class Source>
  static void read_alternative(Source& source, ParameterValue& value) {
    auto& of_kind = value.emplace<index>();
    FormOf<std::decay_t<decltype(of_kind)>>::read(source, of_kind);
  }
  template <class Source, std::size_t... indices>
  static void read_kind(Source& source, ParameterValue& value, std::size_t kind,
                        std::index_sequence<indices...>) {
    ((kind == indices ? read_alternative<indices>(source, value) : void()), ...);
  }
};
template <>
struct ParameterForm::FormOf<std::vector<std::string>> : List<Text<>, max_texts> {};

/// Parameters as an array of arrays: name, kind, value.
struct ParameterList : OneEntry {
  static constexpr std::string_view name = "parameters";
  template <class T>
  static constexpr SizeBounds bounds{1, SizeBounds::unbounded};

  template <class Sink>
  static void write(Sink sink, const Parameters& parameters) {
    sink.array(parameters.size());
    for (const auto& [name_of_one, value] : parameters) {
      sink.array(3);
      sink.text(name_of_one);
      ParameterForm::write(sink, value);
    }
  }
  template <class Source>
  static void read(Source& source, Parameters& parameters) {
    parameters.clear();
    for (auto list = source.list(); list.more();) {
      auto entry = list.array();
      std::string name_of_one(entry.text());
      ParameterForm::read(
          entry, parameters.insert_or_assign(std::move(name_of_one), ParameterValue()).first->second);
      entry.expect_end();
    }
  }
};

}  // namespace eventspace::wire

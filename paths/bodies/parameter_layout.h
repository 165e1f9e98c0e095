#pragma once

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

/// The value of a parameter as two entries: its kind, and the value in that kind's form. A list has at most
/// `max_texts` texts.
template <std::size_t max_texts>
struct ParameterForm {
  static constexpr std::string_view name = "kind and value";
  template <class T>
  static constexpr SizeBounds bounds{2, SizeBounds::unbounded};
  static constexpr std::size_t count(const ParameterValue& /*value*/) noexcept { return 2; }

  template <class Sink>
  static void write(Sink sink, const ParameterValue& value) {
    sink.integer(static_cast<std::uint8_t>(value.index()));
    std::visit([&]<class T>(const T& of_kind) { FormOf<T>::write(sink, of_kind); }, value);
  }
  template <class Source>
  static void read(Source& source, ParameterValue& value) {
    const auto kind = source.enumeration(ParameterKind::boolean, ParameterKind::texts);
    read_kind(source, value, static_cast<std::size_t>(kind),
              std::make_index_sequence<std::variant_size_v<ParameterValue>>());
  }

 private:
  template <class T>
  using FormOf = std::conditional_t<std::is_same_v<T, std::vector<std::string>>, List<Text<>, max_texts>,
                                    DefaultForm<T>>;
  template <class Source, std::size_t... indices>
  static void read_kind(Source& source, ParameterValue& value, std::size_t kind,
                        std::index_sequence<indices...>) {
    const auto read_into = [&]<class T>(T& of_kind) { FormOf<T>::read(source, of_kind); };
    ((kind == indices ? read_into(value.template emplace<indices>()) : void()), ...);
  }
};

/// Parameters as an array of arrays: name, kind, value.
template <std::size_t max_texts>
struct ParametersOf : UnboundedEntry {
  static constexpr std::string_view name = "parameters";

  template <class Sink>
  static void write(Sink sink, const Parameters& parameters) {
    sink.array(parameters.size());
    for (const auto& [name_of_one, value] : parameters) {
      sink.array(3);
      sink.text(name_of_one);
      ParameterForm<max_texts>::write(sink, value);
    }
  }
  template <class Source>
  static void read(Source& source, Parameters& parameters) {
    parameters.clear();
    for (auto list = source.list(); list.more();) {
      auto entry = list.array();
      ParameterValue& value = parameters[std::string(entry.text())];
      ParameterForm<max_texts>::read(entry, value);
      entry.expect_end();
    }
  }
};

/// The parameters of a wrapper. Each text of a list may be compared with each event.
using WrapperParameters = ParametersOf<256>;
/// The parameters of a filter of streams.
using FilterParameters = ParametersOf<SizeBounds::unbounded>;

}  // namespace eventspace::wire

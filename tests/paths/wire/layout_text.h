#pragma once

#include <fmt/format.h>

#include <concepts>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <variant>

#include "paths/wire/alternatives.h"
#include "paths/wire/fields.h"

// Layouts as text, for docs/wire-format.md.

namespace eventspace::test {

/// The name of a type without its namespace: "Loss", "Tokens::Count".
template <class T>
std::string name_of_type() {
  std::string_view name = __PRETTY_FUNCTION__;
  name = name.substr(name.find("T = ") + 4);
  name = name.substr(0, name.find_first_of(";]"));
  for (const std::string_view space : {"eventspace::", "wire::", "metrics::", "streams::"})
    if (name.starts_with(space)) name.remove_prefix(space.size());
  return std::string(name);
}

template <std::integral Number>
std::string name_of_number() {
  return fmt::format("{}{}", std::is_signed_v<Number> ? 'i' : 'u', 8 * sizeof(Number));
}

template <class Form, class T>
std::string text_of_form();

template <class... Ts>
std::string text_of_alternatives(std::type_identity<std::variant<Ts...>> /*type*/) {
  std::string text;
  for (const std::string& one : {text_of_form<wire::DefaultForm<Ts>, Ts>()...})
    text += (text.empty() ? "" : ", ") + one;
  return fmt::format("one of ({})", text);
}

template <class Form, class T>
std::string text_of_form() {
  if constexpr (std::derived_from<Form, wire::Structure>) {
    return name_of_type<T>();
  } else if constexpr (std::same_as<Form, wire::Flattened>) {
    return fmt::format("{}...", name_of_type<T>());
  } else if constexpr (std::same_as<Form, wire::WordBlock>) {
    return fmt::format("words of {}", name_of_type<T>());
  } else if constexpr (std::same_as<Form, wire::OptionalWordBlock>) {
    return fmt::format("words of {}, or empty", name_of_type<typename T::value_type>());
  } else if constexpr (requires { typename Form::Optional; }) {
    return fmt::format("{}, may be missing", text_of_form<typename Form::Optional, typename T::value_type>());
  } else if constexpr (requires { typename Form::Element; }) {
    return fmt::format("[{}, ...]", text_of_form<typename Form::Element, typename T::value_type>());
  } else if constexpr (std::derived_from<Form, wire::Alternatives>) {
    return text_of_alternatives(std::type_identity<T>());
  } else if constexpr (std::same_as<Form, wire::FlagAndInteger>) {
    return "boolean and " + name_of_number<typename T::value_type>();
  } else if constexpr (Form::name == wire::Integer::name) {
    if constexpr (std::integral<T>)
      return name_of_number<T>();
    else if constexpr (std::is_enum_v<T>)
      return name_of_number<std::underlying_type_t<T>>();
    else
      return name_of_number<typename T::rep>() + " ns";
  } else {
    return std::string(Form::name);
  }
}

template <class T, class Field>
struct FieldText;
template <class T, auto member, class Form>
struct FieldText<T, wire::Field<member, Form>> {
  static std::string get() {
    using Field = wire::Field<member, Form>;
    return fmt::format("{}: {}", Field::name, text_of_form<Form, typename Field::Value>());
  }
};
template <class T, auto member>
struct FieldText<T, wire::Unsent<member>> {
  static std::string get() { return {}; }
};
template <class T, auto constant>
struct FieldText<T, wire::Constant<T, constant>> {
  static std::string get() { return fmt::format("{}", constant); }
};
template <class T, class Of>
struct FieldText<T, wire::Base<Of>> {
  static std::string get() { return fmt::format("{}...", name_of_type<Of>()); }
};
template <class T, class... Fields>
struct FieldText<T, wire::Block<Fields...>> {
  static std::string get();
};
template <class T, class Field>
requires requires { Field::form; }
struct FieldText<T, Field> {
  static std::string get() { return fmt::format("{}: {}", Field::name, Field::form); }
};

template <class T, class... Fields>
std::string joined_fields() {
  std::string text;
  if constexpr (sizeof...(Fields) > 0)
    for (const std::string& field : {FieldText<T, Fields>::get()...})
      if (!field.empty()) text += (text.empty() ? "" : ", ") + field;
  return text;
}
template <class T, class... Fields>
std::string FieldText<T, wire::Block<Fields...>>::get() {
  return fmt::format("words({})", joined_fields<T, Fields...>());
}

template <class T, class... Fields>
std::string joined_fields(std::tuple<Fields...>* /*types*/) {
  return joined_fields<T, Fields...>();
}

/// "Credit = [target: u64, up_to: u64]", on lines of at most `width` characters.
template <class T>
std::string layout_text(std::size_t width = 110) {
  using Fields = typename wire::Layout<T>::FieldTypes;
  const std::string whole =
      fmt::format("{} = [{}]", name_of_type<T>(), joined_fields<T>(static_cast<Fields*>(nullptr)));
  std::string text;
  std::string_view left = whole;
  for (std::size_t room = width; left.size() > room; room = width - 4) {
    const std::size_t end = left.rfind(", ", room - 1) + 1;
    text += fmt::format("{}\n    ", left.substr(0, end));
    left.remove_prefix(end + 1);
  }
  return fmt::format("{}{}\n", text, left);
}

template <class... Ts>
std::string layout_texts() {
  return (layout_text<Ts>() + ...);
}

}  // namespace eventspace::test

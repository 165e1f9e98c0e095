#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string_view>
#include <system_error>

namespace eventspace {

/// Removes the number at the front of `text`, in decimal or to another base, and returns it. If there is
/// none, or it does not fit, returns nullopt and leaves `text` unchanged. Only a '-' may be in front of the
/// digits.
template <std::integral Number>
std::optional<Number> take_number(std::string_view& text, int base = 10) noexcept {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}
template <std::floating_point Number>
std::optional<Number> take_number(std::string_view& text) noexcept {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

/// Returns the number that is all of `text`; nullopt if there is anything else in it.
template <class Number, class... Base>
std::optional<Number> number_in(std::string_view text, Base... base) noexcept {
  const auto number = take_number<Number>(text, base...);
  return text.empty() ? number : std::nullopt;
}

/// Returns the number at the front of `text`; 0 if there is none.
template <class Number, class... Base>
Number leading_number(std::string_view text, Base... base) noexcept {
  return take_number<Number>(text, base...).value_or(Number{});
}

}  // namespace eventspace

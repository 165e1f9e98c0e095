#include "monitors/whatif/actions/action_names.h"

#include <fmt/format.h>

namespace eventspace::whatif {
namespace {

std::optional<unsigned> hex_digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
  return std::nullopt;
}

}  // namespace

std::string to_word(std::string_view text) {
  if (text.empty()) return "%";
  std::string word;
  for (const char c : text) {
    if (c > ' ' && c < 0x7f && c != '#' && c != '%') {
      word += c;
    } else {
      word += fmt::format("%{:02x}", static_cast<unsigned char>(c));
    }
  }
  return word;
}

std::optional<std::string> text_of_word(std::string_view word) {
  if (word == "%") return std::string();
  std::string text;
  for (std::size_t at = 0; at < word.size(); ++at) {
    if (word[at] != '%') {
      text += word[at];
      continue;
    }
    const auto high = at + 1 < word.size() ? hex_digit(word[at + 1]) : std::nullopt;
    const auto low = at + 2 < word.size() ? hex_digit(word[at + 2]) : std::nullopt;
    if (!high || !low) return std::nullopt;
    text += static_cast<char>(*high * 16 + *low);
    at += 2;
  }
  return text;
}

}  // namespace eventspace::whatif

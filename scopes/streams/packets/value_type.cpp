#include <eventspace/packet.h>

#include <algorithm>
#include <array>

namespace eventspace::streams {
namespace {

// In the order of ValueType.
constexpr std::array<std::string_view, 11> names{"i8",  "u8",  "i16", "u16", "i32", "u32",
                                                 "i64", "u64", "f32", "f64", "text"};

std::optional<ValueType> parse_type(std::string_view word) {
  const bool array = word.ends_with("[]");
  if (array) word.remove_suffix(2);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] != word) continue;
    const auto type = static_cast<ValueType>(i + 1);
    return array ? value_type::array_of(type) : type;
  }
  return std::nullopt;
}

}  // namespace

std::size_t value_type::width(ValueType type) noexcept {
  if (element(type) == ValueType::text) return 0;
  return with_number(type, [](auto zero) { return sizeof zero; });
}

std::string to_string(std::span<const ValueType> signature) {
  std::string text;
  for (const ValueType type : signature) {
    if (!text.empty()) text += ' ';
    text += names.at(static_cast<std::size_t>(value_type::element(type)) - 1);
    if (value_type::is_array(type)) text += "[]";
  }
  return text;
}

std::optional<Signature> parse_signature(std::string_view text) {
  Signature signature;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    if (text.empty()) return signature;
    const std::string_view word = text.substr(0, text.find(' '));
    const auto type = parse_type(word);
    if (!type) return std::nullopt;
    signature.push_back(*type);
    text.remove_prefix(word.size());
  }
}

}  // namespace eventspace::streams

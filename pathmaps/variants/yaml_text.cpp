#include "pathmaps/variants/yaml_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <type_traits>

#include "tuplespace/parsing/words.h"
#include "tuplespace/system/plain_text.h"

namespace eventspace::variants {

using reading::Value;

namespace {

// The escapes of escaped() are also valid in YAML.
std::string quoted_word(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return escaped(quoted + '"');
}

std::string value_text(const ParameterValue& value) {
  return std::visit(
      [&](const auto& held) -> std::string {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, std::string>) {
          return yaml_word(held, true);
        } else if constexpr (std::is_same_v<Held, std::vector<std::string>>) {
          std::vector<std::string> words;
          words.reserve(held.size());
          for (const auto& word : held) words.push_back(yaml_word(word, true));
          return fmt::format("[{}]", fmt::join(words, ", "));
        } else {
          return to_string(value);
        }
      },
      value);
}

}  // namespace

std::string yaml_word(std::string_view text, bool quoted) {
  // YAML could read a word that consists of dots and dashes as the end of the document, or as a list.
  const bool plain = !quoted && has_only_letters_digits_or("_./+-", text) &&
                     std::ranges::any_of(text, [](char c) { return c != '.' && c != '-'; }) &&
                     text.front() != '-';
  return plain ? std::string(text) : quoted_word(text);
}

std::string yaml_text(const Value& value) {
  std::vector<std::string> parts;
  switch (value.kind) {
    case Value::Kind::null:
      return "~";
    case Value::Kind::scalar:
      return yaml_word(value.text, value.quoted);
    case Value::Kind::sequence:
      for (const auto* item : value.items) parts.push_back(yaml_text(*item));
      return fmt::format("[{}]", fmt::join(parts, ", "));
    case Value::Kind::mapping:
      break;
  }
  for (const auto& entry : value.entries)
    parts.push_back(fmt::format("{}: {}", yaml_word(entry.key), yaml_text(*entry.value)));
  return fmt::format("{{{}}}", fmt::join(parts, ", "));
}

std::string yaml_text(const expansion::WrapperUse& wrapper) {
  if (wrapper.parameters.empty()) return yaml_word(wrapper.name);
  std::vector<std::string> parts;
  for (const auto& [name, value] : wrapper.parameters)
    parts.push_back(fmt::format("{}: {}", yaml_word(name), value_text(value)));
  return fmt::format("{{{}: {{{}}}}}", yaml_word(wrapper.name), fmt::join(parts, ", "));
}

}  // namespace eventspace::variants

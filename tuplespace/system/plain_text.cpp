#include "tuplespace/system/plain_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include <eventspace/error.h>

namespace eventspace {
namespace {

/// A character whose first byte is `lead`: the number of bytes that follow, its bits in `lead`, and the
/// lowest character that needs this many bytes.
struct Lead {
  std::size_t more;
  char32_t bits;
  char32_t lowest;
};

constexpr std::size_t no_lead = 4;

Lead read_lead(unsigned char lead) noexcept {
  if (lead < 0x80) return {0, lead, 0};
  if (lead >= 0xc0 && lead < 0xe0) return {1, lead & 0x1fu, 0x80};
  if (lead >= 0xe0 && lead < 0xf0) return {2, lead & 0x0fu, 0x800};
  if (lead >= 0xf0 && lead < 0xf8) return {3, lead & 0x07u, 0x10000};
  return {no_lead, 0, 0};
}

bool is_control(char32_t character) noexcept {
  return character < 0x20 || (character >= 0x7f && character < 0xa0);
}

// The property Bidi_Control of the Unicode Character Database, and the two separators of lines.
bool changes_direction_or_line(char32_t character) noexcept {
  return character == 0x61c || character == 0x200e || character == 0x200f ||
         (character >= 0x2028 && character <= 0x202e) || (character >= 0x2066 && character <= 0x2069);
}

/// The first character of a text: its number of bytes, 0 if they are not valid UTF-8.
struct First {
  char32_t character;
  std::size_t bytes;
};

First first_of(std::string_view text) noexcept {
  const Lead lead = read_lead(static_cast<unsigned char>(text.front()));
  if (lead.more >= text.size() || lead.more == no_lead) return {0, 0};
  char32_t character = lead.bits;
  for (std::size_t i = 1; i <= lead.more; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xc0) != 0x80) return {0, 0};
    character = character << 6 | (byte & 0x3fu);
  }
  const bool is_surrogate = character >= 0xd800 && character < 0xe000;
  const bool is_valid = character >= lead.lowest && !is_surrogate && character < 0x110000;
  return {character, is_valid ? 1 + lead.more : 0};
}

}  // namespace

bool is_plain_text(std::string_view text) noexcept {
  while (!text.empty()) {
    const First first = first_of(text);
    if (first.bytes == 0 || is_control(first.character)) return false;
    text.remove_prefix(first.bytes);
  }
  return true;
}

std::string escaped(std::string_view text, Newlines newlines) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const First first = first_of(text);
    const bool is_newline = first.bytes == 1 && text.front() == '\n';
    if (first.bytes == 0) {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    } else if (is_newline && newlines == Newlines::escaped) {
      result += "\\n";
    } else if (!is_newline && (is_control(first.character) || changes_direction_or_line(first.character))) {
      result += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(first.character));
    } else {
      result += text.substr(0, first.bytes);
    }
    text.remove_prefix(std::max<std::size_t>(first.bytes, 1));
  }
  return result;
}

std::size_t unfinished_tail(std::string_view text) noexcept {
  for (std::size_t bytes = 1; bytes <= std::min<std::size_t>(text.size(), 3); ++bytes) {
    const auto byte = static_cast<unsigned char>(text[text.size() - bytes]);
    if ((byte & 0xc0) == 0x80) continue;
    const Lead lead = read_lead(byte);
    return lead.more != no_lead && lead.more >= bytes ? bytes : 0;
  }
  return 0;
}

std::string made_plain(std::string_view text, std::size_t most) {
  std::string plain(text.substr(0, most));
  if (!is_plain_text(plain))
    std::ranges::replace_if(
        plain, [](unsigned char c) { return c < 0x20 || c > 0x7e; }, '?');
  return plain;
}

void require_plain_name(std::string_view what, std::string_view name, std::size_t most) {
  if (!name.empty() && name.size() <= most && is_plain_text(name)) return;
  throw ConfigurationError(fmt::format(
      "'{}' cannot be the name of {}: a name has 1 to {} bytes of UTF-8, without control characters",
      made_plain(name, most), what, most));
}

}  // namespace eventspace

#include "tuplespace/system/plain_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "tuplespace/system/error.h"

namespace eventspace {
namespace {

/// A character whose first byte is `lead`: how many bytes follow, its bits in `lead`, and the lowest
/// character that needs so many bytes.
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

bool is_shown(char32_t character) noexcept {
  const bool control = character < 0x20 || (character >= 0x7f && character < 0xa0);
  const bool surrogate = character >= 0xd800 && character < 0xe000;
  return !control && !surrogate && character < 0x110000;
}

}  // namespace

bool is_plain_text(std::string_view text) noexcept {
  while (!text.empty()) {
    const Lead lead = read_lead(static_cast<unsigned char>(text.front()));
    if (lead.more >= text.size() || lead.more == no_lead) return false;
    char32_t character = lead.bits;
    for (std::size_t i = 1; i <= lead.more; ++i) {
      const auto byte = static_cast<unsigned char>(text[i]);
      if ((byte & 0xc0) != 0x80) return false;
      character = character << 6 | (byte & 0x3fu);
    }
    if (character < lead.lowest || !is_shown(character)) return false;
    text.remove_prefix(1 + lead.more);
  }
  return true;
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

#include "monitors/top/terminal/frame.h"

#include <algorithm>
#include <array>
#include <utility>

namespace eventspace::top {
namespace {

struct Decoded {
  char32_t glyph;
  std::size_t bytes;
};

constexpr char32_t not_a_character = 0xfffd;

// Overlong forms are recognised because they decode to numbers that need fewer bytes.
Decoded decode_utf8(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return {first, 1};
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < bytes) return {not_a_character, 1};
  char32_t glyph = first & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0U) != 0x80U) return {not_a_character, i};
    glyph = (glyph << 6U) | (next & 0x3fU);
  }
  return {glyph, bytes};
}

// The characters that screens draw with, and their replacements in ASCII.
constexpr std::array<std::pair<char32_t, char32_t>, 13> likenesses{{{U'…', U'~'},
                                                                    {U'▲', U'^'},
                                                                    {U'▼', U'v'},
                                                                    {U'▶', U'>'},
                                                                    {U'·', U'-'},
                                                                    {U'█', U'#'},
                                                                    {U'▁', U'_'},
                                                                    {U'▂', U'.'},
                                                                    {U'▃', U'-'},
                                                                    {U'▄', U'~'},
                                                                    {U'▅', U'='},
                                                                    {U'▆', U'+'},
                                                                    {U'▇', U'*'}}};

// Accepts only Latin, Greek and Cyrillic, whose characters all take one column except the combining ones.
bool takes_one_column(char32_t glyph) {
  if (glyph < 0x20 || (glyph >= 0x7f && glyph < 0xa0) || glyph == 0xad) return false;
  if (glyph < 0x300) return true;
  return (glyph >= 0x370 && glyph < 0x483) || (glyph >= 0x48a && glyph < 0x530);
}

char32_t shown(char32_t glyph, Charset charset) {
  const auto own = std::find_if(likenesses.begin(), likenesses.end(),
                                [glyph](const auto& likeness) { return likeness.first == glyph; });
  if (own != likenesses.end()) return charset == Charset::utf8 ? own->first : own->second;
  const bool is_possible = charset == Charset::utf8 || glyph < 0x80;
  return is_possible && takes_one_column(glyph) ? glyph : U'?';
}

}  // namespace

std::size_t width_of(std::string_view text) {
  std::size_t width = 0;
  for (; !text.empty(); ++width) text.remove_prefix(decode_utf8(text).bytes);
  return width;
}

void append_utf8(std::string& text, char32_t glyph) {
  const auto tail = [&](unsigned shift) { text += static_cast<char>(0x80U | ((glyph >> shift) & 0x3fU)); };
  if (glyph < 0x80) {
    text += static_cast<char>(glyph);
  } else if (glyph < 0x800) {
    text += static_cast<char>(0xc0U | (glyph >> 6U));
    tail(0);
  } else {
    text += static_cast<char>(0xe0U | (glyph >> 12U));
    tail(6);
    tail(0);
  }
}

Frame::Frame(Size size, Charset charset) : size_(size), charset_(charset), cells_(size.rows * size.columns) {}

std::size_t Frame::put(std::size_t row, std::size_t column, std::string_view text, Style style,
                       std::size_t room) {
  if (row >= size_.rows || column >= size_.columns) return 0;
  room = std::min(room, size_.columns - column);
  const bool is_cut = width_of(text) > room;
  std::size_t taken = 0;
  for (; !text.empty() && taken < room; ++taken) {
    const Decoded next = decode_utf8(text);
    text.remove_prefix(next.bytes);
    const bool is_last = is_cut && taken + 1 == room;
    Cell& target = cell(row, column + taken);
    target.glyph = shown(is_last ? U'…' : next.glyph, charset_);
    target.style = style;
  }
  return taken;
}

void Frame::put_right(std::size_t row, std::size_t column, std::string_view text, Style style,
                      std::size_t room) {
  const std::size_t width = std::min(width_of(text), room);
  put(row, column + room - width, text, style, width);
}

void Frame::fill(std::size_t row, Style style) {
  for (std::size_t column = 0; column < size_.columns; ++column) cell(row, column).style = style;
}

void Frame::choose(std::size_t row) {
  for (std::size_t column = 0; column < size_.columns; ++column) cell(row, column).is_chosen = true;
}

std::string Frame::line(std::size_t row) const {
  std::string text;
  for (std::size_t column = 0; column < size_.columns; ++column) append_utf8(text, at(row, column).glyph);
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

std::string Frame::text() const {
  std::string text;
  for (std::size_t row = 0; row < size_.rows; ++row) text += line(row) + '\n';
  return text;
}

}  // namespace eventspace::top

#include "scopes/expressions/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include <eventspace/extend.h>
#include "paths/parameters/sizes.h"
#include "scopes/expressions/expression.h"

namespace eventspace::expressions {
namespace {

bool begins_number(char c) noexcept { return c >= '0' && c <= '9'; }
bool continues_word(char c) noexcept {
  return begins_number(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

template <class Predicate>
std::size_t length_of(std::string_view text, Predicate continues) {
  return static_cast<std::size_t>(std::ranges::find_if_not(text, continues) - text.begin());
}

/// Parses digits with an optional fraction; returns nothing for any other text.
std::optional<double> decimal(std::string_view text) noexcept {
  double value = 0.0;
  const auto* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value, std::chars_format::fixed);
  if (parsed.ec != std::errc{} || parsed.ptr != end || text.back() == '.') return std::nullopt;
  return value;
}

constexpr std::array<std::string_view, 14> symbols{"==", "!=", "<=", ">=", "<", ">", "+",
                                                   "-",  "*",  "/",  "%",  "(", ")", ","};
constexpr std::array<std::string_view, 8> symbols_of_metrics{"=", "[", "]", "{", "}", ";", ":", "."};

/// Operators of other languages, and the operators to suggest instead.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> habits{
    {{"&&", "and"}, {"||", "or"}, {"=~", "matches"}, {"!", "not"}, {"=", "=="}, {"&", "and"}, {"|", "or"}}};

}  // namespace

Token Lexer::next() {
  skip_blanks_and_comments();
  if (rest().empty()) return take(TokenKind::end, 0);
  const char first = rest().front();
  if (begins_number(first)) return take_number();
  if (first == '\'' || first == '"') return take_text(first);
  if (continues_word(first)) return take(TokenKind::word, length_of(rest(), continues_word));
  return take_symbol();
}

void Lexer::skip_blanks_and_comments() {
  for (;;) {
    at_ += length_of(rest(), [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; });
    if (language_ == Language::conditions) return;
    if (rest().starts_with("//")) {
      at_ += std::min(rest().find('\n'), rest().size());
    } else if (rest().starts_with("/*")) {
      const auto end = rest().find("*/", 2);
      if (end == std::string_view::npos)
        throw ExpressionError(at_, "the comment that begins here is not closed with */");
      at_ += end + 2;
    } else {
      return;
    }
  }
}

void Lexer::skip_fault() noexcept {
  // An open comment reaches to the end of the file, an open text to the end of its line.
  const bool in_comment = rest().starts_with("/*");
  const bool in_text = !rest().empty() && (rest().front() == '\'' || rest().front() == '"');
  const bool in_word = !rest().empty() && continues_word(rest().front());
  std::size_t length = std::min<std::size_t>(rest().size(), 1);
  if (in_comment) length = rest().size();
  if (in_text) length = std::min(rest().find('\n'), rest().size());
  if (in_word) length = length_of(rest(), [](char c) { return continues_word(c) || c == '.'; });
  at_ += length;
}

Token Lexer::take(TokenKind kind, std::size_t length, double value) {
  const Token token{kind, at_, rest().substr(0, length), value};
  at_ += length;
  return token;
}

Token Lexer::take_number() {
  const auto length = length_of(rest(), [](char c) { return continues_word(c) || c == '.'; });
  const auto text = rest().substr(0, length);
  if (const auto number = decimal(text)) return take(TokenKind::number, length, *number);
  if (const auto duration = parse_duration(text))
    return take(TokenKind::duration, length, static_cast<double>(duration->count()));
  if (const auto bytes = parse_bytes(text)) return take(TokenKind::size, length, static_cast<double>(*bytes));
  throw ExpressionError(
      at_,
      fmt::format("'{}' is not a number, size or duration; expected a value such as 12, 0.5, 4KiB or 20ms",
                  text));
}

Token Lexer::take_text(char quote) {
  const auto end = rest().find(quote, 1);
  // A text of a metric ends in its line, so that a missing quote spoils only that line.
  const bool is_open =
      end == std::string_view::npos || (language_ == Language::metrics && rest().find('\n') < end);
  if (is_open)
    throw ExpressionError(at_, fmt::format("the text that begins here is not closed with {}", quote));
  return take(TokenKind::text, end + 1);
}

Token Lexer::take_symbol() {
  for (const auto symbol : symbols) {
    if (rest().starts_with(symbol)) return take(TokenKind::symbol, symbol.size());
  }
  if (language_ == Language::metrics) {
    const auto* const found = std::ranges::find(symbols_of_metrics, rest().substr(0, 1));
    if (found != symbols_of_metrics.end()) return take(TokenKind::symbol, 1);
  }
  for (const auto& [habit, here] : habits) {
    if (rest().starts_with(habit))
      throw ExpressionError(at_, fmt::format("found '{}'; did you mean '{}'?", habit, here));
  }
  const auto byte = static_cast<unsigned char>(rest().front());
  const bool shown = byte >= 0x20 && byte < 0x7f;
  throw ExpressionError(
      at_, fmt::format("found {}; expected {}, a value or an operator",
                       shown ? fmt::format("'{}'", rest().front()) : fmt::format("byte {:#04x}", byte),
                       language_ == Language::metrics ? "a name" : "a field"));
}

}  // namespace eventspace::expressions

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace eventspace::expressions {

enum class TokenKind : std::uint8_t { end, word, symbol, number, size, duration, text };

/// One token of an expression, whose text must outlive it.
struct Token {
  TokenKind kind{TokenKind::end};
  std::size_t begin{0};     ///< offset in the expression
  std::string_view source;  ///< as written, with quotes
  double value{0.0};        ///< of a number; of a size in bytes, of a duration in nanoseconds
};

/// The two languages of EventSpace, which share all forms of values, words and operators. Metrics also have
/// braces, brackets, more symbols, and comments: from // to the end of the line, and between /* and */.
enum class Language : std::uint8_t { conditions, metrics };

/// Splits an expression, or a file of metrics, into tokens. The text must outlive the lexer. Not thread-safe.
class Lexer {
 public:
  explicit Lexer(std::string_view text, Language language = Language::conditions) noexcept
      : text_(text), language_(language) {}

  /// Returns the next token; TokenKind::end at the end, and from then on. Throws ExpressionError if the next
  /// characters are not a token; skip_fault() then continues after them.
  Token next();
  /// Skips the byte, or the open comment or text, at which next() has thrown.
  void skip_fault() noexcept;

 private:
  Token take(TokenKind kind, std::size_t length, double value = 0.0);
  Token take_number();
  Token take_text(char quote);
  Token take_symbol();
  void skip_blanks_and_comments();
  [[nodiscard]] std::string_view rest() const noexcept { return text_.substr(at_); }

  std::string_view text_;
  Language language_;
  std::size_t at_{0};
};

}  // namespace eventspace::expressions

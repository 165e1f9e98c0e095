#pragma once

// Private to scopes/.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace eventspace::expressions {

enum class TokenKind : std::uint8_t { end, word, symbol, number, duration, text };

/// One token of an expression, whose text must outlive it.
struct Token {
  TokenKind kind{TokenKind::end};
  std::size_t begin{0};     ///< offset in the expression
  std::string_view source;  ///< as written, with quotes
  double value{0.0};        ///< of a number, or of a duration in nanoseconds
};

/// Splits an expression into tokens. The text must outlive the lexer. Not thread-safe.
class Lexer {
 public:
  explicit Lexer(std::string_view text) noexcept : text_(text) {}

  /// Returns the next token; TokenKind::end at the end, and from then on. Throws ExpressionError if the next
  /// characters are not a token.
  Token next();

 private:
  Token take(TokenKind kind, std::size_t length, double value = 0.0);
  Token take_number();
  Token take_text(char quote);
  Token take_symbol();
  [[nodiscard]] std::string_view rest() const noexcept { return text_.substr(at_); }

  std::string_view text_;
  std::size_t at_{0};
};

}  // namespace eventspace::expressions

#pragma once

// Private to scopes/.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace eventspace::expressions {

enum class TokenKind : std::uint8_t { end, word, symbol, number, duration, text };

/// Part of an expression, whose text must outlive it.
struct Token {
  TokenKind kind{TokenKind::end};
  std::size_t begin{0};     ///< in the expression
  std::string_view source;  ///< as it stands there, quotes included
  double value{0.0};        ///< of a number, or a duration's nanoseconds
};

/// Cuts an expression into tokens, one at a time, the last one of kind `end`.
class Lexer {
 public:
  explicit Lexer(std::string_view text) noexcept : text_(text) {}

  /// Throws ExpressionError for what is no token.
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

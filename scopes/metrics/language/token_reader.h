#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "scopes/expressions/lexer.h"
#include "scopes/metrics/language/syntax.h"

namespace eventspace::metrics {

/// Thrown after a fault was added, to leave its statement or metric.
struct Abandoned {};

/// The tokens of a file of metrics, one at a time, and the faults in it, with the functions that a
/// recursive-descent parser needs. Bytes that are not a token are a fault; further faults of the same
/// statement are left out, as they would only repeat it. The text must outlive it. Not thread-safe.
class TokenReader {
 public:
  explicit TokenReader(std::string_view text);

  /// The current token, which is not consumed.
  [[nodiscard]] const expressions::Token& token() const noexcept { return token_; }
  /// The tokens after it.
  [[nodiscard]] expressions::Lexer ahead() const noexcept { return lexer_; }
  /// The text from `begin` to the end of the last consumed token.
  [[nodiscard]] std::string_view text_from(std::size_t begin) const noexcept {
    return text_.substr(begin, end_ - begin);
  }
  /// Consumes the current token and returns it.
  expressions::Token advance();

  [[nodiscard]] bool is_end() const noexcept { return token_.kind == expressions::TokenKind::end; }
  [[nodiscard]] bool is(std::string_view symbol) const noexcept;
  [[nodiscard]] bool is_keyword_here(std::string_view keyword) const noexcept;
  /// Consume the token if it matches. Return whether it did.
  bool accept(std::string_view symbol);
  bool accept_keyword(std::string_view keyword);
  /// Consumes the symbol, or fails: "found ...; expected EXPECTED".
  void expect(std::string_view symbol, std::string_view expected);
  /// Consumes a word that is not a keyword, or fails.
  Word name(std::string_view expected);
  /// Consumes up to the symbol, a '}' or the end.
  void skip_to(std::string_view symbol);

  /// Faults count again from here.
  void begin_statement() noexcept { is_spoiled_ = false; }
  void fault(std::size_t offset, std::string text);
  [[noreturn]] void fail(std::size_t offset, std::string text);
  [[noreturn]] void fail_here(std::string_view expected);
  [[nodiscard]] bool has_enough() const noexcept { return faults_.size() >= max_faults; }
  [[nodiscard]] std::vector<Fault>& faults() noexcept { return faults_; }
  /// "line 3, column 7"
  [[nodiscard]] std::string place(std::size_t offset) const;

 private:
  std::string_view text_;
  expressions::Lexer lexer_;
  expressions::Token token_;
  std::size_t end_{0};      // of the last consumed token
  bool is_spoiled_{false};  // the current statement has bytes that are not a token
  std::vector<Fault> faults_;
};

}  // namespace eventspace::metrics

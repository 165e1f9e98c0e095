#include "scopes/metrics/language/token_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "scopes/expressions/expression.h"
#include "scopes/metrics/language/keywords.h"

namespace eventspace::metrics {

using expressions::Token;
using expressions::TokenKind;

TokenReader::TokenReader(std::string_view text) : text_(text), lexer_(text, expressions::Language::metrics) {
  advance();
}

Token TokenReader::advance() {
  const Token token = token_;
  end_ = token.begin + token.source.size();
  for (;;) {
    try {
      token_ = lexer_.next();
      return token;
    } catch (const ExpressionError& error) {
      fault(error.offset(), std::string(error.without_column()));
      is_spoiled_ = true;
      lexer_.skip_fault();
    }
  }
}

bool TokenReader::is(std::string_view symbol) const noexcept {
  return token_.kind == TokenKind::symbol && token_.source == symbol;
}

bool TokenReader::is_keyword_here(std::string_view keyword) const noexcept {
  return token_.kind == TokenKind::word && is_same_word(token_.source, keyword);
}

bool TokenReader::accept(std::string_view symbol) {
  if (!is(symbol)) return false;
  advance();
  return true;
}

bool TokenReader::accept_keyword(std::string_view keyword) {
  if (!is_keyword_here(keyword)) return false;
  advance();
  return true;
}

void TokenReader::expect(std::string_view symbol, std::string_view expected) {
  if (!accept(symbol)) fail_here(expected);
}

Word TokenReader::name(std::string_view expected) {
  if (token_.kind != TokenKind::word) fail_here(expected);
  if (is_keyword(token_.source))
    fail(token_.begin, fmt::format("'{}' is a keyword; expected {}", token_.source, expected));
  const Token token = advance();
  return {token.source, token.begin};
}

std::vector<Word> TokenReader::indices() {
  std::vector<Word> made;
  while (accept("[")) {
    made.push_back(name("the name of a variable as index"));
    expect("]", "']' after the index");
  }
  return made;
}

void TokenReader::skip_to(std::string_view symbol) {
  while (!is_end() && !is(symbol) && !is("}")) advance();
}

void TokenReader::fault(std::size_t offset, std::string text) {
  if (!has_enough() && !is_spoiled_) faults_.push_back({offset, std::move(text)});
}

void TokenReader::fail(std::size_t offset, std::string text) {
  fault(offset, std::move(text));
  throw Abandoned();
}

void TokenReader::fail_here(std::string_view expected) {
  const std::string found = is_end() ? "the end of the file" : fmt::format("'{}'", token_.source);
  fail(token_.begin, fmt::format("found {}; expected {}", found, expected));
}

std::string TokenReader::place(std::size_t offset) const {
  const auto before = text_.substr(0, offset);
  const auto line = 1 + std::ranges::count(before, '\n');
  return fmt::format("line {}, column {}", line, offset - (before.rfind('\n') + 1) + 1);
}

}  // namespace eventspace::metrics

#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "monitors/whatif/actions/action.h"

namespace eventspace::whatif {

/// Reads a text line by line as words between blanks; "#" begins a comment. A fault is a ConfigurationError
/// with file and line. Words are valid until the next line.
class LineWords {
 public:
  static constexpr std::size_t longest_line = std::size_t{1} << 20;

  LineWords(std::istream& in, std::string source);
  /// Goes to the next line that has words. False at the end of the text.
  bool next_line();
  [[nodiscard]] std::uint32_t line() const noexcept { return line_; }
  [[nodiscard]] const std::string& source() const noexcept { return source_; }

  [[nodiscard]] bool has_more() const noexcept { return next_ < words_.size(); }
  [[nodiscard]] std::size_t words_left() const noexcept { return words_.size() - next_; }
  [[nodiscard]] std::string_view peek() const noexcept {
    return has_more() ? words_[next_] : std::string_view();
  }
  /// `what`: description of the expected word, for the error message.
  std::string_view word(std::string_view what);
  std::uint64_t whole(std::string_view what, std::uint64_t most);
  std::uint32_t number(std::string_view what);  ///< of 32 bits
  double real(std::string_view what);           ///< not negative
  Picoseconds time(std::string_view what);
  std::uint64_t bytes(std::string_view what);
  void expect_end();

  [[noreturn]] void refuse(const std::string& what) const;

 private:
  std::istream* in_;
  std::string source_;
  std::string text_;
  std::vector<std::string_view> words_;
  std::size_t next_{0};
  std::uint32_t line_{0};
};

}  // namespace eventspace::whatif

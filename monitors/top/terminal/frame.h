#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace eventspace::top {

/// The meaning of a piece of text, not its looks: a terminal without colours shows the same meaning.
enum class Style : std::uint8_t {
  plain,
  faint,  ///< less important
  strong,
  good,
  warning,
  bad,
  bar,     ///< the lines at the top and the bottom
  heading  ///< names of columns
};

/// The characters that the terminal can show.
enum class Charset : std::uint8_t { ascii, utf8 };

struct Size {
  std::size_t rows{24};
  std::size_t columns{80};
  friend bool operator==(const Size&, const Size&) = default;
};

struct Cell {
  char32_t glyph{U' '};
  Style style{Style::plain};
  bool is_chosen{false};  ///< in the row of the cursor
  friend bool operator==(const Cell&, const Cell&) = default;
};

/// A grid of characters of the size of a terminal. Pure. Not thread-safe.
///
/// Text comes from pathmaps, servers and keyboards. A character is shown as '?' if it could move the cursor,
/// does not take exactly one column, is not valid UTF-8, or has no ASCII replacement on an ASCII terminal.
class Frame {
 public:
  explicit Frame(Size size, Charset charset = Charset::utf8);

  [[nodiscard]] Size size() const noexcept { return size_; }
  [[nodiscard]] const Cell& at(std::size_t row, std::size_t column) const {
    return cells_[row * size_.columns + column];
  }

  /// Writes `text` at a position, into at most `room` columns up to the edge, and returns the number of
  /// columns used. Text that does not fit ends in an ellipsis. No effect outside of the frame.
  std::size_t put(std::size_t row, std::size_t column, std::string_view text, Style style = Style::plain,
                  std::size_t room = SIZE_MAX);
  /// As put(), but aligned to the right end of `room` columns.
  void put_right(std::size_t row, std::size_t column, std::string_view text, Style style, std::size_t room);
  /// Sets the style of a whole row.
  void fill(std::size_t row, Style style);
  /// Marks a row as that of the cursor.
  void choose(std::size_t row);

  /// A row in UTF-8 without trailing blanks.
  [[nodiscard]] std::string line(std::size_t row) const;
  /// All rows, each followed by a newline.
  [[nodiscard]] std::string text() const;

 private:
  [[nodiscard]] Cell& cell(std::size_t row, std::size_t column) {
    return cells_[row * size_.columns + column];
  }

  Size size_;
  Charset charset_;
  std::vector<Cell> cells_;
};

/// The number of columns that `text` takes.
std::size_t width_of(std::string_view text);
/// Appends a character as UTF-8.
void append_utf8(std::string& text, char32_t glyph);

}  // namespace eventspace::top

#pragma once

// Private to monitors/.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace eventspace::top {

/// What a piece of text is, not how it looks: a terminal without colours shows as much.
enum class Style : std::uint8_t {
  plain,
  faint,  ///< beside the point
  strong,
  good,
  warning,
  bad,
  bar,     ///< the lines at the top and the bottom
  heading  ///< names of columns
};

/// What the terminal can show.
enum class Charset : std::uint8_t { ascii, utf8 };

struct Size {
  std::size_t rows{24};
  std::size_t columns{80};
  friend bool operator==(const Size&, const Size&) = default;
};

struct Cell {
  char32_t glyph{U' '};
  Style style{Style::plain};
  bool is_chosen{false};  ///< where the cursor is
  friend bool operator==(const Cell&, const Cell&) = default;
};

/// A picture made of characters, of the size of a terminal. Pure.
///
/// Text comes from pathmaps, servers and keyboards: whatever could move the cursor, take no column or two, or
/// is not UTF-8, is shown as '?', and so is in ASCII what has no likeness there.
class Frame {
 public:
  explicit Frame(Size size, Charset charset = Charset::utf8);

  [[nodiscard]] Size size() const noexcept { return size_; }
  [[nodiscard]] const Cell& at(std::size_t row, std::size_t column) const {
    return cells_[row * size_.columns + column];
  }

  /// Puts `text` there, into `room` columns at most (and to the edge), and yields how many it took. Text that
  /// is cut ends in an ellipsis. Outside of the frame nothing happens.
  std::size_t put(std::size_t row, std::size_t column, std::string_view text, Style style = Style::plain,
                  std::size_t room = SIZE_MAX);
  /// The same, but it ends with the last of `room` columns.
  void put_right(std::size_t row, std::size_t column, std::string_view text, Style style, std::size_t room);
  /// Gives a whole row a style.
  void fill(std::size_t row, Style style);
  /// Marks a row as the one where the cursor is.
  void choose(std::size_t row);

  /// A row in UTF-8, without blanks at its end.
  [[nodiscard]] std::string line(std::size_t row) const;
  /// All rows, each with a line end.
  [[nodiscard]] std::string text() const;

 private:
  [[nodiscard]] Cell& cell(std::size_t row, std::size_t column) {
    return cells_[row * size_.columns + column];
  }

  Size size_;
  Charset charset_;
  std::vector<Cell> cells_;
};

/// How many columns `text` takes.
std::size_t width_of(std::string_view text);
/// Appends a character as UTF-8.
void append_utf8(std::string& text, char32_t glyph);

}  // namespace eventspace::top

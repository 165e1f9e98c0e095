#include "monitors/top/terminal/frame_writer.h"

#include <fmt/format.h>

#include <iterator>
#include <optional>

namespace eventspace::top {
namespace {

const char* colour_of(Style style) {
  switch (style) {
    case Style::good:
      return ";32";
    case Style::warning:
      return ";33";
    case Style::bad:
      return ";1;31";
    case Style::faint:
      return ";2";
    default:
      return "";
  }
}

// Emphasis that monochrome terminals also show.
const char* emphasis_of(Style style) {
  switch (style) {
    case Style::strong:
    case Style::bad:
      return ";1";
    case Style::bar:
      return ";7";
    case Style::heading:
      return ";1;4";
    default:
      return "";
  }
}

class Writer {
 public:
  Writer(const Frame* shown, const Frame& next, bool colour)
      : shown_(shown != nullptr && shown->size() == next.size() ? shown : nullptr),
        next_(next),
        colour_(colour) {}

  std::string write() {
    if (shown_ == nullptr) bytes_ += "\x1b[0m\x1b[2J";
    for (std::size_t row = 0; row < next_.size().rows; ++row) write_row(row);
    if (look_) bytes_ += "\x1b[0m";
    return std::move(bytes_);
  }

 private:
  struct Look {
    Style style;
    bool is_chosen;
    friend bool operator==(const Look&, const Look&) = default;
  };

  [[nodiscard]] bool differs(std::size_t row, std::size_t column) const {
    return next_.at(row, column) != (shown_ != nullptr ? shown_->at(row, column) : Cell{});
  }

  void write_row(std::size_t row) {
    // `at` is the position of the cursor. A short gap is cheaper to rewrite than to skip with a control
    // sequence.
    constexpr std::size_t short_way = 6;
    std::optional<std::size_t> at;
    for (std::size_t column = 0; column < next_.size().columns; ++column) {
      if (!differs(row, column)) continue;
      if (at && column - *at <= short_way) {
        for (; *at < column; ++*at) write_cell(next_.at(row, *at));
      } else if (at != column) {
        fmt::format_to(std::back_inserter(bytes_), "\x1b[{};{}H", row + 1, column + 1);
      }
      write_cell(next_.at(row, column));
      at = column + 1;
    }
  }

  void write_cell(const Cell& cell) {
    const Look look{cell.style, cell.is_chosen};
    if (look != look_) {
      fmt::format_to(std::back_inserter(bytes_), "\x1b[0{}{}{}m", emphasis_of(cell.style),
                     colour_ ? colour_of(cell.style) : "", cell.is_chosen ? ";7" : "");
      look_ = look;
    }
    append_utf8(bytes_, cell.glyph);
  }

  const Frame* shown_;
  const Frame& next_;
  bool colour_;
  std::optional<Look> look_;
  std::string bytes_;
};

}  // namespace

std::string write_difference(const Frame* shown, const Frame& next, bool colour) {
  return Writer(shown, next, colour).write();
}

}  // namespace eventspace::top

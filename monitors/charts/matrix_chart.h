#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "monitors/charts/chart.h"

namespace eventspace {

/// Values of pairs of a row and a column; a pair without a cell is blank. Plain data.
struct Matrix {
  struct Cell {
    std::size_t row{0};
    std::size_t column{0};
    double value{0};
    std::string text;  ///< written into the cell if it fits
  };
  std::vector<std::string> rows{};  ///< names
  std::vector<std::string> columns{};
  std::vector<Cell> cells{};
  std::string unit{};          ///< of the texts; may be empty
  bool is_logarithmic{false};  ///< of the colours
};

/// Rows and columns beyond this number are not drawn.
inline constexpr std::size_t max_matrix_rows = 64;

/// Draws a square for each cell, darker for greater values, and a key of the colours. `room`: left and right
/// are ignored. Pure.
void draw_matrix(Picture& picture, const std::string& title, const Matrix& matrix,
                 const ChartRoom& room = {});
/// The room in which each cell of a matrix can hold a text of `characters`.
ChartRoom room_for_texts(const Matrix& matrix, std::size_t characters);

}  // namespace eventspace

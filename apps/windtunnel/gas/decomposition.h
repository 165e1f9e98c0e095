// The division of the tunnel's rows into slices.
#pragma once

#include <cstddef>

namespace eventspace::windtunnel {

// The global rows [first, last).
struct RowRange {
  std::size_t first = 0;
  std::size_t last = 0;

  constexpr std::size_t size() const { return last - first; }
  friend bool operator==(const RowRange&, const RowRange&) = default;
};

// Returns the rows of slice number 'slice' out of 'slices', from north to south; sizes differ by at most one
// row. Throws std::invalid_argument unless slice < slices <= rows.
RowRange slice_rows(std::size_t rows, std::size_t slices, std::size_t slice);

}  // namespace eventspace::windtunnel

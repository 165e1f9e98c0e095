#include "apps/windtunnel/gas/decomposition.h"

#include <stdexcept>
#include <string>

namespace eventspace::windtunnel {

RowRange slice_rows(std::size_t rows, std::size_t slices, std::size_t slice) {
  if (slices == 0 || slices > rows)
    throw std::invalid_argument("cannot cut " + std::to_string(rows) + " rows into " +
                                std::to_string(slices) + " slices; allowed are 1 to " + std::to_string(rows));
  if (slice >= slices)
    throw std::invalid_argument("no slice " + std::to_string(slice) + "; the " + std::to_string(slices) +
                                " slices are counted from 0");
  return {slice * rows / slices, (slice + 1) * rows / slices};
}

}  // namespace eventspace::windtunnel

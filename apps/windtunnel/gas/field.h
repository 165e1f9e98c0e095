// The gas on the scale of a picture: sums over square cells of sites. Cells are aligned to the tunnel, but
// slices need not be aligned to cells: each slice contributes to the cells that it touches, and these
// contributions add up, over slices as well as over time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "apps/windtunnel/gas/config.h"
#include "apps/windtunnel/gas/decomposition.h"
#include "apps/windtunnel/gas/slice.h"

namespace eventspace::windtunnel {

// Sums over the sites of a cell that are not solid, and over all samples added. Particles that are being
// turned round inside a solid site do not count.
struct Cell {
  std::int64_t mass = 0;
  std::int64_t momentum_x = 0;  // in the whole units of channel.h
  std::int64_t momentum_y = 0;
  std::int64_t open = 0;   // sites that are not solid
  std::int64_t sites = 0;  // all sites

  Cell& operator+=(const Cell& other) {
    mass += other.mass;
    momentum_x += other.momentum_x;
    momentum_y += other.momentum_y;
    open += other.open;
    sites += other.sites;
    return *this;
  }
  friend bool operator==(const Cell&, const Cell&) = default;
};

// Cells can be sent as bytes between machines of the same byte order.
static_assert(std::is_trivially_copyable_v<Cell> && sizeof(Cell) == 40);

class Field {
 public:
  // All cells of the tunnel, or the cells that touch a range of its rows, empty. A cell is a square of 'cell'
  // by 'cell' sites; the last ones may be cut off by the end of the tunnel. Throws std::invalid_argument
  // unless cell is a multiple of 8 and not more than n.
  Field(const TunnelConfig& config, std::size_t cell);
  Field(const TunnelConfig& config, std::size_t cell, RowRange rows);

  // Adds a field whose cells have the same size and are among those of this field; throws
  // std::invalid_argument otherwise.
  Field& operator+=(const Field& part);

  // Returns the field with each cell replaced by the sum of all cells at most 'radius' away along rows and
  // columns, which reduces noise.
  Field smoothed(std::size_t radius) const;

  std::size_t cell_size() const { return cell_; }
  std::size_t columns() const { return columns_; }
  RowRange rows() const { return rows_; }  // of cells

  Cell& at(std::size_t row, std::size_t column) { return cells_[place_of(row, column)]; }
  const Cell& at(std::size_t row, std::size_t column) const { return cells_[place_of(row, column)]; }

  // All cells, row by row.
  std::span<Cell> cells() { return cells_; }
  std::span<const Cell> cells() const { return cells_; }

 private:
  std::size_t place_of(std::size_t row, std::size_t column) const {
    return (row - rows_.first) * columns_ + column;
  }

  std::size_t cell_;
  std::size_t columns_;
  RowRange rows_;
  std::vector<Cell> cells_;
};

// Returns the present content of a slice, as its contribution to the cells that it touches.
Field sample(const Slice& slice, std::size_t cell);

}  // namespace eventspace::windtunnel

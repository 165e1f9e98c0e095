// What the gas does on the scale of a picture: sums over square cells of sites. Cells are aligned to the
// tunnel, slices need not be aligned to cells: each slice contributes its part of the cells it touches, and
// parts add up, over slices as well as over time.
//
//     Field mean(config, 16);                       // the whole tunnel, all zero
//     for (...) mean += sample(slice, 16);          // any slice, any step
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

// Sums over the sites of a cell where there is gas, and over the samples added up. Particles that are being
// turned round inside a solid site are left out.
struct Cell {
  std::int64_t mass = 0;
  std::int64_t momentum_x = 0;  // in the whole units of channel.h
  std::int64_t momentum_y = 0;
  std::int64_t open = 0;   // sites where there is gas
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
  // All cells of the tunnel, or those that touch a range of its rows, with nothing in them. A cell is a
  // square of 'cell' by 'cell' sites; the last ones may be cut short by the end of the tunnel.
  // Throws std::invalid_argument unless cell is a multiple of 8, and not more than n.
  Field(const TunnelConfig& config, std::size_t cell);
  Field(const TunnelConfig& config, std::size_t cell, RowRange rows);

  // Adds a field whose cells are as large as those here and among them; throws std::invalid_argument
  // otherwise.
  Field& operator+=(const Field& part);

  // Each cell replaced by the sum of all cells at most 'radius' away along rows and columns. Takes noise
  // away.
  Field smoothed(std::size_t radius) const;

  std::size_t cell_size() const { return cell_; }
  std::size_t columns() const { return columns_; }
  RowRange rows() const { return rows_; }  // of cells

  Cell& at(std::size_t row, std::size_t column) { return cells_[place_of(row, column)]; }
  const Cell& at(std::size_t row, std::size_t column) const { return cells_[place_of(row, column)]; }

  // Row by row.
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

// What is in a slice now, as the part of the cells that it touches.
Field sample(const Slice& slice, std::size_t cell);

}  // namespace eventspace::windtunnel

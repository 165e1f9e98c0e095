#include "apps/windtunnel/gas/field.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace eventspace::windtunnel {
namespace {

constexpr std::size_t kLane = 8;

std::size_t validated(std::size_t cell, const TunnelConfig& config) {
  if (cell > 0 && cell % kLane == 0 && cell <= config.n) return cell;
  throw std::invalid_argument("wind tunnel: a cell of a field is " + std::to_string(cell) +
                              " sites wide; allowed are multiples of 8 up to n, " + std::to_string(config.n));
}

std::size_t divided_up(std::size_t count, std::size_t by) { return (count + by - 1) / by; }

// Eight counts of up to 255, one byte each; each counts eight columns of a word.
using Lanes = std::uint64_t;

constexpr Lanes count_lanes(std::uint64_t bits) {
  bits -= (bits >> 1) & 0x5555555555555555;
  bits = (bits & 0x3333333333333333) + ((bits >> 2) & 0x3333333333333333);
  return (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0f;
}

constexpr std::int64_t lane(Lanes lanes, std::size_t index) {
  return static_cast<std::int64_t>((lanes >> (index * kLane)) & 0xff);
}

// The content of 64 sites, lane by lane. No count exceeds 56, so lanes do not overflow.
struct Counts {
  Lanes mass = 0;
  Lanes east = 0;
  Lanes west = 0;
  Lanes north = 0;
  Lanes south = 0;
  Lanes solid = 0;
};

void add_momentum(Counts& counts, Lanes lanes, Momentum momentum) {
  const auto times = [lanes](std::int64_t factor) { return lanes * static_cast<std::uint64_t>(factor); };
  if (momentum.x > 0) counts.east += times(momentum.x);
  if (momentum.x < 0) counts.west += times(-momentum.x);
  if (momentum.y > 0) counts.south += times(momentum.y);
  if (momentum.y < 0) counts.north += times(-momentum.y);
}

Counts count_word(const Slice& slice, std::size_t row, std::size_t word) {
  Counts counts;
  const auto solid = slice.solid(row)[word];
  counts.solid = count_lanes(solid);
  for (const auto channel : kAllChannels) {
    const auto lanes = count_lanes(slice.particles(channel, row)[word] & ~solid);
    counts.mass += lanes;
    add_momentum(counts, lanes, momentum_of(channel));
  }
  return counts;
}

constexpr auto kLaneSites = static_cast<std::int64_t>(kLane);

Cell cell_of(const Counts& counts, std::size_t index) {
  return {lane(counts.mass, index), lane(counts.east, index) - lane(counts.west, index),
          lane(counts.south, index) - lane(counts.north, index), kLaneSites - lane(counts.solid, index),
          kLaneSites};
}

void add_word(Field& field, const Slice& slice, std::size_t row, std::size_t word) {
  const auto counts = count_word(slice, row, word);
  for (std::size_t index = 0; index < kLane; ++index) {
    const auto column = word * 64 + index * kLane;
    field.at(row / field.cell_size(), column / field.cell_size()) += cell_of(counts, index);
  }
}

// Returns the indices at most 'radius' away from 'middle'.
RowRange around(std::size_t middle, std::size_t radius, RowRange all) {
  return {std::max(middle, all.first + radius) - radius, std::min(middle + radius + 1, all.last)};
}

Cell sum_along_row(const Field& field, std::size_t row, std::size_t column, std::size_t radius) {
  const auto range = around(column, radius, {0, field.columns()});
  Cell sum;
  for (auto i = range.first; i < range.last; ++i) sum += field.at(row, i);
  return sum;
}

Cell sum_along_column(const Field& field, std::size_t row, std::size_t column, std::size_t radius) {
  const auto range = around(row, radius, field.rows());
  Cell sum;
  for (auto i = range.first; i < range.last; ++i) sum += field.at(i, column);
  return sum;
}

}  // namespace

Field::Field(const TunnelConfig& config, std::size_t cell) : Field(config, cell, {0, config.rows()}) {}

Field::Field(const TunnelConfig& config, std::size_t cell, RowRange rows)
    : cell_(validated(cell, config)),
      columns_(divided_up(config.columns(), cell)),
      rows_{rows.first / cell, divided_up(rows.last, cell)},
      cells_(rows_.size() * columns_) {}

Field& Field::operator+=(const Field& part) {
  if (part.cell_ != cell_ || part.columns_ != columns_ || part.rows_.first < rows_.first ||
      part.rows_.last > rows_.last)
    throw std::invalid_argument("wind tunnel: a field can only be added to one with the same cells");
  const auto offset = place_of(part.rows_.first, 0);
  for (std::size_t i = 0; i < part.cells_.size(); ++i) cells_[offset + i] += part.cells_[i];
  return *this;
}

Field Field::smoothed(std::size_t radius) const {
  // Rows first, then columns: the cost grows with the radius, not with its square.
  Field along_rows = *this;
  Field both = *this;
  for (auto row = rows_.first; row < rows_.last; ++row)
    for (std::size_t column = 0; column < columns_; ++column)
      along_rows.at(row, column) = sum_along_row(*this, row, column, radius);
  for (auto row = rows_.first; row < rows_.last; ++row)
    for (std::size_t column = 0; column < columns_; ++column)
      both.at(row, column) = sum_along_column(along_rows, row, column, radius);
  return both;
}

Field sample(const Slice& slice, std::size_t cell) {
  Field field(slice.config(), cell, slice.rows());
  for (auto row = slice.rows().first; row < slice.rows().last; ++row)
    for (std::size_t word = 0; word < slice.config().words(); ++word) add_word(field, slice, row, word);
  return field;
}

}  // namespace eventspace::windtunnel

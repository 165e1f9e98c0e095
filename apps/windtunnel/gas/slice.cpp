#include "apps/windtunnel/gas/slice.h"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>

#include "apps/windtunnel/gas/geometry.h"
#include "apps/windtunnel/gas/kernel.h"
#include "apps/windtunnel/gas/random.h"

namespace eventspace::windtunnel {
namespace {

const TunnelConfig& validated(const TunnelConfig& config) {
  validate(config);
  return config;
}

RowRange validated(RowRange rows, const TunnelConfig& config) {
  if (rows.first < rows.last && rows.last <= config.rows()) return rows;
  throw std::invalid_argument("wind tunnel: a slice cannot be rows " + std::to_string(rows.first) + " to " +
                              std::to_string(rows.last) + "; it needs at least one row of the " +
                              std::to_string(config.rows()));
}

bool moves_south(Channel channel) { return momentum_of(channel).y > 0; }
bool moves_east(Channel channel) { return momentum_of(channel).x > 0; }

// Odd columns lie half a row further south: their particles stay in the row when they move north, and change
// it when they move south.
std::uint64_t columns_that_stay(Channel channel) { return moves_south(channel) ? kEvenColumns : kOddColumns; }

std::int64_t count(ConstBitRow row) {
  std::int64_t sum = 0;
  for (const auto word : row) sum += std::popcount(word);
  return sum;
}

std::int64_t count_both(ConstBitRow a, ConstBitRow b) {
  std::int64_t sum = 0;
  for (std::size_t word = 0; word < a.size(); ++word) sum += std::popcount(a[word] & b[word]);
  return sum;
}

// Returns the totals of so many particles.
Totals totals_of(Channel channel, std::int64_t mass) {
  const auto momentum = momentum_of(channel);
  return {mass, mass * momentum.x, mass * momentum.y};
}

std::uint64_t hash(ConstBitRow row, RowKey key) {
  std::uint64_t sum = 0;
  for (std::size_t word = 0; word < row.size(); ++word) sum += mix(row[word] ^ random_word(key, word));
  return sum;
}

void validate_halo(Side side, Channel channel, ConstBitRow row, std::size_t words) {
  if (std::ranges::count(entering(side), channel) == 0)
    throw std::invalid_argument("wind tunnel: channel " + std::to_string(index_of(channel)) +
                                " does not come in through the " + (side == Side::north ? "north" : "south") +
                                " side");
  if (row.size() != words)
    throw std::invalid_argument("wind tunnel: a border row of " + std::to_string(row.size()) +
                                " words was set in a slice whose rows have " + std::to_string(words));
}

}  // namespace

Slice::Slice(const TunnelConfig& config, RowRange rows)
    : config_(validated(config)),
      rows_(validated(rows, config)),
      gas_(config),
      solid_(rows.size(), config.words()),
      channels_(kChannels, BitMatrix(rows.size() + 1, config.words())),
      scratch_(config.words() + 2) {
  fill();
}

void Slice::fill() {
  for (std::size_t local = 0; local < rows_.size(); ++local) {
    const auto row = rows_.first + local;
    const auto solid = solid_.row(local);
    draw_solid(config_, row, solid);
    for (const auto channel : kAllChannels)
      for (std::size_t word = 0; word < config_.words(); ++word)
        local_row(channel, local)[word] = gas_.initial_word(channel, row, word) & ~solid[word];
  }
}

BitRow Slice::local_row(Channel channel, std::size_t row) {
  // Channels that move southwards have their halo row first, see channels_.
  return channels_[index_of(channel)].row(row + (moves_south(channel) ? 1 : 0));
}

ConstBitRow Slice::particles(Channel channel, std::size_t row) const {
  return channels_[index_of(channel)].row(row - rows_.first + (moves_south(channel) ? 1 : 0));
}

void Slice::collide(std::uint64_t step) {
  for (std::size_t local = 0; local < rows_.size(); ++local) {
    SiteRow row{{}, solid_.row(local)};
    for (const auto channel : kAllChannels) row.channels[index_of(channel)] = local_row(channel, local);
    // The key contains the global row, so that the random bits do not depend on the slices (guarantee 1).
    collide_row(row, row_key(config_.seed, Purpose::collision, step, rows_.first + local));
  }
}

ConstBitRow Slice::border(Side side, Channel channel) const {
  return particles(channel, side == Side::north ? rows_.first : rows_.last - 1);
}

void Slice::set_halo(Side side, Channel channel, ConstBitRow row) {
  validate_halo(side, channel, row, config_.words());
  const auto halo = channels_[index_of(channel)].row(side == Side::north ? 0 : rows_.size());
  std::ranges::copy(row, halo.begin());
}

Throughput Slice::propagate(std::uint64_t step) {
  Throughput flow;
  move_straight();
  // Each row is overwritten only after the row that takes particles from it, so the work can be done in
  // place: northward channels from the north, southward ones from the south.
  for (std::size_t row = 0; row < rows_.size(); ++row)
    for (const auto channel : {Channel::north_east, Channel::north_west})
      flow += move_slanted(channel, row, step);
  for (std::size_t row = rows_.size(); row-- > 0;)
    for (const auto channel : {Channel::south_east, Channel::south_west})
      flow += move_slanted(channel, row, step);
  return flow;
}

void Slice::move_straight() {
  auto& north = channels_[index_of(Channel::north)];
  auto& south = channels_[index_of(Channel::south)];
  const auto last = rows_.size();
  for (std::size_t row = 0; row < last; ++row) std::ranges::copy(north.row(row + 1), north.row(row).begin());
  for (std::size_t row = last; row > 0; --row) std::ranges::copy(south.row(row - 1), south.row(row).begin());
}

Throughput Slice::move_slanted(Channel channel, std::size_t row, std::uint64_t step) {
  auto& matrix = channels_[index_of(channel)];
  const auto own = local_row(channel, row);
  // At the border of the slice this is the halo row.
  const auto neighbour = moves_south(channel) ? matrix.row(row) : matrix.row(row + 1);
  const bool enters = is_enterable(channel, row) && gas_.enters(channel, rows_.first + row, step);
  const SlantedMove move{own, neighbour, columns_that_stay(channel), scratch_, enters};
  const bool left = moves_east(channel) ? move_east(move) : move_west(move);
  carried_ += totals_of(channel, (enters ? 1 : 0) - (left ? 1 : 0));
  return {enters ? 1 : 0, left ? 1 : 0};
}

bool Slice::is_enterable(Channel channel, std::size_t row) const {
  // No particle enters through a solid site.
  return !test_bit(solid_.row(row), moves_east(channel) ? 0 : config_.columns() - 1);
}

bool Slice::place(Channel channel, std::size_t row, std::size_t column) {
  if (row < rows_.first || row >= rows_.last || column >= config_.columns())
    throw std::out_of_range("wind tunnel: row " + std::to_string(row) + ", column " + std::to_string(column) +
                            " is not in the slice");
  const auto bits = local_row(channel, row - rows_.first);
  if (test_bit(bits, column)) return false;
  set_bit(bits, column);
  return true;
}

Totals Slice::totals() const {
  Totals sum;
  for (const auto channel : kAllChannels)
    for (auto row = rows_.first; row < rows_.last; ++row)
      sum += totals_of(channel, count(particles(channel, row)));
  return sum;
}

Totals Slice::solid_totals() const {
  Totals sum;
  for (const auto channel : kAllChannels)
    for (auto row = rows_.first; row < rows_.last; ++row)
      sum += totals_of(channel, count_both(particles(channel, row), solid(row)));
  return sum;
}

std::uint64_t Slice::checksum() const {
  std::uint64_t sum = 0;
  for (auto row = rows_.first; row < rows_.last; ++row) {
    for (const auto channel : kAllChannels)
      sum += hash(particles(channel, row), row_key(0, Purpose::checksum, index_of(channel), row));
    sum += hash(solid(row), row_key(0, Purpose::checksum, kChannels, row));
  }
  return sum;
}

}  // namespace eventspace::windtunnel

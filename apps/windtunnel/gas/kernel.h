// The inner loops of the lattice gas, for one row and one word of 64 sites at a time, written so that the
// compiler vectorises them.
#pragma once

#include <array>
#include <cstdint>

#include "apps/windtunnel/gas/bit_matrix.h"
#include "apps/windtunnel/gas/channel.h"
#include "apps/windtunnel/gas/random.h"

namespace eventspace::windtunnel {

// The same row of each matrix. All have the same length, and none overlaps another.
struct SiteRow {
  std::array<BitRow, kChannels> channels;
  ConstBitRow solid;
};

// Collides the particles of each site that is not solid, and turns each particle round where it is.
void collide_row(const SiteRow& row, RowKey key);

// Columns by their parity, as masks of a word.
inline constexpr std::uint64_t kEvenColumns = 0x5555555555555555;
inline constexpr std::uint64_t kOddColumns = ~kEvenColumns;

// One move along a slanted channel into a row: particles come from some columns of the row itself, and from
// the other columns of a neighbour row.
struct SlantedMove {
  BitRow row;
  ConstBitRow neighbour;
  std::uint64_t own_columns;  // kEvenColumns or kOddColumns: the columns of the row itself
  BitRow scratch;             // two words longer than the row
  bool enters;                // whether a particle comes in at the end of the row
};

// Both replace move.row by the particles that move into it, and return whether a particle leaves at the other
// end.
bool move_east(const SlantedMove& move);
bool move_west(const SlantedMove& move);

}  // namespace eventspace::windtunnel

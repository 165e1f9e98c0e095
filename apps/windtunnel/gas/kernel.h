// The inner loops of the lattice gas: what is done to one row, a word of 64 sites at a time, written so that
// the compiler makes vector code of it.
#pragma once

#include <array>
#include <cstdint>

#include "apps/windtunnel/gas/bit_matrix.h"
#include "apps/windtunnel/gas/channel.h"
#include "apps/windtunnel/gas/random.h"

namespace eventspace::windtunnel {

// The same row of each matrix; all are equally long, and none overlaps another.
struct SiteRow {
  std::array<BitRow, kChannels> channels;
  ConstBitRow solid;
};

// Collides the particles of each site where there is gas, and turns each particle round where it is solid.
void collide_row(const SiteRow& row, RowKey key);

// Columns by their parity, as masks of a word.
inline constexpr std::uint64_t kEvenColumns = 0x5555555555555555;
inline constexpr std::uint64_t kOddColumns = ~kEvenColumns;

// What moves along a slanted channel into one row: particles of the row itself from some columns, and of a
// neighbour row from the others.
struct SlantedMove {
  BitRow row;
  ConstBitRow neighbour;
  std::uint64_t own_columns;  // kEvenColumns or kOddColumns: those that the row itself contributes
  BitRow scratch;             // two words longer than the row
  bool enters;                // whether a particle comes in at the end of the row
};

// Both replace move.row by what has moved into it, and say whether a particle left at the other end.
bool move_east(const SlantedMove& move);
bool move_west(const SlantedMove& move);

}  // namespace eventspace::windtunnel

// A slice of the wind tunnel: the rows that one thread computes, and the data needed to step them.
//
// A step of the lattice gas has two halves. In between, each slice sends its six border rows to its
// neighbours and receives six halo rows from them, three at each side:
//
//     slice.collide(step);
//     for each side and each channel leaving(side):
//       the neighbour at that side does   neighbour.set_halo(opposite(side), channel, slice.border(...));
//     totals_of_flow += slice.propagate(step);
//
// The tunnel is a ring: the slice north of the first is the last. Nothing crosses there, because the top and
// the bottom row of the tunnel are walls.
//
// Walls and obstacles turn each particle round (bounce-back), so that the gas does not slip along them. A
// particle that is being turned is inside a solid site for half a step, and is still counted. Beyond both
// ends of the tunnel is gas of the configured density and speed: it sends particles in, and absorbs leaving
// particles.
//
// Guarantees:
// 1. The union of the slices is bit-identical for every decomposition: random bits depend only on the global
//    row.
// 2. Collisions conserve mass and momentum exactly, turning round conserves mass exactly, and mass after a
//    step = mass before + injected - left, summed over the tunnel. The same holds for momentum, with the
//    momentum of the particles injected and left, plus twice the momentum inside solid sites after collide.
//
// The state consists of eight bit matrices of 2N columns: seven channels, and the solid sites. A step works
// in place. Not thread-safe: a slice belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "apps/windtunnel/gas/bit_matrix.h"
#include "apps/windtunnel/gas/channel.h"
#include "apps/windtunnel/gas/config.h"
#include "apps/windtunnel/gas/decomposition.h"
#include "apps/windtunnel/gas/gas.h"
#include "apps/windtunnel/gas/totals.h"

namespace eventspace::windtunnel {

class Slice {
 public:
  // Makes the rows at step 0. Throws std::invalid_argument if the configuration is not valid, or if the range
  // is empty or exceeds the tunnel.
  Slice(const TunnelConfig& config, RowRange rows);

  // The first half of a step. Steps are counted from 0.
  void collide(std::uint64_t step);

  // Returns the particles that leave through the side along one of the channels leaving(side), as one row of
  // config().words() words. Valid from collide until propagate.
  ConstBitRow border(Side side, Channel channel) const;

  // Sets the particles that come in through the side along one of the channels entering(side): the border of
  // the neighbour. Throws std::invalid_argument if the channel does not come in there, or if the row does not
  // have config().words() words.
  void set_halo(Side side, Channel channel, ConstBitRow row);

  // The second half of a step. All six halo rows of this step must have been set.
  [[nodiscard]] Throughput propagate(std::uint64_t step);

  // Adds a particle, and returns whether there was room. Throws std::out_of_range if the site is not in the
  // slice.
  bool place(Channel channel, std::size_t row, std::size_t column);

  const TunnelConfig& config() const { return config_; }
  RowRange rows() const { return rows_; }

  // Return one row of a matrix. Row numbers are global and must be in rows().
  ConstBitRow particles(Channel channel, std::size_t row) const;
  ConstBitRow solid(std::size_t row) const { return solid_.row(row - rows_.first); }

  Totals totals() const;
  // The totals of the particles inside solid sites.
  Totals solid_totals() const;
  // The particles that have come in through the ends of the tunnel since the first step, minus those that
  // have left.
  const Totals& carried() const { return carried_; }

  // Returns a sum over rows, modulo 2^64; the sum over all slices is the checksum of the tunnel.
  std::uint64_t checksum() const;

 private:
  void fill();
  BitRow local_row(Channel channel, std::size_t row);
  bool is_enterable(Channel channel, std::size_t row) const;
  void move_straight();
  Throughput move_slanted(Channel channel, std::size_t row, std::uint64_t step);

  TunnelConfig config_;
  RowRange rows_;
  Gas gas_;
  BitMatrix solid_;
  // Each matrix has one halo row in addition to the slice: the first row if its particles move southwards,
  // otherwise the last row.
  std::vector<BitMatrix> channels_;
  std::vector<std::uint64_t> scratch_;
  Totals carried_;
};

}  // namespace eventspace::windtunnel

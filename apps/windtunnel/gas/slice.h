// A slice of the wind tunnel: the rows that one thread computes, with all that is needed to step them.
//
// A step of the lattice gas has two halves. In between, each slice gives its six border rows to its
// neighbours and takes six halo rows from them, three of each at each side:
//
//     slice.collide(step);
//     for each side and each channel leaving(side):
//       the neighbour at that side does   neighbour.set_halo(opposite(side), channel, slice.border(...));
//     totals_of_flow += slice.propagate(step);
//
// The tunnel is a ring: the slice north of the first is the last. Nothing passes there, since the top and
// the bottom row of the tunnel are walls.
//
// Walls and obstacles turn each particle round (bounce-back), so that the gas does not slip along them. A
// particle is inside a solid site for half a step then, and counts. Gas of the configured density and speed
// lies beyond both ends of the tunnel: it sends particles in, and takes every particle that leaves.
//
// Guarantees:
// 1. The union of the slices is bit-identical for every decomposition: chance depends on the global row only.
// 2. Collisions conserve mass and momentum exactly, turning round conserves mass exactly, and
//    mass after a step = mass before + injected - left, summed over the tunnel.
//    The same for momentum, with that of the particles that were injected and left, and with twice that which
//    solid sites hold after collide.
//
// The state is eight bit matrices of 2N columns: seven channels and one that says where it is solid. A step
// works in place. Not thread-safe: a slice belongs to one thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
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
  // The rows at step 0. Throws std::invalid_argument if the configuration is not valid, or the range is empty
  // or goes beyond the tunnel.
  Slice(const TunnelConfig& config, RowRange rows);

  // First half of a step. Steps count from 0.
  void collide(std::uint64_t step);

  // What leaves through the side along one of the channels leaving(side), as one row of config().words()
  // words. Meaningful between collide and propagate, and valid until then.
  ConstBitRow border(Side side, Channel channel) const;

  // What comes in through the side along one of the channels entering(side): the border of the neighbour.
  // Throws std::invalid_argument if the channel does not come in there, or the row has not
  // config().words() words.
  void set_halo(Side side, Channel channel, ConstBitRow row);

  // Second half of a step; needs all six halo rows of this step.
  [[nodiscard]] Throughput propagate(std::uint64_t step);

  // Adds a particle; says whether there was room. Throws std::out_of_range if the site is not in the slice.
  bool place(Channel channel, std::size_t row, std::size_t column);

  const TunnelConfig& config() const { return config_; }
  RowRange rows() const { return rows_; }

  // One row of a matrix; rows are global and must be in rows().
  ConstBitRow particles(Channel channel, std::size_t row) const;
  ConstBitRow solid(std::size_t row) const { return solid_.row(row - rows_.first); }

  Totals totals() const;
  // Of what is inside solid sites.
  Totals solid_totals() const;
  // What came in through the ends of the tunnel less what left, since the first step.
  const Totals& carried() const { return carried_; }

  // A sum over rows, modulo 2^64: the sum over all slices is the checksum of the tunnel.
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
  // Each has one halo row more than the slice: the first one if its particles move southwards, else the last.
  std::vector<BitMatrix> channels_;
  std::vector<std::uint64_t> scratch_;
  Totals carried_;
};

}  // namespace eventspace::windtunnel

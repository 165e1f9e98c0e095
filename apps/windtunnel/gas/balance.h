// Whether the gas is conserved: a check that all workers of a run make together (`--reduce-every`).
//
// What is in the tunnel must be what was in it before the first step, and what has come and gone since:
// through the ends of the tunnel mass and momentum, from walls and obstacle momentum, as they turn each
// particle round. All of it is counted in whole numbers, so it is exact.
#pragma once

#include <cstdint>

#include "apps/windtunnel/gas/slice.h"
#include "apps/windtunnel/gas/totals.h"
#include "tuplespace/tuple.h"

namespace eventspace::windtunnel {

struct Balance {
  Totals now;  // counted
  Totals due;  // by what came and went
};

// What walls and obstacle give to the gas of the slice in this step; between collide and propagate.
Totals impulse_of(const Slice& slice);

// Of a slice that had `before` at first and was given `impulses` since.
Balance balance_of(const Slice& slice, const Totals& before, const Totals& impulses);

// Six integers; the sum over all slices, field by field, is that of the tunnel.
Tuple to_tuple(const Balance& balance);

// Throws std::runtime_error that says by how much it is violated.
void require_balance(const Tuple& whole, std::uint64_t steps_done);

}  // namespace eventspace::windtunnel

// Checks that the gas is conserved; all workers of a run do this together (`--reduce-every`).
//
// The content of the tunnel must equal its content before the first step plus what has come and gone since:
// mass and momentum through the ends of the tunnel, and momentum from walls and obstacle, which turn each
// particle round. Everything is counted in whole numbers, so the check is exact.
#pragma once

#include <cstdint>

#include <eventspace/tuple.h>
#include "apps/windtunnel/gas/slice.h"
#include "apps/windtunnel/gas/totals.h"

namespace eventspace::windtunnel {

struct Balance {
  Totals now;  // counted
  Totals due;  // expected from what came and went
};

// Returns the momentum that walls and obstacle give to the gas of the slice in this step. Call between
// collide and propagate.
Totals impulse_of(const Slice& slice);

// Returns the balance of a slice that began with `before` and has received `impulses` since.
Balance balance_of(const Slice& slice, const Totals& before, const Totals& impulses);

// Returns a tuple of six integers, whose sums over all slices are the balance of the tunnel.
Tuple to_tuple(const Balance& balance);

// Throws std::runtime_error with the numbers if the balance of the whole tunnel is violated.
void require_balance(const Tuple& whole, std::uint64_t steps_done);

}  // namespace eventspace::windtunnel

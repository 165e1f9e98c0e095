#include "apps/windtunnel/gas/balance.h"

#include <fmt/format.h>

#include <stdexcept>

namespace eventspace::windtunnel {

Totals impulse_of(const Slice& slice) {
  // A particle inside a solid site has just been turned round, so the gas has received twice its momentum.
  const auto turned = slice.solid_totals();
  return {0, 2 * turned.momentum_x, 2 * turned.momentum_y};
}

Balance balance_of(const Slice& slice, const Totals& before, const Totals& impulses) {
  Totals due = before;
  due += slice.carried();
  due += impulses;
  return {slice.totals(), due};
}

Tuple to_tuple(const Balance& balance) {
  const auto& [now, due] = balance;
  return Tuple::of({now.mass, now.momentum_x, now.momentum_y, due.mass, due.momentum_x, due.momentum_y});
}

void require_balance(const Tuple& whole, std::uint64_t steps_done) {
  const auto totals_at = [&whole](std::size_t field) {
    return Totals{whole.get<std::int64_t>(field), whole.get<std::int64_t>(field + 1),
                  whole.get<std::int64_t>(field + 2)};
  };
  const auto now = totals_at(0);
  const auto due = totals_at(3);
  if (now == due) return;
  throw std::runtime_error(fmt::format(
      "the gas is not conserved: after {} steps there are mass {} and momentum ({}, {}); expected from what "
      "came and went: mass {} and momentum ({}, {})",
      steps_done, now.mass, now.momentum_x, now.momentum_y, due.mass, due.momentum_x, due.momentum_y));
}

}  // namespace eventspace::windtunnel

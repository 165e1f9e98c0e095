#include "apps/windtunnel/gas/collision.h"

#include <initializer_list>
#include <span>

namespace eventspace::windtunnel {
namespace {

constexpr State kFull = kStates - 1;
constexpr State kRest = 1U << index_of(Channel::rest);

struct Table {
  std::array<State, kStates> forwards{};
  std::array<State, kStates> backwards{};
};

constexpr State moving(std::initializer_list<std::size_t> directions) {
  unsigned state = 0;
  for (const auto direction : directions) state |= 1U << (direction % kMovingChannels);
  return static_cast<State>(state);
}

constexpr State with_rest(State state) { return state | kRest; }
constexpr State holes(State state) { return kFull ^ state; }

constexpr void link(Table& table, State from, State to) {
  table.forwards[from] = to;
  table.backwards[to] = from;
  // Heavy states collide as their holes do.
  table.forwards[holes(from)] = holes(to);
  table.backwards[holes(to)] = holes(from);
}

constexpr void add_cycle(Table& table, std::initializer_list<State> cycle) {
  const std::span states(cycle.begin(), cycle.size());
  for (std::size_t i = 0; i < states.size(); ++i) link(table, states[i], states[(i + 1) % states.size()]);
}

constexpr void add_symmetric_cycles(Table& table) {
  add_cycle(table, {moving({0, 3}), moving({1, 4}), moving({2, 5})});
  add_cycle(table, {with_rest(moving({0, 3})), with_rest(moving({1, 4})), with_rest(moving({2, 5}))});
  add_cycle(table, {moving({0, 2, 4}), moving({1, 3, 5})});
}

constexpr void add_cycles_around(Table& table, std::size_t i) {
  add_cycle(table, {with_rest(moving({i})), moving({i + 5, i + 1})});
  add_cycle(table, {with_rest(moving({i + 5, i + 1})), moving({i, i + 1, i + 4}), moving({i, i + 5, i + 2})});
}

constexpr Table make_table() {
  Table table;
  for (std::size_t state = 0; state < kStates; ++state)
    table.forwards[state] = table.backwards[state] = static_cast<State>(state);
  add_symmetric_cycles(table);
  for (std::size_t i = 0; i < kMovingChannels; ++i) add_cycles_around(table, i);
  return table;
}

constexpr Table kTable = make_table();

}  // namespace

State collided(State state, bool forwards) {
  return (forwards ? kTable.forwards : kTable.backwards)[state & kFull];
}

}  // namespace eventspace::windtunnel

// The collisions of the FHP-III lattice gas (Frisch, d'Humieres, Hasslacher, Lallemand, Pomeau and Rivet,
// Complex Systems 1, 1987): every state that shares mass and momentum with another one collides, 76 of the
// 128. They exist as a table, which is the definition, and as boolean algebra on words, which is the code
// that runs: 64 sites in a word, one bit for each.
//
// With directions i counted modulo 6 around the site, 'o' for the particle at rest, and only light states (at
// most three particles), the rule steps along these cycles, forwards or backwards according to a random bit:
//
//     head-on       {0,3} -> {1,4} -> {2,5} ->         also with o
//     triple        {0,2,4} -> {1,3,5} ->
//     rest          {o,i} -> {i-1,i+1} ->
//     spectator     {o,i-1,i+1} -> {i,i+1,i+4} -> {i,i-1,i+2} ->
//
// A heavy state collides as its holes do: rule(state) = not rule(not state).
//
// Guarantees, each checked exhaustively by the tests:
// 1. mass and both components of momentum are conserved exactly, for both values of the random bit;
// 2. for each value of the random bit the rule is a permutation of the states (semi-detailed balance);
// 3. turning the lattice by 60 degrees commutes with the rule, and mirroring it swaps forwards and backwards;
// 4. the boolean form equals the table.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "apps/windtunnel/gas/channel.h"

namespace eventspace::windtunnel {

// The particles at one site: bit i is set when channel i is occupied.
using State = std::uint8_t;

inline constexpr std::size_t kStates = 128;

// Returns the state after the collision, by the table.
State collided(State state, bool forwards);

// The channels of 64 sites: bit b of each word belongs to site b.
using Word = std::uint64_t;
using Sites = std::array<Word, kChannels>;

namespace boolean {

struct Sum {
  Word ones;
  Word carry;
};

[[gnu::always_inline]] inline Sum add(Word a, Word b, Word c) {
  const Word half = a ^ b;
  return {half ^ c, (a & b) | (half & c)};
}

// Light states, and the properties that the rule needs.
struct Light {
  Sites at;                   // the particles, or the holes where there are more than three particles
  Word two;                   // exactly two of them are set
  std::array<Word, 3> pairs;  // channels k and k + 3 are both occupied

  [[gnu::always_inline]] Word moving(std::size_t direction) const { return at[direction % kMovingChannels]; }
  [[gnu::always_inline]] Word pair(std::size_t axis) const { return pairs[axis % 3]; }
  [[gnu::always_inline]] Word rest() const { return at[index_of(Channel::rest)]; }
};

[[gnu::always_inline]] inline Light light(const Sites& in) {
  const auto low = add(in[0], in[1], in[2]);
  const auto high = add(in[3], in[4], in[5]);
  const auto ones = add(low.ones, high.ones, in[6]);
  const auto twos = add(low.carry, high.carry, ones.carry);
  const Word heavy = twos.carry;
  const Sites at = {in[0] ^ heavy, in[1] ^ heavy, in[2] ^ heavy, in[3] ^ heavy,
                    in[4] ^ heavy, in[5] ^ heavy, in[6] ^ heavy};
  const Word two = (twos.ones ^ heavy) & ~(ones.ones ^ heavy);
  return {at, two, {at[0] & at[3], at[1] & at[4], at[2] & at[5]}};
}

// Collects the channels that change. A site is in at most one cycle, so changes never overlap.
struct Changes {
  Sites at{};

  [[gnu::always_inline]] void channel(std::size_t direction, Word where) {
    at[direction % kMovingChannels] |= where;
  }
  [[gnu::always_inline]] void axis(std::size_t direction, Word where) {
    channel(direction, where);
    channel(direction + 3, where);
  }
  [[gnu::always_inline]] void rest(Word where) { at[index_of(Channel::rest)] |= where; }
};

[[gnu::always_inline]] inline void head_on(const Light& in, Word forwards, Changes& changes) {
  const Word alone = in.two | in.rest();
  const std::array<Word, 3> pairs = {in.pairs[0] & alone, in.pairs[1] & alone, in.pairs[2] & alone};
  changes.axis(0, pairs[0] | (forwards & pairs[2]) | (~forwards & pairs[1]));
  changes.axis(1, pairs[1] | (forwards & pairs[0]) | (~forwards & pairs[2]));
  changes.axis(2, pairs[2] | (forwards & pairs[1]) | (~forwards & pairs[0]));
}

[[gnu::always_inline]] inline void triple(const Light& in, Changes& changes) {
  const auto& at = in.at;
  const Word either = (at[0] & at[2] & at[4]) | (at[1] & at[3] & at[5]);
  changes.axis(0, either);
  changes.axis(1, either);
  changes.axis(2, either);
}

// The cycles 'rest' and 'spectator' of direction i. Because the state is light, the tested particles are the
// only particles at the site, except where 'two' is also tested.
template <std::size_t i>
[[gnu::always_inline]] inline void around(const Light& in, Word forwards, Changes& changes) {
  const Word bridge = in.moving(i + 5) & in.moving(i + 1);
  const Word rest_cycle = in.two & (bridge | (in.rest() & in.moving(i)));
  const Word resting = bridge & in.rest();
  const Word right = in.moving(i) & in.pair(i + 1);
  const Word left = in.moving(i) & in.pair(i + 2);
  const Word rest_right = (forwards & resting) | (~forwards & right);
  const Word right_left = (forwards & right) | (~forwards & left);
  const Word left_rest = (forwards & left) | (~forwards & resting);
  const Word with_rest = rest_cycle | rest_right | left_rest;
  changes.rest(with_rest);
  changes.channel(i, with_rest);
  changes.channel(i + 5, rest_cycle | rest_right);
  changes.channel(i + 4, rest_right);
  changes.channel(i + 1, rest_cycle | left_rest);
  changes.channel(i + 2, left_rest);
  changes.axis(i + 1, right_left);
  changes.axis(i + 2, right_left);
}

}  // namespace boolean

// Returns the channels that the collision flips; 'forwards' contains a random bit for each site. Everything
// is inline, so that a loop over it can become vector code.
[[gnu::always_inline]] inline Sites collision_changes(const Sites& sites, Word forwards) {
  const auto in = boolean::light(sites);
  boolean::Changes changes;
  boolean::head_on(in, forwards, changes);
  boolean::triple(in, changes);
  boolean::around<0>(in, forwards, changes);
  boolean::around<1>(in, forwards, changes);
  boolean::around<2>(in, forwards, changes);
  boolean::around<3>(in, forwards, changes);
  boolean::around<4>(in, forwards, changes);
  boolean::around<5>(in, forwards, changes);
  return changes.at;
}

}  // namespace eventspace::windtunnel

#include "apps/windtunnel/gas/kernel.h"

#include "apps/windtunnel/gas/collision.h"

namespace eventspace::windtunnel {
namespace {

struct SitePointers {
  std::array<Word*, kChannels> channels;
  const Word* solid;
};

[[gnu::always_inline]] inline Sites load(const SitePointers& from, std::size_t word) {
  const auto& at = from.channels;
  return {at[0][word], at[1][word], at[2][word], at[3][word], at[4][word], at[5][word], at[6][word]};
}

template <std::size_t i>
[[gnu::always_inline]] inline void update(const SitePointers& to, std::size_t word, const Sites& before,
                                          const Sites& changes, Word solid) {
  // At solid sites the two particles of opposite channels are exchanged; at all others the collision's
  // changes apply.
  const Word bounced = (before[i] ^ before[(i + 3) % kMovingChannels]) & solid;
  to.channels[i][word] = before[i] ^ bounced ^ (changes[i] & ~solid);
}

[[gnu::always_inline]] inline void collide_word(const SitePointers& row, std::size_t word, Word forwards) {
  const Sites before = load(row, word);
  const Sites changes = collision_changes(before, forwards);
  const Word solid = row.solid[word];
  update<0>(row, word, before, changes, solid);
  update<1>(row, word, before, changes, solid);
  update<2>(row, word, before, changes, solid);
  update<3>(row, word, before, changes, solid);
  update<4>(row, word, before, changes, solid);
  update<5>(row, word, before, changes, solid);
  row.channels[6][word] = before[6] ^ (changes[6] & ~solid);
}

// Puts the particles that will move into scratch[1] to scratch[words], still in their old columns.
void gather(const SlantedMove& move) {
  const auto words = move.row.size();
  const Word* const own = move.row.data();
  const Word* const neighbour = move.neighbour.data();
  Word* const scratch = move.scratch.data() + 1;
  const Word own_columns = move.own_columns;
#pragma omp simd
  for (std::size_t word = 0; word < words; ++word)
    scratch[word] = (own[word] & own_columns) | (neighbour[word] & ~own_columns);
}

}  // namespace

void collide_row(const SiteRow& row, RowKey key) {
  const auto& at = row.channels;
  const SitePointers pointers = {
      {at[0].data(), at[1].data(), at[2].data(), at[3].data(), at[4].data(), at[5].data(), at[6].data()},
      row.solid.data()};
  const auto words = row.solid.size();
#pragma omp simd
  for (std::size_t word = 0; word < words; ++word) collide_word(pointers, word, random_word(key, word));
}

bool move_east(const SlantedMove& move) {
  gather(move);
  const auto words = move.row.size();
  Word* const row = move.row.data();
  Word* const scratch = move.scratch.data();
  // The words at both ends of scratch stand for the sites beyond the tunnel.
  scratch[0] = Word{move.enters} << 63;
#pragma omp simd
  for (std::size_t word = 0; word < words; ++word)
    row[word] = (scratch[word + 1] << 1) | (scratch[word] >> 63);
  return (scratch[words] >> 63) != 0;
}

bool move_west(const SlantedMove& move) {
  gather(move);
  const auto words = move.row.size();
  Word* const row = move.row.data();
  Word* const scratch = move.scratch.data();
  scratch[words + 1] = Word{move.enters};
#pragma omp simd
  for (std::size_t word = 0; word < words; ++word)
    row[word] = (scratch[word + 1] >> 1) | (scratch[word + 2] << 63);
  return (scratch[1] & 1U) != 0;
}

}  // namespace eventspace::windtunnel

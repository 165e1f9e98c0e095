#include "apps/windtunnel/gas/collision.h"

#include <gtest/gtest.h>

#include <bit>
#include <set>

namespace eventspace::windtunnel {
namespace {

struct Content {
  int mass = 0;
  Momentum momentum;
  friend bool operator==(const Content&, const Content&) = default;
};

Content content_of(State state) {
  Content content{std::popcount(state), {}};
  for (const auto channel : kAllChannels)
    if ((state >> index_of(channel)) & 1U) {
      content.momentum.x += momentum_of(channel).x;
      content.momentum.y += momentum_of(channel).y;
    }
  return content;
}

// Moves the particle of each channel to the channel given by 'to'; the one at rest stays.
template <typename To>
State relabelled(State state, const To& to) {
  unsigned result = state & (1U << index_of(Channel::rest));
  for (std::size_t i = 0; i < kMovingChannels; ++i)
    if ((state >> i) & 1U) result |= 1U << (to(i) % kMovingChannels);
  return static_cast<State>(result);
}

State turned(State state) {
  return relabelled(state, [](std::size_t i) { return i + 1; });
}

State mirrored(State state) {
  return relabelled(state, [](std::size_t i) { return kMovingChannels - i; });
}

class EachState : public ::testing::TestWithParam<bool> {
 protected:
  static bool forwards() { return GetParam(); }

  template <typename Check>
  static void for_each_state(const Check& check) {
    for (unsigned state = 0; state < kStates; ++state) check(static_cast<State>(state));
  }
};

INSTANTIATE_TEST_SUITE_P(Collision, EachState, ::testing::Bool(),
                         [](const auto& each) { return each.param ? "Forwards" : "Backwards"; });

TEST_P(EachState, KeepsMassAndMomentum) {
  for_each_state([](State state) {
    EXPECT_EQ(content_of(collided(state, forwards())), content_of(state)) << "state " << int{state};
  });
}

TEST_P(EachState, ComesFromExactlyOneState) {
  std::set<State> results;
  for_each_state([&](State state) { results.insert(collided(state, forwards())); });
  EXPECT_EQ(results.size(), kStates);
}

TEST_P(EachState, CollidesAlikeInAllSixOrientations) {
  for_each_state([](State state) {
    EXPECT_EQ(collided(turned(state), forwards()), turned(collided(state, forwards())))
        << "state " << int{state};
  });
}

TEST_P(EachState, CollidesTheOtherWayRoundInTheMirror) {
  for_each_state([](State state) {
    EXPECT_EQ(collided(mirrored(state), !forwards()), mirrored(collided(state, forwards())))
        << "state " << int{state};
  });
}

// Site b of word w is in state 64 w + b.
TEST_P(EachState, CollidesByBooleansAsByTheTable) {
  for (unsigned first = 0; first < kStates; first += 64) {
    Sites sites{};
    for (unsigned bit = 0; bit < 64; ++bit)
      for (std::size_t i = 0; i < kChannels; ++i) sites[i] |= Word{((first + bit) >> i) & 1U} << bit;
    const auto changes = collision_changes(sites, forwards() ? ~Word{0} : Word{0});
    for (unsigned bit = 0; bit < 64; ++bit) {
      Word result = 0;
      for (std::size_t i = 0; i < kChannels; ++i) result |= (((sites[i] ^ changes[i]) >> bit) & 1U) << i;
      EXPECT_EQ(result, collided(static_cast<State>(first + bit), forwards())) << "state " << first + bit;
    }
  }
}

TEST(Collision, HappensWhereverAnotherStateHasTheSameContent) {
  for (unsigned state = 0; state < kStates; ++state) {
    int alike = 0;
    for (unsigned other = 0; other < kStates; ++other)
      if (content_of(static_cast<State>(other)) == content_of(static_cast<State>(state))) ++alike;
    EXPECT_EQ(alike > 1, collided(static_cast<State>(state), true) != state) << "state " << state;
  }
}

TEST(Collision, ChangesSeventySixOfTheStates) {
  int changed = 0;
  for (unsigned state = 0; state < kStates; ++state)
    changed += collided(static_cast<State>(state), true) != state ? 1 : 0;
  EXPECT_EQ(changed, 76);
}

}  // namespace
}  // namespace eventspace::windtunnel

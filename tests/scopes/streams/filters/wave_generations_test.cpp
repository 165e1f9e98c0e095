#include "scopes/streams/filters/wave_generations.h"

#include <gtest/gtest.h>

// Generations of filters: which waves and packets belong to each.

namespace eventspace::streams {
namespace {

Packet packet(std::uint64_t wave, std::uint32_t generation = 0) {
  return {.wave = wave, .generation = generation};
}

TEST(WaveGenerations, ABackEndsPacketBelongsToTheGenerationOfItsNumber) {
  WaveGenerations generations(true);
  generations.begin(2, 10, true);
  generations.begin(3, 20, true);
  EXPECT_EQ(generations.place_of(packet(9)), (WavePlace{1, 9}));
  EXPECT_EQ(generations.place_of(packet(10)), (WavePlace{2, 10}));
  EXPECT_EQ(generations.place_of(packet(25)), (WavePlace{3, 25}));
  EXPECT_EQ(generations.border(), 20U);
}

TEST(WaveGenerations, WithoutWavesItBelongsToTheNewest) {
  WaveGenerations generations(false);
  generations.begin(2, 10, true);
  EXPECT_EQ(generations.place_of(packet(3)).generation, 2U);
}

TEST(WaveGenerations, TheMarkOfAnEndIsAfterAllWavesOfItsGeneration) {
  WaveGenerations generations(true);
  generations.begin(2, 10, true);
  Packet mark = packet(0, 1);
  mark.ends = true;
  EXPECT_GT(generations.place_of(mark), (WavePlace{1, 9}));
  EXPECT_LT(generations.place_of(mark), generations.place_of(packet(0, 2)));
}

TEST(WaveGenerations, TheOldestEndsAndTheNextOneIsTheOldest) {
  WaveGenerations generations(true);
  generations.begin(2, 10, true);
  EXPECT_EQ(generations.end_of_oldest(), (WavePlace{1, 10}));
  EXPECT_EQ(generations.end_oldest(), 1U);
  EXPECT_EQ(generations.first_place(), (WavePlace{2, 10}));
  EXPECT_EQ(generations.oldest(), generations.newest());
  EXPECT_EQ(generations.place_of(packet(3)).generation, 2U);
}

TEST(WaveGenerations, OtherGenerationsAndNumbersThatDoNotFitAreRefused) {
  WaveGenerations generations(true);
  generations.begin_at(4);
  generations.begin(5, 10, true);
  generations.begin(6, 20, false);
  EXPECT_TRUE(generations.admits(packet(0)));
  EXPECT_TRUE(generations.admits(packet(9, 4)));
  EXPECT_TRUE(generations.admits(packet(10, 5)));
  EXPECT_FALSE(generations.admits(packet(9, 5))) << "the wave is of generation 4";
  EXPECT_TRUE(generations.admits(packet(3, 6))) << "its waves have numbers of their own";
  EXPECT_FALSE(generations.admits(packet(0, 3)));
  EXPECT_FALSE(generations.admits(packet(30, 7)));
}

}  // namespace
}  // namespace eventspace::streams

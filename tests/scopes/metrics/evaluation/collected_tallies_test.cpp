#include "scopes/metrics/evaluation/collected_tallies.h"

#include <gtest/gtest.h>

namespace eventspace::metrics {
namespace {

class CollectedTalliesTest : public testing::Test {
 protected:
  CollectedTalliesTest() {
    auto node = std::make_shared<TypedNode>();
    node->kind = TypedNode::Kind::aggregate;
    node->aggregate = Aggregate::sum;
    Part part;
    part.value = node;
    definition.collections = {part};
  }
  static Tally::State tally(double number) {
    Tally made(Aggregate::sum);
    made.add(Datum::of(number));
    return made.state();
  }

  Definition definition;
};

TEST_F(CollectedTalliesTest, TheResultIsThatOfNoValueUntilATallyArrives) {
  CollectedTallies tallies(definition);
  EXPECT_EQ(tallies.result(0, 7, false).number, 0.0);
  tallies.receive(0, 7, tally(4));
  EXPECT_EQ(tallies.result(0, 7, false).number, 4.0);
  EXPECT_EQ(tallies.result(0, 6, false).number, 0.0) << "another object";
}

TEST_F(CollectedTalliesTest, WhatArrivedSinceTheLastReadingIsKeptApart) {
  CollectedTallies tallies(definition);
  tallies.receive(0, 1, tally(4));
  tallies.end_reading();
  EXPECT_EQ(tallies.result(0, 1, true).number, 0.0);
  tallies.receive(0, 1, tally(5));
  tallies.receive(0, 1, tally(6));
  EXPECT_EQ(tallies.result(0, 1, true).number, 11.0);
  EXPECT_EQ(tallies.result(0, 1, false).number, 15.0);
}

}  // namespace
}  // namespace eventspace::metrics

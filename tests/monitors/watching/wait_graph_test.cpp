#include "monitors/watching/wait_graph.h"

#include <gmock/gmock.h>

#include <random>

namespace eventspace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Group = std::vector<std::size_t>;

WaitGraph graph_of(std::size_t size, const std::vector<std::pair<std::size_t, std::size_t>>& waits) {
  WaitGraph graph(size);
  for (const auto& [waiting, awaited] : waits) graph.add_wait(waiting, awaited);
  return graph;
}

TEST(WaitGraph, NodesThatWaitForANodeAreThoseWithAPathToIt) {
  const WaitGraph graph = graph_of(6, {{0, 1}, {1, 2}, {3, 2}, {2, 4}, {5, 4}});
  EXPECT_THAT(graph.all_waiting_for(2), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(graph.all_waiting_for(0), ElementsAre(0));
  EXPECT_THAT(graph.circles(), IsEmpty());
  EXPECT_TRUE(graph.waits(2));
  EXPECT_FALSE(graph.waits(4));
  EXPECT_TRUE(graph.is_awaited(4));
  EXPECT_FALSE(graph.is_awaited(5));
}

TEST(WaitGraph, CirclesAreFoundEvenIfEdgesLeadOutOfThemOrIntoThem) {
  // 0 > 1 > 2 > 1, 2 > 3; 4 > 5 > 6 > 4
  const WaitGraph graph = graph_of(7, {{0, 1}, {1, 2}, {2, 1}, {2, 3}, {4, 5}, {5, 6}, {6, 4}});
  EXPECT_THAT(graph.circles(), ElementsAre(Group{1, 2}, Group{4, 5, 6}));
}

TEST(WaitGraph, NodesBetweenTwoCirclesAreInNeither) {
  const WaitGraph graph = graph_of(5, {{0, 1}, {1, 0}, {1, 2}, {2, 3}, {3, 4}, {4, 3}});
  EXPECT_THAT(graph.circles(), ElementsAre(Group{0, 1}, Group{3, 4}));
}

TEST(WaitGraph, AnAddedNodeIsLikeTheOthers) {
  WaitGraph graph(2);
  const std::size_t added = graph.add();
  EXPECT_EQ(added, 2u);
  graph.add_wait(0, added);
  graph.add_wait(added, 1);
  graph.add_wait(1, 0);
  EXPECT_THAT(graph.circles(), ElementsAre(Group{0, 1, 2}));
}

TEST(WaitGraph, ANodeThatNeedsAnyOfSeveralIsInACircleOnlyIfAllOfThemAreStuck) {
  // 0 > any of {1, 2}; 1 > 0; 2 continues, or waits for 0
  for (const bool is_last_stuck : {false, true}) {
    WaitGraph graph = graph_of(3, {{1, 0}});
    const std::size_t any = graph.add_needing_any();
    graph.add_wait(0, any);
    graph.add_wait(any, 1);
    graph.add_wait(any, 2);
    if (is_last_stuck) graph.add_wait(2, 0);
    if (is_last_stuck) {
      EXPECT_THAT(graph.circles(), ElementsAre(Group{0, 1, 2, 3}));
    } else {
      EXPECT_THAT(graph.circles(), IsEmpty());
      EXPECT_THAT(graph.all_waiting_for(2), ElementsAre(0, 1, 2, 3));
    }
  }
}

// Two nodes are in one circle when each is reachable from the other in the transitive closure.
TEST(WaitGraph, CirclesOfRandomGraphsAreThoseOfTheClosure) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    const std::size_t size = 2 + random() % 9;
    WaitGraph graph(size);
    std::vector<std::vector<bool>> leads(size, std::vector<bool>(size));
    for (std::size_t edges = random() % (2 * size); edges > 0; --edges) {
      const std::size_t from = random() % size;
      const std::size_t to = random() % size;
      if (from == to) continue;
      graph.add_wait(from, to);
      leads[from][to] = true;
    }
    for (std::size_t by = 0; by < size; ++by)
      for (std::size_t from = 0; from < size; ++from)
        for (std::size_t to = 0; to < size; ++to)
          leads[from][to] = leads[from][to] || (leads[from][by] && leads[by][to]);
    std::vector<Group> expected;
    for (std::size_t one = 0; one < size; ++one) {
      Group group;
      for (std::size_t other = 0; other < size; ++other)
        if (other == one || (leads[one][other] && leads[other][one])) group.push_back(other);
      if (group.size() > 1 && group.front() == one) expected.push_back(group);
    }
    EXPECT_EQ(graph.circles(), expected) << "round " << round;
  }
}

}  // namespace
}  // namespace eventspace

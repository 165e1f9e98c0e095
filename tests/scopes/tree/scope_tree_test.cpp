#include "scopes/tree/scope_tree.h"

#include <gtest/gtest.h>

namespace eventspace {
namespace {

TEST(ShareOfTest, NodesShareByTheirSourcesAndEachHasSome) {
  ScopeNode node;
  node.sources.resize(3);
  EXPECT_EQ(share_of(node, 100, 10), 30u);
  EXPECT_EQ(share_of(node, 5, 10), 1u);
  EXPECT_EQ(share_of(node, 1, 1000), 1u);
  EXPECT_EQ(share_of(node, 0, 10), 0u);
  EXPECT_EQ(share_of(node, UINT64_MAX, 3), UINT64_MAX);
}

TEST(RunsInOnePlaceTest, ItIsSoWhenNothingBelowIsOnAServer) {
  ScopeNode tree, child, grandchild;
  grandchild.name = "read";
  child.children = {grandchild};
  tree.children = {child, child};
  tree.endpoint = "tcp://127.0.0.1:1";  // where the tree itself runs does not matter
  EXPECT_TRUE(runs_in_one_place(tree));
  tree.children[1].children[0].endpoint = "tcp://127.0.0.1:2";
  EXPECT_FALSE(runs_in_one_place(tree));
  EXPECT_TRUE(runs_in_one_place(tree.children[0]));
}

}  // namespace
}  // namespace eventspace

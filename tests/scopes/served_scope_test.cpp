#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scopes/served_scope.h"

// A consumer's scope over a server: however that is asked, each event comes once.

namespace eventspace {
namespace {

using test::ServedScopeTest;
using testing::ElementsAre;
using testing::IsEmpty;

TEST_F(ServedScopeTest, AProcessThatStartsAnewIsFollowed) {
  runs.leave(3);
  EXPECT_THAT(pull(), ElementsAre(1, 2, 3));
  runs.leave(2);
  EXPECT_THAT(pull(), ElementsAre(1, 2));
  EXPECT_THAT(view.missing, IsEmpty());
}

TEST_F(ServedScopeTest, HoweverTheServersNodeAsksEachEventComesOnce) {
  for (const Asking asking : {Asking::overlapped, Asking::in_turn, Asking::threads}) {
    runs.leave(3);
    scope = open([&](ScopeTree& tree) {
      tree.root.children = {node({read({{3, 0}}), read({{5, 0}})})};
      tree.root.children[0].asking = asking;
      tree.root.children[0].threads = 2;
    });
    EXPECT_THAT(pull(), ElementsAre(1, 2, 3)) << static_cast<int>(asking);
    EXPECT_EQ(view.sources_read, 2u);
    EXPECT_THAT(pull(), IsEmpty());
    runs.leave(2);
    EXPECT_THAT(pull(), ElementsAre(1, 2));
    EXPECT_THAT(view.missing, IsEmpty());
  }
}

TEST_F(ServedScopeTest, AnOutermostNodeThatIsOnAServerIsAskedThere) {
  runs.leave(3);
  scope = open([&](ScopeTree& tree) {
    ScopeNode outermost = std::move(tree.root.children[0]);
    tree.root = std::move(outermost);
  });
  EXPECT_THAT(pull(), ElementsAre(1, 2, 3));
  runs.leave(2);
  serve_anew();
  EXPECT_THAT(pull(), ElementsAre(1, 2));
  EXPECT_THAT(pull(), IsEmpty());
}

// A tree that says where its pulls are to be recorded, to one who does not record any.
TEST_F(ServedScopeTest, WhereNothingIsRecordedNumbersOfPathsMeanNothing) {
  runs.leave(3);
  scope = open([&](ScopeTree& tree) {
    tree.root.children[0].ask_path = 1;
    tree.root.children[0].answer_path = 2;
  });
  EXPECT_THAT(pull(), ElementsAre(1, 2, 3));
  EXPECT_THAT(view.missing, IsEmpty());
}

TEST_F(ServedScopeTest, TheServersPartOfABoundedPullIsByItsSources) {
  runs.leave(3);
  scope = open([&](ScopeTree& tree) { tree.most = 1; });  // at least one comes
  EXPECT_THAT(pull(), ElementsAre(1));
  EXPECT_THAT(pull(), ElementsAre(2));
  EXPECT_THAT(pull(), ElementsAre(3));
  EXPECT_THAT(pull(), IsEmpty());
  EXPECT_EQ(view.loss, Loss{});
}

// The events of a killed process ended long before: their ticks are those of a clock that had just begun.
TEST_F(ServedScopeTest, HowFarToGoBackReachesTheServer) {
  runs.leave(3);
  scope = open([&](ScopeTree& tree) { tree.since = std::chrono::nanoseconds(0); });
  EXPECT_THAT(pull(), IsEmpty());
  EXPECT_EQ(view.loss.filtered, 3u);
  runs.leave(2);
  EXPECT_THAT(pull(), ElementsAre(1, 2));
  EXPECT_EQ(view.loss, Loss{});
}

}  // namespace
}  // namespace eventspace

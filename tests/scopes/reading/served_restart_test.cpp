#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scopes/reading/served_scope.h"

// A restarted server has lost its read positions, and the scope supplies them.

namespace eventspace {
namespace {

using test::ServedScopeTest;
using testing::ElementsAre;
using testing::IsEmpty;

TEST_F(ServedScopeTest, AServerThatStartsAnewGoesOnWhereTheScopeHadCome) {
  runs.leave(3);
  EXPECT_THAT(pull(), ElementsAre(1, 2, 3));
  serve_anew();
  EXPECT_THAT(pull(), IsEmpty());
  EXPECT_EQ(view.loss, Loss{});
  EXPECT_THAT(view.missing, IsEmpty());
}

TEST_F(ServedScopeTest, EventsOverwrittenBeforeAServerRestartsAreCountedOnce) {
  runs.leave(10);  // four are kept
  EXPECT_THAT(pull(), ElementsAre(7, 8, 9, 10));
  EXPECT_EQ(view.loss, (Loss{.earlier = 6}));
  serve_anew();
  EXPECT_THAT(pull(), IsEmpty());
  EXPECT_EQ(view.loss, Loss{});
}

TEST_F(ServedScopeTest, AViewThatDidNotArriveIsReadByTheServerThatStartsAnew) {
  runs.leave(3);
  scope = open([](ScopeTree& tree) { tree.batch = 2; });
  EXPECT_THAT(pull(), ElementsAre(1, 2));
  server.reset();
  pull_once(std::chrono::milliseconds(50));
  EXPECT_EQ(view.missing.size(), 1u);
  serve();
  EXPECT_THAT(pull(), ElementsAre(3));
  EXPECT_EQ(view.loss, Loss{});
}

TEST_F(ServedScopeTest, NoEventIsInTwoNumbersThoughTheServerStartsAnew) {
  scope = open([](ScopeTree& tree) {
    tree.root.wrapper = tree.root.children[0].wrapper = "aggregate";
    tree.root.parameters =
        tree.root.children[0].parameters = {{"of", std::string("1")}, {"as", std::string("count")}};
  });
  runs.leave(3);
  (void)pull();
  ASSERT_EQ(view.aggregates.size(), 1u);
  EXPECT_EQ(view.aggregates[0].count, 3u);
  serve_anew();
  (void)pull();
  EXPECT_THAT(view.aggregates, IsEmpty());
}

TEST_F(ServedScopeTest, AServerThatStartsAnewBeforeTheProcessLosesNothing) {
  runs.leave(3);
  EXPECT_THAT(pull(), ElementsAre(1, 2, 3));
  serve_anew();
  EXPECT_THAT(pull(), IsEmpty());
  runs.leave(2);
  EXPECT_THAT(pull(), ElementsAre(1, 2));
  EXPECT_THAT(view.missing, IsEmpty());
}

/// The same through a gateway that forwards to it.
class ForwardedScopeTest : public ServedScopeTest {
 protected:
  ForwardedScopeTest() {
    forward();
    scope = std::make_unique<EventScope>(
        [this] {
          ScopeTree tree{"events", 0xfeed, true, 2, 0, {}, {}};
          tree.root.name = "all";
          tree.root.wrapper = "gather";
          tree.root.children = {node({read({{3, 0}, {5, 0}})})};
          tree.root.children[0].route = {test::local_endpoint(gateway_port)};
          return tree;
        }(),
        ScopeSurroundings{&links,
                          nullptr,
                          &names,
                          0xfeed,
                          {test::local_endpoint(port), test::local_endpoint(gateway_port)}});
  }
  void forward() {
    gateway.reset();
    gateway = std::make_unique<Gateway>(gateway_port, test::local_endpoint(port));
  }

  struct Gateway {
    Gateway(std::uint16_t at, const std::string& next)
        : server(network, {test::local_endpoint(at), "node g1", "wind", 0xfeed, {}, {next}}) {
      server.start();
    }
    Network network;
    Server server;
  };
  std::uint16_t gateway_port{test::free_port()};
  std::unique_ptr<Gateway> gateway;
};

TEST_F(ForwardedScopeTest, WhicheverOfTheTwoStartsAnewItGoesOnWhereTheScopeHadCome) {
  runs.leave(4);
  EXPECT_THAT(pull(), ElementsAre(1, 2));
  serve_anew();
  EXPECT_THAT(pull(), ElementsAre(3, 4));
  EXPECT_EQ(view.loss, Loss{});
  forward();
  EXPECT_THAT(pull(), IsEmpty());
  EXPECT_EQ(view.loss, Loss{});
  runs.leave(3);
  serve_anew();
  forward();
  EXPECT_THAT(pull(), ElementsAre(1, 2));
  EXPECT_THAT(pull(), ElementsAre(3));
  EXPECT_EQ(view.loss, Loss{});
  EXPECT_THAT(view.missing, IsEmpty());
}

}  // namespace
}  // namespace eventspace

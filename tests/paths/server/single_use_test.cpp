#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <zmq.hpp>

#include "tests/paths/server_talk.h"

// Targets that one peer uses at a time, such as the paths of an application's threads.

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::number;
using test::told;

/// A server whose element "box" is used by one peer at a time.
class SingleUseTest : public testing::Test {
 protected:
  static test::Targets kinds(Element& box) {
    return {{"path", element_kind([&box](Bytes, LinkPool&) { return std::make_unique<ElementStage>(box); },
                                  [](Bytes) { return std::string("path box of t1"); })}};
  }
  Path path(test::Client& client) const {
    RemoteTarget target = test::Client::target("box", {test::local_endpoint(port)});
    target.open.kind = "path";
    return {"box", std::make_unique<RemoteStage>(client.links(), target)};
  }

  std::uint16_t port{test::free_port()};
  Element box{{"box", {FieldType::integer}, 4}};
  test::ElementServer server{port, {}, kinds(box)};
  std::unique_ptr<test::Client> first{std::make_unique<test::Client>()};
  test::Client newcomer;
};

TEST_F(SingleUseTest, ANewcomerIsRefusedWhileTheFirstIsConnected) {
  Path used = path(*first);
  EXPECT_EQ(used.write(number(1)), Status::ok);
  Path wanted = path(newcomer);
  EXPECT_EQ(told(wanted.read(From::oldest, Deadline::after(10s))),
            "refused: another connection uses path box of t1 and is alive; end its program first");
  EXPECT_EQ(told(used.take()), "1");
}

TEST_F(SingleUseTest, ANewcomerTakesThePlaceOfAConnectionThatHasEnded) {
  EXPECT_EQ(path(*first).write(number(1)), Status::ok);
  auto used = std::make_unique<Path>(path(*first));
  EXPECT_EQ(used->write(number(2)), Status::ok);
  used.reset();  // closes the target
  first.reset();
  EXPECT_EQ(told(path(newcomer).take(From::oldest, Deadline::after(10s))), "1");
}

TEST_F(SingleUseTest, ANewcomerWaitsForAConnectionThatIsAboutToEnd) {
  zmq::context_t context;
  auto raw = std::make_unique<zmq::socket_t>(context, zmq::socket_type::dealer);
  raw->set(zmq::sockopt::linger, 0);
  raw->connect(test::local_endpoint(port));
  raw->send(zmq::buffer(wire::encode(1, wire::OpenRequest{"path", {}, {}})), zmq::send_flags::none);
  ASSERT_TRUE(eventually([&] { return server.report().open_targets == 1; }));
  Path wanted = path(newcomer);
  Operation write;
  write.tuple = number(3);
  write.deadline = Deadline::after(10s);
  wanted.stage().begin(write);
  raw.reset();  // without closing its target
  wanted.stage().finish(write);
  EXPECT_EQ(write.status, Status::ok);
}

TEST_F(SingleUseTest, TheSameConnectionMayOpenItAgain) {
  Path used = path(*first);
  EXPECT_EQ(used.write(number(1)), Status::ok);
  EXPECT_EQ(told(path(*first).take()), "1");
}

}  // namespace
}  // namespace eventspace

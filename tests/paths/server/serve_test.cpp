#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tests/paths/server_talk.h"

// A server that is served by a thread with other work, one turn at a time.

namespace eventspace {
namespace {

using namespace std::chrono_literals;

TEST(ServeTest, PeersAreAnsweredWhileTheThreadServesAndOperationsEndWithIt) {
  const std::uint16_t port = test::free_port();
  Network network;
  Element element{{.name = "box", .signature = {FieldType::integer}, .threshold = 1}};
  Server server(
      network,
      {test::local_endpoint(port),
       "node n1",
       "wind",
       0xfeed,
       {{"element", element_kind([&](Bytes, LinkPool&) { return std::make_unique<ElementStage>(element); })}},
       {}});
  server.serve(Deadline::now());
  std::atomic<bool> written{false};
  std::atomic<bool> ended{false};
  std::thread peer([&] {
    test::Client client;
    Path path = client.path("box", port);
    EXPECT_EQ(path.write(test::number(7), Deadline::after(60s)), Status::ok);
    written = true;
    EXPECT_NE(path.write(test::number(8), Deadline::after(60s)), Status::ok) << "there is no room";
    ended = true;
  });
  const Deadline end = Deadline::after(60s);
  while (!written && !end.passed()) server.serve(Deadline::after(5ms));
  EXPECT_TRUE(written);
  while (server.report().requests < 3 && !end.passed()) server.serve(Deadline::after(5ms));
  server.end_serving();
  peer.join();
  EXPECT_TRUE(ended);
}

}  // namespace
}  // namespace eventspace

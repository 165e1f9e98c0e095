#include "monitors/watching/running_servers.h"

#include <gmock/gmock.h>
#include <signal.h>

#include <thread>

#include <eventspace/deadline.h>
#include "tests/tuplespace/child.h"
#include "tests/tuplespace/stopped_process.h"
#include "tests/tuplespace/temporary_directory.h"
#include "tests/tuplespace/variable.h"
#include "tuplespace/sockets/session_socket.h"

namespace eventspace {
namespace {

using namespace std::chrono_literals;

const ServerHere slow{"tcp://127.0.0.1:1", 11, false};
const ServerHere stopped{"tcp://127.0.0.1:2", 12, true};

std::chrono::nanoseconds patience_with(const std::vector<ServerHere>& servers) {
  auto waited = std::chrono::nanoseconds(1s);
  while (const auto more = further_patience(servers, waited)) waited += *more;
  return waited;
}

TEST(RunningServersTest, ASlowServerIsWaitedForLongerThanAStoppedOrEndedServer) {
  EXPECT_EQ(patience_with({}), 1s);
  EXPECT_EQ(patience_with({stopped}), 1s);
  EXPECT_EQ(patience_with({stopped, slow}), 16s);
}

TEST(RunningServersTest, AnAnswerMayTakeAsLongAsWasWaitedSoFar) {
  EXPECT_EQ(further_patience({slow}, 4s), std::optional(std::chrono::nanoseconds(4s)));
  EXPECT_FALSE(further_patience({slow}, 1h));
}

TEST(RunningServersTest, AServerThatHoldsItsLockIsFoundAndKnownToBeStopped) {
  const test::TemporaryDirectory directory;
  const test::Variable runtime("XDG_RUNTIME_DIR", directory.path().string());
  const std::string node = "local://node/n1";
  EXPECT_THAT(servers_here("slow", {node}), testing::IsEmpty());
  const test::Child server([&node] {
    const auto taken = SessionSocket("slow", node).take();
    while (true) ::pause();
  });
  const SessionSocket socket("slow", node);
  const Deadline limit = Deadline::after(60s);
  while (!(socket.is_taken() && socket.holder()) && !limit.passed()) std::this_thread::yield();
  auto here = servers_here("slow", {node, "local://node/n2"});
  ASSERT_THAT(here, testing::SizeIs(1));
  EXPECT_EQ(here[0].pid, server.pid());
  EXPECT_THAT(stopped_among(here), testing::IsEmpty());
  test::stop_whole(server.pid());
  here = servers_here("slow", {node});
  ASSERT_THAT(stopped_among(here), testing::SizeIs(1));
  EXPECT_EQ(here[0].endpoint, node);
}

}  // namespace
}  // namespace eventspace

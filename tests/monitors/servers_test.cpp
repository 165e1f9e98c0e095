#include <fmt/format.h>
#include <signal.h>

#include "tests/monitors/workplace.h"

namespace eventspace {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing_commands::eventually;
using testing_commands::free_port;
using testing_commands::TakenPort;

class Servers : public testing_commands::Workplace {
 protected:
  [[nodiscard]] std::vector<int> servers() const { return processes_with("serve"); }
};

TEST_F(Servers, UpStartsThemOnceAndDownStopsThemOnce) {
  const auto pathmap = tiny();
  auto first = call({"up", pathmap});
  EXPECT_EQ(first.status(), 0) << first.out() << first.err();
  EXPECT_THAT(first.out(), HasSubstr("n1: started (pid "));
  EXPECT_THAT(first.out(), HasSubstr("n2: started (pid "));
  const auto started = servers();
  EXPECT_THAT(started, SizeIs(2));

  auto second = call({"up", pathmap});
  EXPECT_EQ(second.status(), 0) << second.out() << second.err();
  EXPECT_THAT(second.out(), HasSubstr("n1: running already"));
  EXPECT_EQ(servers(), started);

  auto down = call({"down", pathmap});
  EXPECT_EQ(down.status(), 0) << down.err();
  EXPECT_THAT(down.out(), HasSubstr("n1: stopped"));
  EXPECT_THAT(servers(), IsEmpty());

  auto again = call({"down", pathmap});
  EXPECT_EQ(again.status(), 0) << again.err();
  EXPECT_THAT(again.out(), HasSubstr("n2: not running"));
}

TEST_F(Servers, NoneIsLeftWhenAPortIsTaken) {
  const TakenPort taken;
  auto up = call({"up", tiny(free_port(), taken.number())});
  EXPECT_EQ(up.status(), 3);
  EXPECT_THAT(up.out(), HasSubstr("n1: stopped again"));
  EXPECT_THAT(up.out(), HasSubstr("n2: failed"));
  EXPECT_THAT(up.out(), HasSubstr(std::to_string(taken.number())));
  EXPECT_THAT(servers(), IsEmpty());
}

TEST_F(Servers, AServerOfAnotherSessionIsNamed) {
  const auto pathmap = tiny();
  ASSERT_EQ(call({"up", pathmap, "--session", "theirs"}).status(), 0);
  auto up = call({"up", pathmap, "--session", "ours"});
  EXPECT_EQ(up.status(), 3);
  EXPECT_THAT(up.out(), HasSubstr("session 'theirs'"));
  EXPECT_THAT(servers(), SizeIs(2));
}

TEST_F(Servers, AServerOfAnotherPathmapIsNamed) {
  const int first = free_port();
  const int second = free_port();
  ASSERT_EQ(call({"up", tiny(first, second)}).status(), 0);
  const auto other = tiny(first, second, "", "element");
  auto up = call({"up", other});
  EXPECT_EQ(up.status(), 3);
  EXPECT_THAT(up.out(), HasSubstr("another pathmap"));
}

TEST_F(Servers, AKilledServerIsStartedAgain) {
  const auto pathmap = tiny();
  ASSERT_EQ(call({"up", pathmap}).status(), 0);
  const int victim = servers().at(0);
  ASSERT_EQ(::kill(victim, SIGKILL), 0);
  ASSERT_TRUE(eventually([this] { return servers().size() == 1; }));
  auto up = call({"up", pathmap});
  EXPECT_EQ(up.status(), 0) << up.out();
  EXPECT_THAT(up.out(), HasSubstr(": started (pid "));
  EXPECT_THAT(up.out(), HasSubstr(": running already"));
  EXPECT_THAT(servers(), SizeIs(2));
}

TEST_F(Servers, AServerThatDoesNotListenIsKilled) {
  const auto pathmap = tiny();
  ASSERT_EQ(call({"up", pathmap}).status(), 0);
  for (const int pid : servers()) ::kill(pid, SIGSTOP);
  auto down = call({"down", pathmap, "--timeout", "100ms"});
  EXPECT_EQ(down.status(), 0);
  EXPECT_THAT(servers(), IsEmpty());
}

TEST_F(Servers, AServerInTheForegroundSaysWhenItIsReadyAndEndsWithCtrlC) {
  const auto pathmap = tiny();
  auto serve = start({"serve", pathmap, "--node", "n1"});
  EXPECT_TRUE(serve.says("serving node n1 of session tiny at tcp://127.0.0.1:"));
  auto up = call({"up", pathmap, "--node", "n1"});
  EXPECT_EQ(up.status(), 0) << up.out();
  EXPECT_THAT(up.out(), HasSubstr(fmt::format("n1: running already (pid {}", serve.pid())));
  serve.signal(SIGINT);
  EXPECT_EQ(serve.status(), 0);
}

TEST_F(Servers, UnknownNodesAreNamedWithTheKnownOnes) {
  auto serve = call({"serve", tiny(), "--node", "n9"});
  EXPECT_EQ(serve.status(), 2);
  EXPECT_THAT(serve.err(), HasSubstr("no node 'n9'; it has n1, n2"));
}

// `env` stands for ssh: it starts the command behind it.
TEST_F(Servers, NodesWithALauncherAreStartedThroughIt) {
  const auto pathmap =
      write("far.yaml",
            fmt::format("pathmap: 1\nname: far\n"
                        "cluster: {{nodes: {{n1: {{host: 127.0.0.1, port: {}, launch: [env, FAR=1]}}}}}}\n"
                        "application: {{threads: [a]}}\n"
                        "placement: {{processes: {{p0: {{node: n1, threads: a}}}}}}\n",
                        free_port()));
  auto up = call({"up", pathmap});
  EXPECT_EQ(up.status(), 0) << up.out() << up.err();
  EXPECT_THAT(up.out(), HasSubstr("n1: started"));
  EXPECT_THAT(servers(), SizeIs(1));
  EXPECT_THAT(call({"up", pathmap}).out(), HasSubstr("n1: running already"));
  EXPECT_THAT(call({"down", pathmap}).out(), HasSubstr("n1: stopped"));
  EXPECT_THAT(call({"down", pathmap}).out(), HasSubstr("n1: not running"));
  EXPECT_THAT(servers(), IsEmpty());
}

}  // namespace
}  // namespace eventspace

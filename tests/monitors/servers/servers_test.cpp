#include <signal.h>

#include <sstream>

#include "tests/monitors/workplace.h"

// `eventspace up` and `down`, wherever the nodes are.
namespace eventspace {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing_commands::eventually;
using testing_commands::free_port;

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

TEST_F(Servers, UpShowsTheCommandOfEachServer) {
  const auto pathmap = tiny();
  ASSERT_EQ(call({"up", pathmap, "--session", "shown"}).status(), 0);
  const std::string first =
      testing_commands::read_text("/proc/" + std::to_string(servers().at(0)) + "/cmdline");
  std::vector<std::string> words;
  std::istringstream entries(first);
  for (std::string word; std::getline(entries, word, '\0');) words.push_back(word);
  ASSERT_THAT(words, SizeIs(7)) << first;
  EXPECT_EQ(std::vector(words.begin() + 1, words.begin() + 4),
            (std::vector<std::string>{"serve", pathmap.string(), "--node"}));
  EXPECT_EQ(std::vector(words.begin() + 5, words.end()), (std::vector<std::string>{"--session", "shown"}));
}

// It answers only its own session, so it does not reveal whose it is.
TEST_F(Servers, AServerOfAnotherSessionIsNeverTakenForOurs) {
  const auto pathmap = tiny();
  ASSERT_EQ(call({"up", pathmap, "--session", "theirs"}).status(), 0);
  auto up = call({"up", pathmap, "--session", "ours"});
  EXPECT_EQ(up.status(), 3);
  EXPECT_THAT(up.out(), HasSubstr("it is of another session or user"));
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
  auto down = call({"down", pathmap, "--timeout", "1s"});
  EXPECT_EQ(down.status(), 0);
  EXPECT_THAT(servers(), IsEmpty());
}

}  // namespace
}  // namespace eventspace

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <eventspace/packet.h>
#include <eventspace/streams.h>

// The example of streams, whose back-ends are processes: what it prints, and what its network does while they
// are killed, stopped, and come back.

namespace eventspace::streams {
namespace {

using namespace std::chrono_literals;

std::string output_of(const std::string& arguments) {
  std::string output;
  FILE* const pipe = ::popen((GREATEST_PROGRAM " " + arguments + " 2>&1").c_str(), "r");
  std::array<char, 256> part{};
  while (std::fgets(part.data(), part.size(), pipe) != nullptr) output += part.data();
  ::pclose(pipe);
  return output;
}

TEST(GreatestTest, TheTreeDoesNotChangeTheAnswer) {
  for (const char* const tree : {"flat:8", "2x4", "2x2x2"})
    EXPECT_EQ(output_of(tree), "the greatest of 8 numbers is 84.5\n") << tree;
}

TEST(GreatestTest, AFaultOfTheTopologyIsPrinted) {
  EXPECT_THAT(output_of("8y"), testing::HasSubstr("greatest: topology:1:1: error: '8y' is not a topology"));
}

/// Back-ends as processes, by rank.
class Processes {
 public:
  explicit Processes(const FrontEnd& front_end) : front_end_(&front_end) {}
  ~Processes() {
    for (const auto& [rank, process] : started_) end(process);
  }
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;

  void start(RankSet::Rank rank) {
    const AttachPoint point = front_end_->attach_point(rank);
    std::vector<std::string> words{"greatest", "--back-end", point.network, point.endpoint,
                                   std::to_string(rank)};
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    pid_t started = 0;
    ASSERT_EQ(::posix_spawn(&started, GREATEST_PROGRAM, nullptr, nullptr, arguments.data(), environ), 0);
    started_[rank] = started;
  }
  void signal(RankSet::Rank rank, int number) { ::kill(started_.at(rank), number); }
  void kill(RankSet::Rank rank) {
    end(started_.at(rank));
    started_.erase(rank);
  }

 private:
  static void end(pid_t process) {
    ::kill(process, SIGKILL);
    ::waitpid(process, nullptr, 0);
  }
  const FrontEnd* front_end_;
  std::map<RankSet::Rank, pid_t> started_;
};

// Each wave has each of the eight back-ends: it has either answered or is named as missing.
TEST(GreatestTest, AllWavesAreAccountedForWhileBackEndsAreKilledStoppedAndComeBack) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  FrontEnd front_end(Topology::of_text("2x2x2"));
  Processes processes(front_end);
  for (RankSet::Rank rank = 0; rank < 8; ++rank) processes.start(rank);
  ASSERT_TRUE(front_end.wait_for(8, Deadline::after(60s)));
  const std::uint32_t stream = front_end.open({.synchronise = Synchronise::time_out,
                                               .time_out = 50ms,
                                               .up = {{"count", {}}},
                                               .when_full = WhenFull::drop_newest,
                                               .window = 4});
  constexpr std::uint64_t waves = 200;
  std::map<RankSet::Rank, char> harmed;
  for (std::uint64_t wave = 0; wave < waves; ++wave) {
    if (wave % 20 == 10) {  // one is harmed, and mended ten waves later
      const auto rank = static_cast<RankSet::Rank>(random() % 8);
      harmed = {{rank, random() % 2 == 0 ? 'k' : 's'}};
      harmed[rank] == 'k' ? processes.kill(rank) : processes.signal(rank, SIGSTOP);
    } else if (wave % 20 == 0) {
      for (const auto& [rank, how] : harmed)
        how == 'k' ? processes.start(rank) : processes.signal(rank, SIGCONT);
    }
    ASSERT_TRUE(front_end.send(stream, Format<std::int32_t>::make(1, 0), Deadline::after(60s)));
    const auto packet = front_end.receive(stream, Deadline::after(60s));
    ASSERT_TRUE(packet);
    EXPECT_EQ(packet->wave, wave);
    EXPECT_EQ(PacketView(*packet).number<std::uint64_t>(0) + packet->ranks.size(), 8u)
        << "without " << packet->ranks.to_text();
  }
  const StreamCounters counters = front_end.counters(stream);
  EXPECT_EQ(counters.waves, waves);
  EXPECT_EQ(counters.faults, 0u);
  EXPECT_EQ(counters.refused, 0u);
  // Those that are mended answer again.
  for (const auto& [rank, how] : harmed) how == 'k' ? processes.start(rank) : processes.signal(rank, SIGCONT);
  ASSERT_TRUE(front_end.wait_for(8, Deadline::after(60s)));
  const Deadline end = Deadline::after(60s);
  for (std::size_t missing = 8; missing > 0 && !end.passed();) {
    ASSERT_TRUE(front_end.send(stream, Format<std::int32_t>::make(1, 0), Deadline::after(60s)));
    const auto packet = front_end.receive(stream, Deadline::after(60s));
    ASSERT_TRUE(packet);
    missing = packet->ranks.size();
  }
  EXPECT_FALSE(end.passed());
}

}  // namespace
}  // namespace eventspace::streams

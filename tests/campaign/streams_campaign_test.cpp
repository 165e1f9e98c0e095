#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/scopes/streams/family.h"

// A thousand waves through a network whose processes are killed and stopped at random times. Each end-point
// answers number + rank, so that the sum of a wave shows whether exactly the end-points that it names as
// missing are missing. A killed back-end comes back; back-ends below a killed internal process reconnect
// elsewhere.

namespace eventspace::streams {
namespace {

using namespace std::chrono_literals;
using test::Family;
using test::FrontEndProcess;
using test::Process;

constexpr RankSet::Rank back_ends = 12;
constexpr int waves = 1000;
const std::array<std::string, 4> internals{"a", "b", "c", "d"};

class Campaign {
 public:
  explicit Campaign(Adoption adoption, unsigned seed) : family_(back_ends, adoption), random_(seed) {
    for (std::size_t i = 0; i < internals.size(); ++i) {
      const std::string ranks = fmt::format("{}-{}", 3 * i, 3 * i + 2);
      family_.internal(internals.at(i), "front-end", ranks, ranks);
      for (RankSet::Rank rank = 0; rank < 3; ++rank)
        family_.back_end(static_cast<RankSet::Rank>(3 * i) + rank, internals.at(i));
      alive_.insert(internals.at(i));
    }
    family_.await_all();
  }

  void run() {
    const std::uint32_t stream = family_.front_end.open({.synchronise = Synchronise::time_out,
                                                         .time_out = 40ms,
                                                         .up = {{"sum", {}}},
                                                         .when_full = WhenFull::drop_oldest});
    for (int wave = 1; wave <= waves && !testing::Test::HasFailure(); ++wave) {
      (void)family_.wave(stream);
      if (wave % 240 == 0) kill_internal();
      if (chance(60)) kill_back_end();
      if (chance(25)) stop_one();
      if (chance(8)) continue_one();
    }
    while (!stopped_.empty()) continue_one();
    (void)family_.until_whole(stream);
    const StreamCounters counters = family_.front_end.counters(stream);
    EXPECT_EQ(counters.faults, 0u);
    EXPECT_EQ(counters.refused, 0u);
    RecordProperty("partial_waves", static_cast<int>(counters.partial_waves));
  }

 private:
  static void RecordProperty(const std::string& name, int value) {
    testing::Test::RecordProperty(name, value);
  }
  bool chance(unsigned one_in) { return random_() % one_in == 0; }

  void kill_internal() {
    if (alive_.empty()) return;
    auto victim = alive_.begin();
    std::advance(victim, static_cast<std::ptrdiff_t>(random_() % alive_.size()));
    family_.processes.at(*victim)->kill();
    std::erase(stopped_, *victim);
    alive_.erase(victim);
  }

  void kill_back_end() {
    const auto rank = static_cast<RankSet::Rank>(random_() % back_ends);
    const std::string name = std::to_string(rank);
    family_.processes.at(name)->kill();
    std::erase(stopped_, name);
    const std::string parent = internals.at(rank / 3);
    family_.back_end(rank, alive_.contains(parent) && chance(2) ? parent : "front-end");
  }

  void stop_one() {
    if (stopped_.size() >= 2) return;
    const auto number = random_() % (back_ends + internals.size());
    const std::string name = number < back_ends ? std::to_string(number) : internals.at(number - back_ends);
    if (number >= back_ends && !alive_.contains(name)) return;
    if (std::ranges::find(stopped_, name) != stopped_.end()) return;
    family_.processes.at(name)->signal(SIGSTOP);
    stopped_.push_back(name);
  }

  void continue_one() {
    if (stopped_.empty()) return;
    family_.processes.at(stopped_.front())->signal(SIGCONT);
    stopped_.erase(stopped_.begin());
  }

  Family family_;
  std::mt19937 random_;
  std::set<std::string> alive_;       // internal processes
  std::vector<std::string> stopped_;  // at most two
};

class StreamsCampaign : public testing::TestWithParam<Adoption> {};

// The seed is in the output when the test fails.
TEST_P(StreamsCampaign, EachWaveIsAccountedForWhateverIsKilledOrStopped) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  Campaign(GetParam(), seed).run();
}

INSTANTIATE_TEST_SUITE_P(Ancestor, StreamsCampaign, testing::Values(Adoption::ancestor));
INSTANTIATE_TEST_SUITE_P(Sibling, StreamsCampaign, testing::Values(Adoption::sibling));

// Stops the processes of a network, one at a time and for a while each, until done() is called.
class Stopping {
 public:
  Stopping(std::vector<const Process*> processes, unsigned seed)
      : processes_(std::move(processes)), random_(seed), thread_([this] { run(); }) {}
  ~Stopping() { done(); }
  Stopping(const Stopping&) = delete;
  Stopping& operator=(const Stopping&) = delete;

  void done() {
    goes_ = false;
    if (thread_.joinable()) thread_.join();
  }

 private:
  void run() {
    const auto wait = [this] { std::this_thread::sleep_for(std::chrono::milliseconds(random_() % 80)); };
    while (goes_) {
      const Process& one = *processes_.at(random_() % processes_.size());
      one.signal(SIGSTOP);
      wait();
      one.signal(SIGCONT);
      wait();
    }
  }

  std::vector<const Process*> processes_;
  std::mt19937 random_;
  std::atomic<bool> goes_{true};
  std::thread thread_;
};

TEST(StreamsCampaignOfTheFrontEnd, ItAccountsForEachWaveWhoeverIsStoppedAndWhenItIsKilledAllOthersEnd) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  FrontEndProcess front_end("flat:5", {"waves"});
  const std::string inner = fmt::format("tcp://127.0.0.1:{}", eventspace::test::free_port());
  Process internal({"internal", front_end.name, front_end.endpoint, inner, "1-4", "1-4"});
  std::vector<std::unique_ptr<Process>> others;
  std::vector<const Process*> all{&front_end.process, &internal};
  for (int rank = 0; rank < 5; ++rank) {
    others.push_back(std::make_unique<Process>(std::vector<std::string>{
        "back-end", front_end.name, rank == 0 ? front_end.endpoint : inner, std::to_string(rank)}));
    all.push_back(others.back().get());
  }
  front_end.await_attached();
  Stopping stopping(all, seed);
  for (int wave = 0; wave < waves; ++wave) ASSERT_EQ(front_end.await_wave(), wave);
  stopping.done();
  front_end.process.kill();
  EXPECT_TRUE(internal.ends(Deadline::after(60s)));
  for (const auto& back_end : others) EXPECT_TRUE(back_end->ends(Deadline::after(60s)));
}

}  // namespace
}  // namespace eventspace::streams

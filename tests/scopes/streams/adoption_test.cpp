#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/paths/links/free_port.h"
#include "tests/scopes/streams/network_talk.h"

// Networks whose processes are killed and stopped.

namespace eventspace::streams {
namespace {

using namespace std::chrono_literals;
using test::Number;
using test::number_of;
using ::testing::HasSubstr;

/// A process of streams_process; killed at the end.
class Process {
 public:
  explicit Process(std::vector<std::string> words, int output = -1) {
    words.insert(words.begin(), "streams_process");
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (output >= 0) posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    EXPECT_EQ(::posix_spawn(&id_, STREAMS_PROCESS, &actions, nullptr, arguments.data(), environ), 0);
    posix_spawn_file_actions_destroy(&actions);
  }
  ~Process() { kill(); }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void signal(int number) const { ::kill(id_, number); }
  void kill() {
    if (id_ <= 0) return;
    ::kill(id_, SIGKILL);
    ::waitpid(std::exchange(id_, 0), nullptr, 0);
  }
  /// Whether it ends by itself, with status 0.
  bool ends(Deadline deadline) {
    int status = 0;
    pid_t ended = 0;
    while ((ended = ::waitpid(id_, &status, WNOHANG)) == 0 && !deadline.passed()) ::usleep(1000);
    if (ended == id_) id_ = 0;
    return ended > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

 private:
  pid_t id_{0};
};

/// A front-end in this process, and all others as processes.
class Family {
 public:
  explicit Family(std::size_t back_ends) : front_end(Topology::flat(back_ends)) {
    endpoints["front-end"] = front_end.attach_point(0).endpoint;
  }

  void internal(const std::string& name, const std::string& parent, const std::string& places,
                const std::string& below) {
    endpoints[name] = fmt::format("tcp://127.0.0.1:{}", eventspace::test::free_port());
    processes[name] = std::make_unique<Process>(std::vector<std::string>{
        "internal", front_end.name(), endpoints.at(parent), endpoints[name], places, below});
  }
  void back_end(RankSet::Rank rank, const std::string& parent) {
    processes[std::to_string(rank)] = std::make_unique<Process>(
        std::vector<std::string>{"back-end", front_end.name(), endpoints.at(parent), std::to_string(rank)});
  }
  /// One wave, in which each end-point answers number + rank: what is in it is right, and what is missing is
  /// named. Returns the missing ones.
  RankSet wave(std::uint32_t stream) {
    const std::int64_t number = 1000 * next_;
    EXPECT_TRUE(front_end.send(stream, Number::make(0, number), Deadline::after(60s)));
    const auto packet = front_end.receive(stream, Deadline::after(60s));
    if (!packet) {
      ADD_FAILURE() << "wave " << next_ << " did not come";
      return RankSet::of_range(0, static_cast<RankSet::Rank>(front_end.topology().back_ends() - 1));
    }
    EXPECT_EQ(packet->wave, static_cast<std::uint64_t>(next_++));
    std::int64_t expected = 0;
    for (RankSet::Rank rank = 0; rank < front_end.topology().back_ends(); ++rank)
      expected += packet->ranks.contains(rank) ? 0 : number + rank;
    EXPECT_EQ(number_of(*packet), expected) << packet->ranks.to_text() << " missing";
    return packet->ranks;
  }
  /// Waves until one is whole; returns all that were missing before.
  RankSet until_whole(std::uint32_t stream) {
    RankSet missing;
    for (const Deadline end = Deadline::after(60s); !end.passed();) {
      const RankSet now = wave(stream);
      if (now.empty()) return missing;
      missing = missing | now;
    }
    ADD_FAILURE() << "no wave is whole";
    return missing;
  }
  void await_all() {
    ASSERT_TRUE(front_end.wait_for(front_end.topology().back_ends(), Deadline::after(60s)));
  }

  FrontEnd front_end;
  std::map<std::string, std::string> endpoints;
  std::map<std::string, std::unique_ptr<Process>> processes;

 private:
  std::int64_t next_{0};
};

TEST(AdoptionTest, TheChildrenOfAKilledInternalProcessAreAdoptedByTheProcessAboveIt) {
  Family family(4);
  family.internal("inner", "front-end", "1-3", "1-3");
  family.back_end(0, "front-end");
  for (RankSet::Rank rank = 1; rank < 4; ++rank) family.back_end(rank, "inner");
  family.await_all();
  const std::uint32_t stream = family.front_end.open({.up = {{"sum", {}}}});
  EXPECT_TRUE(family.wave(stream).empty());
  family.processes["inner"]->kill();
  const RankSet missing = family.until_whole(stream);
  EXPECT_TRUE((missing - RankSet::of_range(1, 3)).empty()) << missing.to_text();
  std::string events;
  while (const auto event = family.front_end.next_event()) events += event->text + '\n';
  EXPECT_THAT(events, HasSubstr("lost"));
}

TEST(AdoptionTest, AWholeSubtreeIsAdoptedAndLaterItsChildrenToo) {
  Family family(3);
  family.internal("upper", "front-end", "", "0-2");
  family.internal("lower", "upper", "0-2", "0-2");
  for (RankSet::Rank rank = 0; rank < 3; ++rank) family.back_end(rank, "lower");
  family.await_all();
  const std::uint32_t stream = family.front_end.open({.up = {{"sum", {}}}});
  const std::uint32_t other = family.front_end.open({});
  EXPECT_TRUE(family.wave(stream).empty());
  family.processes["upper"]->kill();
  family.front_end.close(other);  // those below must learn of it from their new parent
  const auto wait_for_adoption = [&] {
    bool left = false;
    for (const Deadline end = Deadline::after(60s); !end.passed() && !left;) {
      family.front_end.serve(Deadline::after(5ms));
      while (const auto event = family.front_end.next_event()) left |= event->kind == EventKind::left;
    }
    EXPECT_TRUE(left);
    family.await_all();
  };
  wait_for_adoption();
  EXPECT_TRUE(family.until_whole(stream).empty());
  family.processes["lower"]->kill();
  wait_for_adoption();
  EXPECT_TRUE((family.until_whole(stream) - RankSet::of_range(0, 2)).empty());
}

TEST(AdoptionTest, AStoppedInternalProcessDelaysWavesByTheTimeOutAndIsBackLater) {
  Family family(3);
  family.internal("inner", "front-end", "1-2", "1-2");
  family.back_end(0, "front-end");
  for (RankSet::Rank rank = 1; rank < 3; ++rank) family.back_end(rank, "inner");
  family.await_all();
  const std::uint32_t stream =
      family.front_end.open({.synchronise = Synchronise::time_out, .time_out = 200ms, .up = {{"sum", {}}}});
  (void)family.until_whole(stream);
  family.processes["inner"]->signal(SIGSTOP);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(family.wave(stream).contains(1));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 150ms);
  EXPECT_TRUE(family.wave(stream).contains(2));
  family.processes["inner"]->signal(SIGCONT);
  (void)family.until_whole(stream);
}

TEST(AdoptionTest, WhenTheFrontEndIsKilledAllProcessesEnd) {
  std::array<int, 2> output{};
  ASSERT_EQ(::pipe2(output.data(), O_CLOEXEC), 0);
  Process front_end({"front-end", "flat:3"}, output[1]);
  ::close(output[1]);
  FILE* const text = ::fdopen(output[0], "r");
  std::array<char, 256> name{};
  std::array<char, 256> endpoint{};
  ASSERT_EQ(std::fscanf(text, "%255s %255s", name.data(), endpoint.data()), 2);
  const std::string inner = fmt::format("tcp://127.0.0.1:{}", eventspace::test::free_port());
  Process internal({"internal", name.data(), endpoint.data(), inner, "1-2", "1-2"});
  Process first({"back-end", name.data(), endpoint.data(), "0"});
  Process second({"back-end", name.data(), inner, "1"});
  Process third({"back-end", name.data(), inner, "2"});
  std::array<char, 16> attached{};
  ASSERT_EQ(std::fscanf(text, "%15s", attached.data()), 1);
  EXPECT_STREQ(attached.data(), "attached");
  front_end.kill();
  for (Process* const process : {&first, &internal, &second, &third})
    EXPECT_TRUE(process->ends(Deadline::after(30s)));
  std::fclose(text);
}

// The seed is in the output when the test fails.
TEST(AdoptionTest, InARunWithKilledAndStoppedProcessesEachWaveIsAccountedFor) {
  Family family(4);
  family.internal("inner", "front-end", "1-3", "1-3");
  family.back_end(0, "front-end");
  for (RankSet::Rank rank = 1; rank < 4; ++rank) family.back_end(rank, "inner");
  family.await_all();
  const std::uint32_t stream = family.front_end.open({.synchronise = Synchronise::time_out,
                                                      .time_out = 50ms,
                                                      .up = {{"sum", {}}},
                                                      .when_full = WhenFull::drop_oldest});
  const auto seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  std::string stopped;
  for (int wave = 0; wave < 120; ++wave) {
    (void)family.wave(stream);
    if (wave == 40) family.processes["inner"]->kill();
    if (wave < 50 || random() % 10 != 0) continue;
    if (stopped.empty()) {
      stopped = std::to_string(random() % 4);
      family.processes[stopped]->signal(SIGSTOP);
    } else {
      family.processes[std::exchange(stopped, {})]->signal(SIGCONT);
    }
  }
  if (!stopped.empty()) family.processes[stopped]->signal(SIGCONT);
  (void)family.until_whole(stream);
}

}  // namespace
}  // namespace eventspace::streams

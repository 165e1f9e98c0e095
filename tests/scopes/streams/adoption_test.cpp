#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <random>
#include <string>

#include "tests/scopes/streams/family.h"

// Networks whose processes are killed and stopped.

namespace eventspace::streams {
namespace {

using namespace std::chrono_literals;
using test::Family;
using test::Number;
using test::Process;
using ::testing::HasSubstr;

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
  family.front_end.close(other);  // the processes below must learn this from their new parent
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

// The children of a lost process spread over its siblings.
TEST(AdoptionTest, ByThatPolicyTheProcessesBesideALostOneAdoptItsChildren) {
  Family family(6, Adoption::sibling);
  family.internal("a", "front-end", "0-1", "0-1");
  family.internal("b", "front-end", "2-3", "2-3");
  family.internal("c", "front-end", "4-5", "4-5");
  const std::array<std::string, 6> parents{"a", "a", "b", "b", "c", "c"};
  for (RankSet::Rank rank = 0; rank < 6; ++rank) family.back_end(rank, parents.at(rank));
  family.await_all();
  const std::uint32_t stream =
      family.front_end.open({.synchronise = Synchronise::time_out, .time_out = 300ms, .up = {{"sum", {}}}});
  (void)family.until_whole(stream);
  family.processes["a"]->kill();
  EXPECT_TRUE((family.until_whole(stream) - RankSet::of_range(0, 1)).empty());
  const auto below = [&](const std::string& process) {
    family.processes[process]->signal(SIGSTOP);
    const RankSet missing = family.wave(stream);
    family.processes[process]->signal(SIGCONT);
    (void)family.until_whole(stream);
    return missing;
  };
  const RankSet below_b = below("b");
  const RankSet below_c = below("c");
  EXPECT_TRUE((below_b & below_c).empty());
  EXPECT_EQ((below_b | below_c).to_text(), "0-5") << "none is below the front-end itself";
  family.processes["b"]->kill();
  (void)family.until_whole(stream);
  EXPECT_EQ(family.until_whole(stream).to_text(), "");
}

TEST(AdoptionTest, ABackEndThatWasKilledComesBackAndWavesBeforeDoNotWaitForIt) {
  Family family(3);
  family.internal("inner", "front-end", "1-2", "1-2");
  family.back_end(0, "front-end");
  for (RankSet::Rank rank = 1; rank < 3; ++rank) family.back_end(rank, "inner");
  family.await_all();
  const std::uint32_t stream = family.front_end.open({.up = {{"sum", {}}}});
  EXPECT_TRUE(family.until_whole(stream).empty());
  family.processes["2"]->kill();
  RankSet missing;
  for (const Deadline end = Deadline::after(60s); missing.empty() && !end.passed();)
    missing = family.wave(stream);
  EXPECT_EQ(missing.to_text(), "2");
  EXPECT_EQ(family.wave(stream).to_text(), "2");
  family.back_end(2, "inner");
  EXPECT_EQ((family.until_whole(stream) - RankSet::of_range(2, 2)).to_text(), "");
  family.processes["inner"]->kill();
  (void)family.until_whole(stream);
  family.processes["1"]->kill();
  family.back_end(1, "front-end");  // its parent has ended
  (void)family.until_whole(stream);
}

TEST(AdoptionTest, AStoppedFrontEndDelaysNoBackEndBeyondItsDeadlines) {
  test::FrontEndProcess front_end("flat:1");
  BackEnd back_end({front_end.name, front_end.endpoint, 0}, Deadline::after(60s));
  const auto question = back_end.receive(Deadline::after(60s));
  ASSERT_TRUE(question);
  EXPECT_TRUE(back_end.answer(*question, Number::make(0, 1), Deadline::after(60s)));
  front_end.process.signal(SIGSTOP);
  EXPECT_FALSE(back_end.receive(Deadline::after(100ms)));
  EXPECT_FALSE(back_end.receive(Deadline::now()));
  int sent = 0;
  while (back_end.send(question->stream, Number::make(0, 1), Deadline::after(100ms))) ++sent;
  EXPECT_LE(sent, 3 * 256) << "bounded by windows";
  EXPECT_FALSE(back_end.has_ended());
  front_end.process.signal(SIGCONT);
  back_end.serve(Deadline::after(50ms));
  EXPECT_FALSE(back_end.has_ended());
}

TEST(AdoptionTest, WhenTheFrontEndIsKilledAllProcessesEnd) {
  test::FrontEndProcess front_end("flat:3");
  const std::string inner = fmt::format("tcp://127.0.0.1:{}", eventspace::test::free_port());
  Process internal({"internal", front_end.name, front_end.endpoint, inner, "1-2", "1-2"});
  Process first({"back-end", front_end.name, front_end.endpoint, "0"});
  Process second({"back-end", front_end.name, inner, "1"});
  Process third({"back-end", front_end.name, inner, "2"});
  front_end.await_attached();
  front_end.process.kill();
  for (Process* const process : {&first, &internal, &second, &third})
    EXPECT_TRUE(process->ends(Deadline::after(30s)));
}

// The seed is printed when the test fails. Back-end 0 always answers: a wave without any answer does not
// come, and the others may not have been adopted yet.
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
      stopped = std::to_string(1 + random() % 3);
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

// The wind tunnel as users run it: as processes, with pathmaps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <deque>
#include <fstream>
#include <iterator>

#include "apps/windtunnel/gas/tunnel.h"
#include "fmt/format.h"
#include "tests/windtunnel/program/child_process.h"
#include "tests/windtunnel/temporary_directory.h"
#include "tests/windtunnel/test_pathmap.h"

namespace eventspace::windtunnel {
namespace {

using ::testing::AnyOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Optional;

using Words = std::vector<std::string>;

constexpr std::size_t kN = 160;
constexpr std::size_t kSteps = 25;

Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::string reference_checksum() {
  Tunnel tunnel({.n = kN, .obstacle = Obstacle::plate, .seed = 5});
  for (std::size_t i = 0; i < kSteps; ++i) tunnel.step();
  return fmt::format("\"checksum\":\"{:016x}\"", tunnel.checksum());
}

class Program : public ::testing::Test {
 protected:
  Program() { std::filesystem::create_directory(segments()); }

  std::filesystem::path segments() const { return directory_ / "shm"; }
  std::string file(const std::string& name) const { return directory_ / name; }

  void use_pathmap(std::size_t threads, std::size_t processes, Borders borders = Borders::through_servers) {
    std::ofstream(file("map.yaml")) << test_pathmap(threads, processes, borders);
  }

  ChildProcess& start(const Words& arguments) {
    return children_.emplace_back(Words{WINDTUNNEL_PROGRAM} + arguments,
                                  Words{"EVENTSPACE_SHM_DIR=" + segments().string()},
                                  directory_ / fmt::format("child-{}", children_.size()));
  }

  ChildProcess& start(const std::string& process, const Words& arguments) {
    return start(Words{"--pathmap", file("map.yaml"), "--process", process} + arguments);
  }

  void start_all(std::size_t processes, const Words& arguments) {
    for (std::size_t i = 0; i < processes; ++i) start(fmt::format("p{}", i), arguments);
  }

  void signal_all(int number) {
    for (auto& child : children_) child.signal(number);
  }

  void expect_all_end_with(int status) {
    for (auto& child : children_) EXPECT_THAT(child.wait(), Optional(status)) << child.errors();
  }

  std::string summary() const {
    std::ifstream stream(file("summary.json"));
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  Words small_tunnel() const {
    return {
        "--n",   std::to_string(kN), "--steps",           std::to_string(kSteps), "--seed", "5", "--obstacle",
        "plate", "--summary",        file("summary.json")};
  }

  // Far more steps than can be done.
  static Words endless_tunnel() { return {"--n", "64", "--steps", "1000000000"}; }

  TemporaryDirectory directory_;
  std::deque<ChildProcess> children_;  // end before the directory is removed
};

// --- results ----------------------------------------------------------------------------------------

struct Shape {
  std::size_t threads;
  std::size_t processes;
  bool collects;
  Borders borders = Borders::through_servers;
};

class ProgramOf : public Program, public ::testing::WithParamInterface<Shape> {};

INSTANTIATE_TEST_SUITE_P(Shapes, ProgramOf,
                         ::testing::Values(Shape{1, 1, true}, Shape{2, 1, true}, Shape{140, 1, true},
                                           Shape{140, 1, false}, Shape{140, 4, true}, Shape{140, 4, false},
                                           Shape{140, 4, true, Borders::shared},
                                           Shape{140, 4, false, Borders::shared}),
                         [](const auto& shown) {
                           const auto& shape = shown.param;
                           return fmt::format("{}WorkersIn{}Processes{}Collectors{}", shape.threads,
                                              shape.processes, shape.collects ? "With" : "Without",
                                              shape.borders == Borders::shared ? "SharingBorders" : "");
                         });

TEST_P(ProgramOf, FindsExactlyWhatTheReferenceFinds) {
  const auto shape = GetParam();
  use_pathmap(shape.threads, shape.processes, shape.borders);
  start_all(shape.processes, small_tunnel() + (shape.collects ? Words{} : Words{"--no-collect"}));
  expect_all_end_with(0);
  EXPECT_THAT(summary(), HasSubstr(reference_checksum()));
  EXPECT_THAT(children_[0].output(), HasSubstr("mass balance: exact"));
}

TEST_P(ProgramOf, CountsTheEventsOfAllProcesses) {
  const auto [threads, processes, collects, borders] = GetParam();
  use_pathmap(threads, processes, borders);
  start_all(processes, small_tunnel() + (collects ? Words{} : Words{"--no-collect"}));
  expect_all_end_with(0);
  const auto progress_and_result = 2 * (kSteps + 2) * threads;
  const auto lining_up = 4 * threads;
  const auto least = collects ? 12 * kSteps * threads : 0;
  const auto most = collects ? least + lining_up + progress_and_result + 2 * processes : 0;
  std::size_t recorded = 0;
  const auto found = summary();
  ASSERT_EQ(
      std::sscanf(found.c_str() + found.find("\"events_recorded\""), "\"events_recorded\":%zu", &recorded),
      1);
  EXPECT_GE(recorded, least);
  EXPECT_LE(recorded, most);
}

// --- collectives ------------------------------------------------------------------------------------

// Adds the collectives that --reduce-every and --barrier-every use to the pathmap.
void add_collectives(const std::string& pathmap, const std::string& to) {
  std::ofstream(to) << "pathmap: 1\ninclude: " << pathmap << R"(
application:
  collectives:
    balance:
      {kind: all-reduce, threads: "t*", tuple: [int, int, int, int, int, int], combine: sum,
       levels: [{group: all}, {group: process, arity: 3}]}
    barrier: {kind: barrier, threads: "t*", levels: [{group: all}, {group: process}]}
collect:
  points: [{threads: "**", paths: "{balance,barrier}", at: [thread, element]}]
)";
}

class TogetherProgram : public Program, public ::testing::WithParamInterface<std::size_t> {};

INSTANTIATE_TEST_SUITE_P(Processes, TogetherProgram, ::testing::Values(1, 4),
                         [](const auto& shown) { return std::to_string(shown.param); });

TEST_P(TogetherProgram, FindsTheSameAndThatTheGasIsConserved) {
  use_pathmap(20, GetParam());
  add_collectives("map.yaml", file("together.yaml"));
  for (std::size_t i = 0; i < GetParam(); ++i)
    start(Words{"--pathmap", file("together.yaml"), "--process", fmt::format("p{}", i), "--reduce-every", "2",
                "--barrier-every", "3"} +
          small_tunnel());
  expect_all_end_with(0);
  EXPECT_THAT(summary(), HasSubstr(reference_checksum()));
}

TEST_F(Program, NeedsCollectivesInThePathmapForThat) {
  use_pathmap(4, 1);
  start_all(1, small_tunnel() + Words{"--reduce-every", "2"});
  expect_all_end_with(2);
  EXPECT_THAT(children_[0].errors(), HasSubstr("has no path 'balance'"));
}

TEST_F(Program, LeavesNoSegmentBehind) {
  use_pathmap(4, 2);
  start_all(2, small_tunnel());
  expect_all_end_with(0);
  EXPECT_TRUE(std::filesystem::is_empty(segments()));
}

TEST_F(Program, LeavesNoSharedElementsBehind) {
  use_pathmap(4, 2, Borders::shared);
  start_all(2, small_tunnel());
  expect_all_end_with(0);
  EXPECT_TRUE(std::filesystem::is_empty(segments()));
}

TEST_F(Program, WritesPicturesNamedAfterTheirStep) {
  use_pathmap(6, 2);
  start_all(2, small_tunnel() + Words{"--frames", directory_.path(), "--every", "10"});
  expect_all_end_with(0);
  for (const auto* step : {"0000010", "0000020", "0000025"})
    for (const auto* quantity : {"density", "velocity"})
      EXPECT_GT(std::filesystem::file_size(file(fmt::format("{}-{}.png", quantity, step))), 1000U);
  EXPECT_THAT(summary(), HasSubstr("\"pictures\":6"));
}

// --- runs that end early ----------------------------------------------------------------------------

class StalledProgram : public Program, public ::testing::WithParamInterface<const char*> {};

INSTANTIATE_TEST_SUITE_P(Kinds, StalledProgram, ::testing::Values("spin", "wait", "sleep"),
                         [](const auto& shown) { return std::string(shown.param); });

TEST_P(StalledProgram, EndsWhenItIsInterrupted) {
  use_pathmap(8, 4);
  start_all(4, endless_tunnel() + Words{"--stall", fmt::format("t1@20:{}", GetParam())});
  ASSERT_TRUE(children_[0].waits_until_it_says("windtunnel: 20 of 1000000000 steps"))
      << children_[0].errors();
  signal_all(SIGTERM);
  expect_all_end_with(0);
  for (auto& child : children_) EXPECT_THAT(child.errors(), HasSubstr("interrupted; at step"));
}

TEST_F(Program, EndsOnCtrlCWithoutAResult) {
  use_pathmap(4, 1);
  auto& child = start("p0", endless_tunnel() + Words{"--summary", file("summary.json")});
  ASSERT_TRUE(child.waits_until_it_says("of 1000000000 steps"));
  child.signal(SIGINT);
  EXPECT_THAT(child.wait(), Optional(0));
  EXPECT_THAT(child.errors(), HasSubstr("interrupted; at step"));
  EXPECT_THAT(child.output(), IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(file("summary.json")));
}

class ProgramWithBorders : public Program, public ::testing::WithParamInterface<Borders> {};

INSTANTIATE_TEST_SUITE_P(Borders, ProgramWithBorders,
                         ::testing::Values(Borders::through_servers, Borders::shared), [](const auto& shown) {
                           return shown.param == Borders::shared ? "Shared" : "ThroughServers";
                         });

TEST_P(ProgramWithBorders, EndsWithAllItsProcessesWhenOneLeaves) {
  use_pathmap(8, 4, GetParam());
  start_all(4, endless_tunnel());
  ASSERT_TRUE(children_[0].waits_until_it_says("of 1000000000 steps"));
  children_[2].signal(SIGTERM);
  EXPECT_THAT(children_[2].wait(), Optional(0));
  for (const auto other : {0U, 1U, 3U}) {
    EXPECT_THAT(children_[other].wait(), Optional(3));
    EXPECT_THAT(children_[other].errors(), HasSubstr("closed"));
  }
}

TEST_F(Program, EndsWithAllItsProcessesWhenOneIsKilled) {
  use_pathmap(8, 4);
  start_all(4, endless_tunnel());
  ASSERT_TRUE(children_[0].waits_until_it_says("of 1000000000 steps"));
  children_[1].signal(SIGKILL);
  EXPECT_THAT(children_[1].wait(), Optional(128 + SIGKILL));
  for (const auto other : {0U, 2U, 3U}) {
    EXPECT_THAT(children_[other].wait(), Optional(3));
    EXPECT_THAT(children_[other].errors(), ContainsRegex("thread t[0-7], path .*: closed: "));
  }
}

// A thread that waits in a shared element of its own process does not notice the end of the process that
// writes to it.
TEST_F(Program, WithSharedBordersCanBeEndedAfterOneOfItsProcessesWasKilled) {
  use_pathmap(8, 4, Borders::shared);
  start_all(4, endless_tunnel());
  ASSERT_TRUE(children_[0].waits_until_it_says("of 1000000000 steps"));
  children_[1].signal(SIGKILL);
  EXPECT_THAT(children_[1].wait(), Optional(128 + SIGKILL));
  for (const auto other : {0U, 2U, 3U}) children_[other].signal(SIGTERM);
  for (const auto other : {0U, 2U, 3U}) EXPECT_THAT(children_[other].wait(), Optional(AnyOf(0, 3)));
}

TEST_F(Program, NamesTheThreadThatWaitsForAKilledProcessAndSaysThatTheConnectionWasLost) {
  use_pathmap(4, 2);
  start_all(2, endless_tunnel());
  ASSERT_TRUE(children_[0].waits_until_it_says("of 1000000000 steps"));
  children_[1].signal(SIGKILL);
  EXPECT_THAT(children_[0].wait(), Optional(3));
  EXPECT_THAT(
      children_[0].errors(),
      ContainsRegex(
          "thread t[01], path (send|receive)/[a-z/]+: closed: the connection to tcp://127.0.0.1:[0-9]+ "
          "\\(.*\\) was lost"));
}

TEST_F(Program, CanBeInterruptedWhileOneOfItsProcessesIsStopped) {
  use_pathmap(8, 4);
  start_all(4, endless_tunnel());
  ASSERT_TRUE(children_[0].waits_until_it_says("of 1000000000 steps"));
  children_[1].signal(SIGSTOP);
  for (const auto other : {0U, 2U, 3U}) children_[other].signal(SIGTERM);
  for (const auto other : {0U, 2U, 3U}) EXPECT_THAT(children_[other].wait(), Optional(0));
}

TEST_F(Program, ComplainsWhenItsProcessesWereStartedWithDifferentSeeds) {
  use_pathmap(8, 2);
  start("p0", endless_tunnel() + Words{"--seed", "1"});
  start("p1", endless_tunnel() + Words{"--seed", "2"});
  EXPECT_THAT(children_[0].wait(), Optional(2));
  EXPECT_THAT(children_[0].errors(), HasSubstr("--seed 2"));
  EXPECT_THAT(children_[0].errors(), Not(HasSubstr("closed")));
  EXPECT_THAT(children_[1].wait(), Optional(AnyOf(2, 3)));
}

TEST_F(Program, ComplainsWhenItsProcessesWereStartedWithDifferentSizes) {
  use_pathmap(8, 2);
  start("p0", {"--n", "64"});
  start("p1", {"--n", "96"});
  for (auto& child : children_) {
    EXPECT_THAT(child.wait(), Optional(AnyOf(2, 3)));
    EXPECT_THAT(child.errors(), Not(IsEmpty()));
  }
}

// --- bad requests -----------------------------------------------------------------------------------

TEST_F(Program, SaysThatADirectoryForPicturesIsMissing) {
  use_pathmap(2, 1);
  auto& child = start("p0", small_tunnel() + Words{"--frames", file("missing")});
  EXPECT_THAT(child.wait(), Optional(3));
  EXPECT_THAT(child.errors(), HasSubstr(file("missing") + "': No such file or directory"));
}

TEST_F(Program, SaysThatPicturesCannotBeWrittenToADevice) {
  use_pathmap(2, 1);
  auto& child = start("p0", small_tunnel() + Words{"--frames", "/dev/full"});
  EXPECT_THAT(child.wait(), Optional(3));
  EXPECT_THAT(child.errors(), HasSubstr("/dev/full': Not a directory"));
}

TEST_F(Program, EndsWhenTheDiskIsFullAtAPicture) {
  use_pathmap(2, 1);
  std::filesystem::create_symlink("/dev/full", file("density-0000010.png"));
  auto& child = start("p0", small_tunnel() + Words{"--frames", directory_.path(), "--every", "10"});
  EXPECT_THAT(child.wait(), Optional(3));
  EXPECT_THAT(child.errors(), HasSubstr("density-0000010.png': No space left on device"));
}

TEST_F(Program, SaysThatTheSummaryCannotBeWritten) {
  use_pathmap(2, 1);
  auto& child = start("p0", {"--n", "64", "--steps", "3", "--summary", "/dev/full"});
  EXPECT_THAT(child.wait(), Optional(3));
  EXPECT_THAT(child.errors(), HasSubstr("/dev/full': No space left on device"));
}

TEST_F(Program, SaysThatThePathmapIsMissing) {
  auto& child = start({"--pathmap", file("missing.yaml")});
  EXPECT_THAT(child.wait(), Optional(2));
  EXPECT_THAT(child.errors(), HasSubstr("missing.yaml"));
}

TEST_F(Program, SaysWhichProcessesThereAre) {
  use_pathmap(4, 2);
  auto& child = start("p7", {});
  EXPECT_THAT(child.wait(), Optional(2));
  EXPECT_THAT(child.errors(), HasSubstr("it has p0, p1"));
}

TEST_F(Program, CannotStallAThreadThatIsNotThere) {
  use_pathmap(4, 1);
  auto& child = start("p0", {"--stall", "t4@1"});
  EXPECT_THAT(child.wait(), Optional(2));
  EXPECT_THAT(child.errors(), HasSubstr("unknown worker 't4'; the pathmap has t0 to t3"));
}

TEST_F(Program, CannotHaveMoreWorkersThanRows) {
  use_pathmap(33, 1);
  auto& child = start("p0", {"--n", "32"});
  EXPECT_THAT(child.wait(), Optional(2));
  EXPECT_THAT(child.errors(), HasSubstr("cannot cut 32 rows into 33 slices"));
}

}  // namespace
}  // namespace eventspace::windtunnel

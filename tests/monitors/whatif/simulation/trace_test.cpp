// Critical paths, and messages over time.
#include "monitors/whatif/simulation/trace.h"

#include <gmock/gmock.h>

#include <numeric>

#include "tests/monitors/whatif/simulation/program_story.h"

namespace eventspace::whatif {
namespace {

using story::loggp;
using story::program;
using story::us;
using testing::ElementsAre;

const LogGpNetwork ten{.latency = 10 * us};

CriticalPath path_of(const Outcome& outcome) {
  std::vector<Picoseconds> ends;
  for (const TaskOutcome& task : outcome.tasks) ends.push_back(task.execution);
  return critical_path(*outcome.trace, ends);
}

Picoseconds sum_of(const CriticalPath& path) {
  Picoseconds sum = std::accumulate(path.tasks.begin(), path.tasks.end(), Picoseconds{0});
  for (const CriticalPath::Link& link : path.links) sum += link.time;
  return sum;
}

TEST(CriticalPath, IsTheChainThatTheEndWaitedFor) {
  // Task 2 gets its message from 1, which waited for 0; what 1 did before that does not count.
  const Outcome made =
      story::outcome(program(3,
                             "0 compute 100us\n0 send 1 1B\n0 compute 5us\n0 end\n"
                             "1 compute 50us\n1 recv 0 1B\n1 compute 20us\n1 send 2 1B\n1 end\n"
                             "2 recv 1 1B\n2 compute 7us\n2 end\n"),
                     loggp(ten), {.traces = true});
  const CriticalPath path = path_of(made);
  EXPECT_THAT(path.tasks, ElementsAre(100 * us, 20 * us, 7 * us));
  ASSERT_EQ(path.links.size(), 2u);
  EXPECT_EQ(path.links[0].time, 10 * us);
  EXPECT_EQ(path.links[0].messages, 1u);
  EXPECT_EQ(sum_of(path), made.execution);
}

TEST(CriticalPath, OfAMessageThatWasUnderWayBeginsWithItsSend) {
  const Outcome made =
      story::outcome(program(2, "0 compute 1us\n0 send 1 1B\n0 end\n1 compute 4us\n1 recv 0 1B\n1 end\n"),
                     loggp(ten), {.traces = true});
  const CriticalPath path = path_of(made);
  EXPECT_THAT(path.tasks, ElementsAre(us, 0));
  EXPECT_EQ(path.links.at(0).time, 10 * us);
}

TEST(CriticalPath, OfASendThatWaitedForItsReceiveGoesThroughTheReceiver) {
  LogGpNetwork network = ten;
  network.rendezvous = 0;
  const Outcome made = story::outcome(
      program(2, "0 send 1 1001B\n0 compute 9us\n0 end\n1 compute 40us\n1 recv 0 1001B\n1 end\n"),
      loggp(network), {.traces = true});
  const CriticalPath path = path_of(made);
  EXPECT_EQ(path.tasks.at(1), 40 * us);
  EXPECT_EQ(sum_of(path), made.execution);
}

TEST(CriticalPath, OfManyMessagesAddsUpToTheExecutionTime) {
  std::string lines;
  for (int task = 0; task < 8; ++task) {
    for (int round = 0; round < 5; ++round)
      lines += std::to_string(task) + " compute " + std::to_string(1 + (task * 7 + round * 3) % 11) + "us\n" +
               std::to_string(task) + " allreduce 3000B\n";
    lines += std::to_string(task) + " end\n";
  }
  const Program of = program(8, lines);
  for (const Network& network : {loggp(ten), story::ethernet()}) {
    const Outcome made = story::outcome(of, network, {.traces = true});
    EXPECT_EQ(sum_of(path_of(made)), made.execution);
  }
}

TEST(Course, KeepsABoundedNumberOfSpansAndLosesNothing) {
  SimulationTrace::Course course;
  for (Picoseconds at = 0; at < 100'000 * us; at += 7 * us) course.add(at, 10);
  EXPECT_LE(course.spans().size(), SimulationTrace::Course::most_spans);
  std::uint64_t messages = 0;
  for (const auto& span : course.spans()) messages += span.messages;
  EXPECT_EQ(messages, 14286u);
  EXPECT_GE(static_cast<Picoseconds>(course.spans().size()) * course.span(), 99'995 * us);
}

TEST(Trace, IsThereOnlyIfItIsAskedFor) {
  const Program of = program(2, "0 send 1 1B\n0 end\n1 recv 0 1B\n1 end\n");
  EXPECT_FALSE(story::outcome(of, loggp(ten)).trace.has_value());
  const Outcome made = story::outcome(of, loggp(ten), {.traces = true});
  EXPECT_EQ(made.trace->flows.size(), 1u);
}

}  // namespace
}  // namespace eventspace::whatif

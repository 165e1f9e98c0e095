// The engine on LogGP and on the infinite network, against closed forms.
#include <gmock/gmock.h>

#include <fmt/format.h>
#include <cmath>

#include <eventspace/error.h>
#include "monitors/whatif/simulation/random.h"
#include "tests/error_text.h"
#include "tests/monitors/whatif/simulation/program_story.h"

namespace eventspace::whatif {
namespace {

using story::loggp;
using story::outcome;
using story::program;
using story::us;
using testing::AllOf;
using testing::HasSubstr;

// L = 5 us, o = 1 us at the sender and 2 us at the receiver, g = 3 us, 1 ns a byte.
const LogGpNetwork five{
    .latency = 5 * us, .send_overhead = us, .receive_overhead = 2 * us, .gap = 3 * us, .per_byte = 1000};
constexpr Picoseconds one_message(std::uint64_t bytes) {
  return us + static_cast<Picoseconds>(bytes - 1) * 1000 + 5 * us + 2 * us;
}

TEST(LogGp, AMessageTakesTheTimeOfTheModel) {
  const Outcome made = outcome(program(2, "0 send 1 1001B\n0 end\n1 recv 0 1001B\n1 end\n"), loggp(five));
  EXPECT_EQ(made.execution, one_message(1001));
  EXPECT_EQ(made.tasks[0].execution, us);
  EXPECT_EQ(made.tasks[1].service, one_message(1001) - 2 * us);
  EXPECT_EQ(made.tasks[1].algorithmic, 0);
}

// A write to another node's server lasts until the answer, which arrives after a further latency, whether or
// not the tuple is taken.
TEST(LogGp, AnAnsweredSendTakesTheLatencyOnceMoreAndWaitsForNoReceive) {
  LogGpNetwork network = five;
  network.rendezvous = 100;
  const Outcome made = outcome(program(2,
                                       "0 send 1 1001B answered\n0 send 1 1001B answered\n0 end\n"
                                       "1 compute 1s\n1 recv 0 1001B\n1 recv 0 1001B\n1 end\n"),
                               loggp(network));
  const Picoseconds one = us + us + 5 * us + 5 * us;
  EXPECT_EQ(made.tasks[0].execution, 2 * one);
  EXPECT_EQ(made.tasks[0].service, 2 * (one - us));
  EXPECT_EQ(made.tasks[0].algorithmic, 0);
  EXPECT_EQ(made.execution, 1'000'000 * us + 2 * 2 * us);
}

TEST(LogGp, AnAnsweredSendWithinAStationWaitsForNothing) {
  SimulationSettings settings;
  settings.stations = {0, 0};
  const Outcome made =
      outcome(program(2, "0 send 1 1001B answered\n0 end\n1 recv 0 1001B\n1 end\n"), loggp(five), settings);
  EXPECT_EQ(made.tasks[0].execution, 0);
}

TEST(LogGp, APingPongIsTwiceAsLongEachTime) {
  std::string lines;
  for (int i = 0; i < 100; ++i) lines += "0 send 1 64B\n0 recv 1 64B\n1 recv 0 64B\n1 send 0 64B\n";
  const Outcome made = outcome(program(2, lines + "0 end\n1 end\n"), loggp(five));
  EXPECT_EQ(made.execution, 200 * one_message(64));
}

TEST(LogGp, ARingIsAsLongAsItsMessages) {
  constexpr int tasks = 16;
  std::string lines;
  for (int i = 0; i < tasks; ++i) {
    const std::string send = fmt::format("{} send {} 4032B\n", i, (i + 1) % tasks);
    const std::string receive = fmt::format("{} recv {} 4032B\n", i, (i + tasks - 1) % tasks);
    lines += (i == 0 ? send + receive : receive + send) + fmt::format("{} end\n", i);
  }
  EXPECT_EQ(outcome(program(tasks, lines), loggp(five)).execution, tasks * one_message(4032));
}

// Each level of a binomial tree is one message later, where sending several does not delay: g + o <= a
// message.
TEST(LogGp, ABroadcastTreeIsAsDeepAsItsLevels) {
  for (const std::uint32_t members : {2U, 4U, 8U, 64U}) {
    std::string lines;
    for (std::uint32_t i = 0; i < members; ++i) lines += fmt::format("{0} bcast 1B root 0\n{0} end\n", i);
    const auto levels = static_cast<Picoseconds>(std::lround(std::log2(members)));
    // The root sends to the largest subtree first; the last leaf gets its message through all levels.
    EXPECT_EQ(outcome(program(members, lines), loggp(five)).execution, levels * one_message(1)) << members;
  }
}

TEST(LogGp, AnAllToAllIsItsExchanges) {
  constexpr std::uint32_t members = 8;
  std::string lines;
  for (std::uint32_t i = 0; i < members; ++i) lines += fmt::format("{0} alltoall 1000B\n{0} end\n", i);
  EXPECT_EQ(outcome(program(members, lines), loggp(five)).execution, (members - 1) * one_message(1000));
}

TEST(LogGp, SendsOfOneStationKeepTheirGap) {
  // The second message follows the last byte of the first after the gap.
  const Outcome made =
      outcome(program(3,
                      "0 isend 1 1001B request 0\n0 isend 2 1001B request 1\n0 wait 0 1\n0 end\n"
                      "1 recv 0 1001B\n1 end\n2 recv 0 1001B\n2 end\n"),
              loggp(five));
  EXPECT_EQ(made.tasks[2].execution, one_message(1001) + us + 3 * us);
}

TEST(LogGp, MessagesToOneStationComeOneAfterTheOther) {
  const Outcome made = outcome(
      program(3, "0 send 2 1001B\n0 end\n1 send 2 1001B\n1 end\n2 recv 0 1001B\n2 recv 1 1001B\n2 end\n"),
      loggp(five));
  // The second is accepted a gap after the first, and needs the time of its bytes again.
  EXPECT_EQ(made.execution, one_message(1001) + 3 * us + us);
}

TEST(LogGp, ALargeMessageWaitsForItsReceive) {
  LogGpNetwork network = five;
  network.rendezvous = 100;
  const Outcome made =
      outcome(program(2, "0 send 1 1001B\n0 end\n1 compute 1ms\n1 recv 0 1001B\n1 end\n"), loggp(network));
  // From the receive on: there and back, followed by the bytes.
  EXPECT_EQ(made.execution, 1000 * us + 10 * us + us + 5 * us + 2 * us);
  EXPECT_EQ(made.tasks[0].execution, 1000 * us + 10 * us + us);
  EXPECT_EQ(made.tasks[0].algorithmic, 999 * us);
  EXPECT_EQ(made.tasks[0].service, 11 * us);
}

TEST(LogGp, BlockedTimeBeforeTheSendIsTheProgramsOwn) {
  const Outcome made =
      outcome(program(2, "0 compute 1ms\n0 send 1 1B\n0 end\n1 recv 0 1B\n1 end\n"), loggp(five));
  EXPECT_EQ(made.tasks[1].algorithmic, 1000 * us);
  EXPECT_EQ(made.tasks[1].service, 6 * us);
}

TEST(LogGp, FactorsScaleComputingAndTheLibraryApart) {
  const Program of = program(
      2, "0 compute 1ms\n0 overhead 1ms\n0 idle 1ms\n0 send 1 1B takes 1ms\n0 end\n1 recv 0 1B\n1 end\n");
  const Outcome made = outcome(of, {.name = "infinite"}, {.compute = 0.5, .overhead = 0.1});
  EXPECT_EQ(made.tasks[0].execution, 500 * us + 100 * us + 1000 * us + 100 * us);
  EXPECT_EQ(made.tasks[1].execution, 1600 * us);
}

// --- the infinite network ----------------------------------------------------------------------------------

TEST(Infinite, OnlyTheProgramsOwnDependenciesRemain) {
  const Outcome made = outcome(program(2,
                                       "0 compute 3ms\n0 send 1 1MiB\n0 barrier\n0 end\n"
                                       "1 compute 1ms\n1 recv 0 1MiB\n1 compute 2ms\n1 barrier\n1 end\n"),
                               {.name = "infinite"});
  EXPECT_EQ(made.execution, 5000 * us);
  EXPECT_EQ(made.tasks[0].algorithmic, 2000 * us);
  EXPECT_EQ(made.tasks[1].algorithmic, 2000 * us);
  EXPECT_EQ(made.tasks[0].service + made.tasks[1].service, 0);
}

TEST(Infinite, EachCollectiveOperationEndsAndLosesNothing) {
  for (const std::string_view operation : group_operation_words) {
    for (const std::uint32_t members : {1U, 2U, 3U, 7U, 8U, 13U}) {
      std::string lines;
      for (std::uint32_t i = 0; i < members; ++i)
        lines += fmt::format("{} {} {} root {}\n{} end\n", i, operation, operation == "barrier" ? "" : "24B",
                             members - 1, i);
      const Outcome made = outcome(program(members, lines), {.name = "infinite"});
      EXPECT_EQ(made.bytes_sent, made.bytes_received) << operation << members;
      EXPECT_EQ(made.messages_left, 0U) << operation << members;
    }
  }
}

// --- matching
// ---------------------------------------------------------------------------------------------------

TEST(Matching, TagsAndGroupsKeepMessagesApart) {
  const Outcome made = outcome(program(2,
                                       "0 send 1 1B tag 1\n0 compute 1ms\n0 send 1 1B tag 2\n0 end\n"
                                       "1 recv 0 1B tag 2\n1 recv 0 1B tag 1\n1 end\n"),
                               {.name = "infinite"});
  EXPECT_EQ(made.tasks[1].execution, 1000 * us);
  EXPECT_EQ(made.bytes_left, 0U);
}

TEST(Matching, PartialReceivesTakeBytesAsOfAStream) {
  const Outcome made =
      outcome(program(2,
                      "0 send 1 48B\n0 compute 1ms\n0 send 1 16B\n0 end\n"
                      "1 recv 0 16B partial\n1 recv 0 40B partial\n1 recv 0 8B partial\n1 end\n"),
              {.name = "infinite"});
  EXPECT_EQ(made.tasks[1].execution, 1000 * us);
  EXPECT_EQ(made.bytes_received, 64U);
}

TEST(Matching, MessagesWithinAStationDoNotUseTheNetwork) {
  Network network = loggp(five);
  network.local_latency = 7 * us;
  const Program of = program(2, "0 send 1 1B\n0 send 0 1B\n0 recv 0 1B\n0 end\n1 recv 0 1B\n1 end\n");
  const Outcome made = outcome(of, network, {.stations = {0, 0}});
  EXPECT_EQ(made.tasks[0].execution, 7 * us);
  EXPECT_EQ(made.tasks[1].execution, 7 * us);
  EXPECT_EQ(made.tasks[0].network.on_network, 0);
}

TEST(Matching, AMulticastReachesAllAndIsOneMessage) {
  const Outcome made = outcome(
      program(4, "0 mcast 1-3 58B\n0 end\n1 recv 0 58B\n1 end\n2 recv 0 58B\n2 end\n3 recv 0 58B\n3 end\n"),
      loggp(five));
  EXPECT_EQ(made.tasks[0].messages, 1U);
  EXPECT_EQ(made.bytes_received, 3 * 58U);
}

// --- programs that never end
// ----------------------------------------------------------------------------------

std::string fault_of(const Program& program, const Network& network) {
  return test::error_text<ConfigurationError>([&] { (void)simulate(program, network, {}); }, "none");
}

TEST(Deadlock, ACircleIsNamedWithItsActions) {
  const Program of = program(3,
                             "0 recv 1 1B\n0 send 1 1B\n0 end\n1 recv 0 1B\n1 send 0 1B\n1 send 2 1B\n1 end\n"
                             "2 recv 1 1B\n2 end\n");
  EXPECT_THAT(
      fault_of(of, loggp(five)),
      AllOf(HasSubstr("2 tasks wait for each other"), HasSubstr("f.actions:3: task 0 in receive from task 1"),
            HasSubstr("f.actions:6: task 1 in receive from task 0"), HasSubstr("1 other tasks wait")));
}

TEST(Deadlock, SendsThatWaitForTheirReceivesCanStopEachOther) {
  LogGpNetwork network = five;
  const Program of = program(2, "0 send 1 9B\n0 recv 1 9B\n0 end\n1 send 0 9B\n1 recv 0 9B\n1 end\n");
  EXPECT_EQ(fault_of(of, loggp(network)), "none");
  network.rendezvous = 8;
  EXPECT_THAT(fault_of(of, loggp(network)), HasSubstr("2 tasks wait for each other"));
}

TEST(Deadlock, ATaskThatHasEndedIsNamed) {
  Program of = program(2, "0 send 1 1B\n0 end\n1 recv 0 1B\n1 end\n");
  of.tasks[0].actions.clear();
  EXPECT_THAT(fault_of(of, loggp(five)),
              HasSubstr("task 0 has ended; f.actions:5: task 1 in receive from task 0"));
  of.cut = ProgramCut{ps_per_second, "records were lost"};
  EXPECT_EQ(outcome(of, loggp(five)).stopped, 1U);
}

TEST(Simulation, TimeThatOverflowsIsRefused) {
  std::string lines;
  for (int i = 0; i < 3; ++i) lines += "0 compute 1200h\n";
  EXPECT_THAT(fault_of(program(1, lines + "0 end\n"), {.name = "infinite"}), HasSubstr("exceeds 53 days"));
  LogGpNetwork slow{.per_byte = 8e12};
  EXPECT_THAT(fault_of(program(2, "0 send 1 16TiB\n0 end\n1 recv 0 16TiB\n1 end\n"), loggp(slow)),
              HasSubstr("53 days"));
}

TEST(Simulation, StopsOnRequest) {
  std::string lines;
  for (int i = 0; i < 70000; ++i) lines += "0 compute 1ns\n";
  EXPECT_EQ(simulate(program(1, lines + "0 end\n"), {}, {.goes_on = [] { return false; }}), std::nullopt);
}

// --- queues
// -----------------------------------------------------------------------------------------------------

// Messages that come at random to a way that takes 1 us for each: the mean wait of an M/D/1 queue is load * 1
// us / (2 (1 - load)).
TEST(Queues, TheWayIntoTheNetworkIsAnMD1Queue) {
  for (const double load : {0.3, 0.6, 0.8}) {
    constexpr int messages = 400'000;
    Random random(42);
    Program of = program(2, "0 end\n1 end\n");
    for (int i = 0; i < messages; ++i) {
      const double pause = -std::log(1 - random.share()) / load;  // us
      of.tasks[0].actions.push_back({.kind = ActionKind::compute, .takes = std::llround(pause * us)});
      of.tasks[0].actions.push_back({.kind = ActionKind::send, .peer = 1, .bytes = 1001});
      of.tasks[1].actions.push_back({.kind = ActionKind::receive, .peer = 0, .bytes = 1001});
    }
    const Outcome made = *simulate(of, loggp({.per_byte = 1000}), {});
    const double mean_us = static_cast<double>(made.tasks[0].network.on_network) / messages / us;
    const double expected = load / (2 * (1 - load));
    EXPECT_NEAR(mean_us - 1, expected, 0.02 * expected) << load;
  }
}

}  // namespace
}  // namespace eventspace::whatif

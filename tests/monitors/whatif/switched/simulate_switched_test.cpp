// Switched networks, in SimGrid: closed forms of its ideal network, shared links, and refusals.
#include "monitors/whatif/switched/simulate_switched.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>

#include <eventspace/error.h>
#include "monitors/whatif/networks/network_file.h"
#include "tests/error_text.h"
#include "tests/monitors/whatif/simulation/program_story.h"
#include "tests/tuplespace/temporary_directory.h"
#include "tests/tuplespace/variable.h"

namespace eventspace::whatif {
namespace {

using story::program;
using testing::HasSubstr;

// 1 ns a byte, and two links of 5 us on the way.
constexpr const char* gigabyte = "network: switch\nrate: 1GB/s\nlatency: 5us\nrendezvous: 64KiB\n";
constexpr double latency = 10e-6;

class Switched : public testing::Test {
 protected:
  Outcome simulated(const Program& of, const std::string& yaml, const SimulationSettings& settings = {}) {
    require_consistent(of);
    auto made = simulate_switched(of, parse_network(yaml, (directory_.path() / "n.yaml").string()), settings,
                                  simulator_);
    EXPECT_TRUE(made.has_value());
    return made.value_or(Outcome{});
  }
  double seconds(const std::string& lines, std::size_t tasks, const std::string& yaml = gigabyte) {
    return static_cast<double>(simulated(program(tasks, lines), yaml).execution) / 1e12;
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(directory_.path() / name) << text;
  }
  std::string simulator_;

 private:
  test::TemporaryDirectory directory_;
  test::Variable path_{"PATH", std::string(SIMGRID_DIRECTORY ":") + std::getenv("PATH")};
};

// Bytes at the rate, plus the latency, by the model CM02 without a window.
double message(double bytes) { return latency + bytes * 1e-9; }

TEST_F(Switched, AMessageTakesLatencyAndBytes) {
  for (const int bytes : {1000, 100'000}) {
    EXPECT_NEAR(seconds(fmt::format("0 send 1 {0}B\n0 end\n1 recv 0 {0}B\n1 end\n", bytes), 2),
                message(bytes), 1e-6 * message(bytes));
  }
  EXPECT_THAT(simulator_, testing::StartsWith("SimGrid 3."));
}

// Sender and receiver reach a message that waits for its receive at the same moment.
TEST_F(Switched, AWaitThatBeginsWhenTheSendDoesGetsItsMessage) {
  EXPECT_NEAR(seconds("0 compute 1s\n0 send 1 1000000B\n0 end\n1 irecv 0 1000000B request 0\n"
                      "1 compute 500ms\n1 compute 500ms\n1 wait 0\n1 end\n",
                      2),
              1 + message(1'000'000), 1e-6);
}

TEST_F(Switched, StepsOfACollectiveOperationWithUnequalContributionsMeet) {
  std::string lines;
  for (int task = 0; task < 4; ++task)
    lines += fmt::format("{0} allgather {1}B\n{0} end\n", task, task == 3 ? 900'000 : 1'000'000);
  EXPECT_NEAR(seconds(lines, 4), 3 * message(1'000'000), 1e-5);
}

TEST_F(Switched, RandomProgramsWhoseTasksMeetAtTheSameMomentsEnd) {
  constexpr std::array operations{"barrier", "bcast", "allreduce", "alltoall", "allgather"};
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    std::mt19937 random(seed);
    std::array<std::string, 4> tasks;
    for (int round = 0; round < 6; ++round) {
      const std::string bytes = random() % 2 == 0 ? "1000000B" : "1000B";
      const auto from = random() % 4;
      const auto to = (from + 1 + random() % 3) % 4;
      if (random() % 2 == 0) {
        tasks[from] += fmt::format("{} send {} {} tag {}\n", from, to, bytes, round);
        tasks[to] += fmt::format("{0} irecv {1} {2} tag {3} request 0\n{0} compute {4}ms\n{0} wait 0\n", to,
                                 from, bytes, round, random() % 3);
      } else {
        const std::string operation = operations[random() % operations.size()];
        for (std::size_t task = 0; task < 4; ++task)
          tasks[task] += fmt::format("{} {}{}\n", task, operation, operation == "barrier" ? "" : ' ' + bytes);
      }
      for (std::size_t task = 0; task < 4; ++task)
        tasks[task] += fmt::format("{} compute {}ms\n", task, random() % 3);
    }
    std::string lines;
    for (std::size_t task = 0; task < 4; ++task) lines += tasks[task] + fmt::format("{} end\n", task);
    const Outcome made = simulated(program(4, lines), gigabyte, {.traces = true});
    EXPECT_EQ(made.stopped, 0u) << "seed " << seed << '\n' << lines;
    EXPECT_EQ(made.bytes_left, 0u) << "seed " << seed << '\n' << lines;
  }
}

// Whatever its size, and whether or not it is received, it lasts until the answer arrives.
TEST_F(Switched, AnAnsweredSendTakesTheLatencyOnceMore) {
  for (const int bytes : {1000, 100'000}) {
    const Outcome made = simulated(
        program(2, fmt::format("0 send 1 {0}B answered\n0 end\n1 compute 1s\n1 recv 0 {0}B\n1 end\n", bytes)),
        gigabyte);
    const double expected = message(bytes) + latency;
    EXPECT_NEAR(static_cast<double>(made.tasks[0].execution) / 1e12, expected, 1e-6 * expected);
    EXPECT_EQ(made.bytes_sent, made.bytes_received);
  }
}

TEST_F(Switched, APingPongARingAndAnAllToAllAreTheirMessages) {
  std::string lines;
  for (int i = 0; i < 100; ++i) lines += "0 send 1 64kB\n0 recv 1 64kB\n1 recv 0 64kB\n1 send 0 64kB\n";
  EXPECT_NEAR(seconds(lines + "0 end\n1 end\n", 2), 200 * message(64000), 200e-6 * message(64000));
  std::string ring;
  std::string all;
  for (int i = 0; i < 8; ++i) {
    const std::string send = fmt::format("{} send {} 4000B\n", i, (i + 1) % 8);
    const std::string receive = fmt::format("{} recv {} 4000B\n", i, (i + 7) % 8);
    ring += (i == 0 ? send + receive : receive + send) + fmt::format("{} end\n", i);
    all += fmt::format("{0} alltoall 1000B\n{0} end\n", i);
  }
  EXPECT_NEAR(seconds(ring, 8), 8 * message(4000), 8e-6 * message(4000));
  EXPECT_NEAR(seconds(all, 8), 7 * message(1000), 7e-6 * message(1000));
}

TEST_F(Switched, ABroadcastTreeIsAsDeepAsItsLevels) {
  for (const int members : {2, 4, 8}) {
    std::string lines;
    for (int i = 0; i < members; ++i) lines += fmt::format("{0} bcast 1B root 0\n{0} end\n", i);
    const double levels = std::log2(members);
    // Sends do not delay each other: all except the latency is a nanosecond.
    EXPECT_NEAR(seconds(lines, static_cast<std::size_t>(members)), levels * message(1), 1e-3 * message(1))
        << members;
  }
}

TEST_F(Switched, MessagesToOneStationShareItsLink) {
  std::string lines = "0 irecv 1 1MB request 0\n0 irecv 2 1MB request 1\n0 wait 0 1\n0 end\n";
  for (const int i : {1, 2}) lines += fmt::format("{0} send 0 1MB\n{0} end\n", i);
  EXPECT_NEAR(seconds(lines, 3), message(2e6), 1e-4 * message(2e6));
}

TEST_F(Switched, AnUplinkIsSharedByTheStationsOfItsSwitch) {
  const std::string tree =
      "network: tree\nrate: 1GB/s\nlatency: 5us\nhosts: 2\nswitches: 2\nuplink_rate: 1GB/s\nuplink_latency: "
      "5us\n";
  std::string across;
  std::string within;
  for (const int i : {0, 1}) {
    across += fmt::format("{0} send {1} 1MB\n{0} end\n{1} recv {0} 1MB\n{1} end\n", i, i + 2);
    within += fmt::format("{0} send {1} 1MB\n{0} end\n{1} recv {0} 1MB\n{1} end\n", 2 * i, 2 * i + 1);
  }
  EXPECT_NEAR(seconds(across, 4, tree), 20e-6 + 2e-3, 1e-6);
  EXPECT_NEAR(seconds(within, 4, tree), 10e-6 + 1e-3, 1e-6);
  EXPECT_NEAR(seconds(across, 4, "network: fat-tree\nrate: 1GB/s\nlatency: 5us\ndown: [2, 2]\nup: [1, 2]\n"),
              20e-6 + 1e-3, 2e-5)
      << "two ways up";
}

TEST_F(Switched, BlockedTimeIsDivided) {
  const Outcome made = simulated(
      program(2, "0 compute 1ms\n0 send 1 1MB in put\n0 end\n1 recv 0 1MB in get\n1 end\n"), gigabyte);
  EXPECT_NEAR(static_cast<double>(made.tasks[1].algorithmic), 1e9, 1e3);
  EXPECT_NEAR(static_cast<double>(made.tasks[1].service), 1.01e9, 1e4);
  EXPECT_NEAR(static_cast<double>(made.tasks[0].service), 1.01e9, 1e4) << "larger than the rendezvous";
  EXPECT_EQ(made.tasks[0].messages, 1u);
  EXPECT_EQ(made.bytes_sent, made.bytes_received);
  EXPECT_EQ(made.tasks[1].functions.at(2).calls, 1u);
  EXPECT_EQ(made.tasks[1].functions.at(2).blocked, made.tasks[1].blocked());
}

TEST_F(Switched, FactorsAndPlacesCount) {
  const Program of = program(2, "0 compute 1ms\n0 overhead 1ms\n0 send 1 1MB\n0 end\n1 recv 0 1MB\n1 end\n");
  const Outcome apart = simulated(of, gigabyte, {.compute = 0.5, .overhead = 0});
  EXPECT_NEAR(static_cast<double>(apart.execution) / 1e12, 0.5e-3 + message(1e6), 1e-8);
  const Outcome together = simulated(of, gigabyte, {.stations = {0, 0}});
  EXPECT_NEAR(static_cast<double>(together.execution) / 1e12, 2e-3, 1e-7) << "no network is used";
}

TEST_F(Switched, TheUsersOwnPlatformIsUsed) {
  write("own.xml",
        "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
        "<platform version=\"4.1\"><cluster id=\"c\" prefix=\"node-\" suffix=\"\" radical=\"0-11\" "
        "speed=\"1Gf\" "
        "bw=\"1GBps\" lat=\"5us\" sharing_policy=\"SPLITDUPLEX\" topology=\"TORUS\" "
        "topo_parameters=\"12\"/></platform>\n");
  // In a ring of twelve, 10 is two links from 0; if hosts were sorted by name as text, the distance would
  // differ.
  const std::string lines = "0 send 10 1MB\n0 end\n10 recv 0 1MB\n10 end\n";
  std::string others;
  for (const int i : {1, 2, 3, 4, 5, 6, 7, 8, 9, 11}) others += fmt::format("{} end\n", i);
  EXPECT_NEAR(seconds(lines + others, 12, "network: platform\nfile: own.xml\n"), 10e-6 + 1e-3, 1e-6);
}

TEST_F(Switched, FailedSimulationsAreReported) {
  const auto refusal = [&](const std::string& lines, std::size_t tasks,
                           const std::string& yaml) -> std::string {
    return test::error_text<Error>([&] { (void)seconds(lines, tasks, yaml); });
  };
  EXPECT_THAT(refusal("0 recv 1 5B\n0 send 1 5B\n0 end\n1 recv 0 5B\n1 send 0 5B\n1 end\n", 2, gigabyte),
              HasSubstr("2 tasks wait for each other; f.actions:3"));
  write("broken.xml", "<platform>");
  EXPECT_THAT(refusal("0 end\n", 1, "network: platform\nfile: broken.xml\n"),
              HasSubstr("SimGrid could not simulate the network"));
  EXPECT_THAT(refusal("0 compute 1s\n0 end\n", 1, "network: platform\nfile: absent.xml\n"),
              HasSubstr("SimGrid could not simulate the network"));
  write("apart.xml",
        "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
        "<platform version=\"4.1\"><zone id=\"all\" routing=\"Full\"><host id=\"a0\" speed=\"1Gf\"/>"
        "<host id=\"a1\" speed=\"1Gf\"/></zone></platform>\n");
  EXPECT_THAT(refusal("0 send 1 5B\n0 end\n1 recv 0 5B\n1 end\n", 2, "network: platform\nfile: apart.xml\n"),
              HasSubstr("SimGrid could not simulate the network"))
      << "stations that are not connected";
  const test::Variable nowhere("PATH", "/nowhere");
  EXPECT_THAT(refusal("0 end\n", 1, gigabyte), HasSubstr("libsimgrid-dev"));
}

TEST_F(Switched, EqualRunsHaveEqualResults) {
  std::string lines;
  for (int i = 0; i < 6; ++i) lines += fmt::format("{0} alltoall 70kB\n{0} allreduce 3kB\n{0} end\n", i);
  const Program of = program(6, lines);
  const Outcome one = simulated(of, gigabyte);
  const Outcome other = simulated(of, gigabyte);
  EXPECT_EQ(one.execution, other.execution);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(one.tasks[i].service, other.tasks[i].service);
}

TEST_F(Switched, ItStopsOnRequest) {
  std::string simulator;
  SimulationSettings settings;
  settings.goes_on = [] { return false; };
  std::string lines;
  for (int i = 0; i < 64; ++i) {
    for (int k = 0; k < 20; ++k) lines += fmt::format("{} alltoall 70kB\n", i);
    lines += fmt::format("{} end\n", i);
  }
  EXPECT_FALSE(simulate_switched(program(64, lines), parse_network(gigabyte, "n.yaml"), settings, simulator));
}

}  // namespace
}  // namespace eventspace::whatif

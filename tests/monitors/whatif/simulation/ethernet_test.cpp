// The shared Ethernet: against Metcalfe and Boggs, against queueing theory, and by hand.
#include <gmock/gmock.h>

#include <fmt/format.h>
#include <cmath>
#include <thread>
#include <vector>

#include "monitors/whatif/simulation/ethernet_medium.h"
#include "tests/monitors/whatif/simulation/program_story.h"

namespace eventspace::whatif {
namespace {

using story::ethernet;
using story::outcome;
using story::program;
using story::us;

/// Stations that always have a frame to send.
class Saturated final : public EthernetMedium::Client {
 public:
  Saturated(const EthernetNetwork& network, std::uint32_t stations, std::uint32_t frame,
            std::uint64_t seed = 1)
      : network_(network), random_(seed), medium_(agenda_, network_, random_, *this), frame_(frame) {
    for (std::uint32_t station = 0; station < stations; ++station) medium_.request(station, frame);
  }
  /// The share of the time in which frames are sent.
  double efficiency(std::uint64_t frames) {
    while (medium_.frames() < frames && agenda_.step()) {
    }
    return static_cast<double>(medium_.frames()) * static_cast<double>(medium_.frame_time(frame_)) /
           static_cast<double>(agenda_.now());
  }
  const EthernetMedium& medium() const { return medium_; }
  Picoseconds now() const { return agenda_.now(); }
  void frame_sent(std::uint32_t station, Picoseconds /*arrival*/) override {
    medium_.request(station, frame_);
  }
  void frame_given_up(std::uint32_t station) override { medium_.request(station, frame_); }

 private:
  EthernetNetwork network_;
  Agenda agenda_;
  Random random_;
  EthernetMedium medium_;
  std::uint32_t frame_;
};

// Metcalfe and Boggs, 1976: the share of time of frames of P bits, slots of T, Q stations.
double metcalfe_boggs(double frame_bits, double slot_bits, double stations) {
  const double a = std::pow(1 - 1 / stations, stations - 1);
  return frame_bits / (frame_bits + slot_bits * (1 - a) / a);
}

class Efficiency : public testing::TestWithParam<std::tuple<std::uint32_t, std::uint32_t>> {};

// The formula ignores gap and jam; a collision takes a slot, and stations send with the probability 1/Q.
TEST_P(Efficiency, OfSaturatedStationsIsThatOfMetcalfeAndBoggs) {
  const auto [stations, frame] = GetParam();
  const EthernetNetwork network{.gap_bits = 0, .jam_bits = 0, .back_off = EthernetNetwork::BackOff::ideal};
  Saturated medium(network, stations, frame);
  const double expected = metcalfe_boggs(frame * 8.0, 512, stations);
  EXPECT_NEAR(medium.efficiency(20'000), expected, 0.05 * expected);
}
INSTANTIATE_TEST_SUITE_P(StationsAndFrames, Efficiency,
                         testing::Combine(testing::Values(2U, 5U, 16U, 64U),
                                          testing::Values(64U, 512U, 1024U, 1500U)));

// With the back-off of the standard, a station that has sent has an advantage over stations that have
// collided often. So there are fewer collisions than by the formula, and never fewer frames.
TEST(EthernetMedium, ExponentialBackOffIsNotWorseThanTheFormula) {
  for (const std::uint32_t stations : {2U, 5U, 16U, 64U}) {
    const EthernetNetwork network{.gap_bits = 0};
    Saturated medium(network, stations, 1500);
    const double share = medium.efficiency(20'000);
    EXPECT_GT(share, 0.95 * metcalfe_boggs(12000, 512, stations)) << stations;
    EXPECT_LT(share, 1) << stations;
    EXPECT_GT(medium.medium().collisions(), 0U);
  }
}

TEST(EthernetMedium, ASingleStationNeverCollides) {
  Saturated medium({}, 1, 1500);
  // 1500 bytes and the gap of 96 bits.
  EXPECT_NEAR(medium.efficiency(1000), 12000.0 / 12096, 1e-3);
  EXPECT_EQ(medium.medium().collisions(), 0U);
}

TEST(EthernetMedium, AFrameThatCollidesTooOftenIsGivenUp) {
  EthernetNetwork network;
  network.attempts = 2;
  network.most_doublings = 1;
  Saturated medium(network, 8, 64);
  (void)medium.efficiency(100);
  EXPECT_GT(medium.medium().given_up(), 0U);
}

TEST(EthernetMedium, EqualSeedsAreEqualToTheLastBitAndOthersAreNot) {
  const auto after = [](std::uint64_t seed) {
    Saturated medium({}, 16, 64, seed);
    (void)medium.efficiency(5000);
    return std::pair(medium.now(), medium.medium().collisions());
  };
  EXPECT_EQ(after(1), after(1));
  EXPECT_NE(after(1), after(2));
}

// --- with TCP
// -----------------------------------------------------------------------------------------------

TEST(Ethernet, AMessageTakesTheSumOfItsParts) {
  const Outcome made = outcome(program(2, "0 send 1 4032B\n0 end\n1 recv 0 4032B\n1 end\n"), ethernet());
  // 375 us to hand over, 300 us of TCP; packets of 1500, 1500 and 1152 bytes with two gaps; 25.6 us for the
  // last bit to arrive; 300 us of TCP.
  const Picoseconds packets = 1200 * us + 1200 * us + 921'600'000 + 2 * 9'600'000;
  EXPECT_EQ(made.tasks[1].execution, 375 * us + 300 * us + packets + 25'600'000 + 300 * us);
  EXPECT_EQ(made.tasks[0].execution, 375 * us);
  EXPECT_EQ(made.tasks[0].network.in_stack, 300 * us);
  EXPECT_EQ(made.tasks[1].network.in_stack, 300 * us);
  EXPECT_EQ(made.collisions, 0U);
}

TEST(Ethernet, TenTimesTheRateIsATenthOfTheTimeOnTheNetwork) {
  const Program of = program(2, "0 send 1 4032B\n0 end\n1 recv 0 4032B\n1 end\n");
  const Outcome slow = outcome(of, *shipped_network("ethernet10"));
  const Outcome fast = outcome(of, *shipped_network("ethernet100"));
  EXPECT_EQ(slow.tasks[0].network.on_network, 10 * fast.tasks[0].network.on_network);
}

TEST(Ethernet, ASendIsBusyForItsRecordedTimeIfThatIsLonger) {
  const Outcome made =
      outcome(program(2, "0 send 1 1B takes 500us\n0 end\n1 recv 0 1B takes 50us\n1 end\n"), ethernet());
  EXPECT_EQ(made.tasks[0].execution, 500 * us);
  // A packet of 64 bytes, the minimum.
  EXPECT_EQ(made.tasks[1].execution, 375 * us + 300 * us + 51'200'000 + 25'600'000 + 300 * us + 50 * us);
}

TEST(Ethernet, StationsThatSendTogetherCollideAndLoseNothing) {
  constexpr int tasks = 16;
  std::string lines;
  for (int i = 0; i < tasks; ++i) {
    for (int k = 0; k < 20; ++k)
      lines += fmt::format("{0} isend {1} 1460B request 0\n{0} recv {2} 1460B\n{0} wait 0\n", i,
                           (i + 1) % tasks, (i + tasks - 1) % tasks);
    lines += fmt::format("{} end\n", i);
  }
  const Outcome made = outcome(program(tasks, lines), ethernet());
  EXPECT_GT(made.collisions, 100U);
  EXPECT_EQ(made.bytes_sent, std::uint64_t{tasks} * 20 * 1460);
  EXPECT_EQ(made.bytes_received, made.bytes_sent);
  EXPECT_EQ(made.messages_left, 0U);
}

TEST(Ethernet, AMulticastIsOnTheNetworkOnce) {
  const Outcome made = outcome(
      program(3, "0 mcast 1,2 1460B\n0 end\n1 recv 0 1460B\n1 end\n2 recv 0 1460B\n2 end\n"), ethernet());
  EXPECT_EQ(made.tasks[0].network.on_network, 1200 * us + 25'600'000);
  EXPECT_EQ(made.tasks[1].execution, made.tasks[2].execution);
}

TEST(Ethernet, FramesThatAreGivenUpAreSentAgainAndCounted) {
  std::string lines;
  for (int i = 1; i < 4; ++i) lines += fmt::format("{0} send 0 1B\n{0} end\n0 recv {0} 1B\n", i);
  const Outcome made = outcome(program(4, lines + "0 end\n"), ethernet({.attempts = 2, .most_doublings = 1}));
  std::uint64_t resent = 0;
  for (const TaskOutcome& task : made.tasks) resent += task.network.resent;
  EXPECT_GT(resent, 0U);
  EXPECT_EQ(made.bytes_received, 3U);
  EXPECT_GT(made.execution, 200'000 * us);
}

TEST(Ethernet, PartialReceivesAreCompleteAsSegmentsArrive) {
  const Outcome made = outcome(
      program(2,
              "0 send 1 2920B\n0 end\n1 recv 0 1460B partial\n1 send 0 1B\n1 recv 0 1460B partial\n1 end\n"),
      ethernet({.acknowledges = false}));
  EXPECT_EQ(made.messages_left, 1U);  // the byte that is not received
  EXPECT_GT(made.tasks[1].execution, 375 * us + 2 * 300 * us + 2400 * us);
}

TEST(Ethernet, EqualSeedsGiveEqualResultsInConcurrentRuns) {
  std::string lines;
  for (int i = 0; i < 12; ++i) lines += fmt::format("{0} alltoall 3000B\n{0} allreduce 700B\n{0} end\n", i);
  const Program of = program(12, lines);
  const Outcome alone = outcome(of, ethernet(), {.seed = 7});
  std::vector<Outcome> beside(4);
  {
    std::vector<std::jthread> threads;
    for (Outcome& one : beside)
      threads.emplace_back([&of, &one] { one = outcome(of, ethernet(), {.seed = 7}); });
  }
  for (const Outcome& one : beside) {
    EXPECT_EQ(one.execution, alone.execution);
    EXPECT_EQ(one.collisions, alone.collisions);
    EXPECT_EQ(one.events, alone.events);
    for (std::size_t i = 0; i < one.tasks.size(); ++i) {
      EXPECT_EQ(one.tasks[i].service, alone.tasks[i].service);
      EXPECT_EQ(one.tasks[i].network.on_network, alone.tasks[i].network.on_network);
    }
  }
}

}  // namespace
}  // namespace eventspace::whatif

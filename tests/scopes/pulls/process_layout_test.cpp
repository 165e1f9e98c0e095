#include "scopes/pulls/process_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>

#include "tests/scopes/pulls/view_talk.h"

// Malformed reports of processes in replies. ViewCodecTest tests valid ones.

namespace eventspace {
namespace {

/// The beginning of a packed process: the msgpack header of a block of 27 words.
constexpr std::array block_of_process{std::byte{0xc4}, std::byte{27 * 8}};

TEST(ProcessLayoutTest, RelationsBetweenClocksThatCannotBeAreRefused) {
  const auto survives = [](auto change) {
    View sent = test::full_view();
    change(sent.processes[0]);
    return read_view(test::body_of(sent)).has_value();
  };
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  constexpr double endless = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(survives([](ProcessReport&) {}));
  for (const double odd : {none, endless, -endless, 2e6, -6e5}) {
    EXPECT_FALSE(survives([odd](ProcessReport& process) { process.relation.drift_ppm = odd; })) << odd;
    EXPECT_FALSE(survives([odd](ProcessReport& process) { process.rate_ppm = odd; })) << odd;
  }
  for (const double odd : {none, endless, -1.0, 2e6}) {
    EXPECT_FALSE(survives([odd](ProcessReport& process) { process.relation.growth_ppm = odd; })) << odd;
    EXPECT_FALSE(survives([odd](ProcessReport& process) { process.rate_error_ppm = odd; })) << odd;
  }
  EXPECT_FALSE(survives([](ProcessReport& process) { process.relation.error_ns = -1; }));
  EXPECT_FALSE(survives([](ProcessReport& process) { process.relation.covered_error_ns = -1; }));
  EXPECT_FALSE(survives([](ProcessReport& process) { process.now_error_ns = -1; }));
}

TEST(ProcessLayoutTest, StatesAndClocksThatDoNotExistAreRefused) {
  View sent = test::full_view();
  const auto survives = [&] { return read_view(test::body_of(sent)).has_value(); };
  sent.processes[0].state = static_cast<RunState>(9);
  EXPECT_FALSE(survives());
  sent.processes[0].state = RunState::dead;
  EXPECT_TRUE(survives());
  sent.processes[0].clock.source = static_cast<ClockSource>(9);
  EXPECT_FALSE(survives());
}

TEST(ProcessLayoutTest, RatesOfClocksThatCannotBeAreRefused) {
  View sent = test::full_view();
  const auto survives = [&](double ns_per_tick, double error_ppm) {
    sent.processes[0].clock.ns_per_tick = ns_per_tick;
    sent.processes[0].clock.error_ppm = error_ppm;
    return read_view(test::body_of(sent)).has_value();
  };
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  constexpr double endless = std::numeric_limits<double>::infinity();
  for (const double fine : {1e-6, 0.3, 1.0, 1000.0, 9.9e8}) EXPECT_TRUE(survives(fine, 0)) << fine;
  for (const double odd : {none, endless, -endless, -1.0, 0.0, 1e-7, 1e9, 1e300})
    EXPECT_FALSE(survives(odd, 0)) << odd;
  EXPECT_TRUE(survives(1, 1e5));
  for (const double odd : {none, -1.0}) EXPECT_FALSE(survives(1, odd)) << odd;
}

TEST(ProcessLayoutTest, UsageThatCannotBeIsRefused) {
  View sent = test::full_view();
  const auto survives = [&] { return read_view(test::body_of(sent)).has_value(); };
  ASSERT_TRUE(sent.processes[0].usage);
  for (const double odd : {std::numeric_limits<double>::quiet_NaN(), -0.5, 2e9}) {
    sent.processes[0].usage->node_load = odd;
    EXPECT_FALSE(survives()) << odd;
  }
  sent.processes[0].usage->node_load = 0.0;
  EXPECT_TRUE(survives());
  sent.processes[0].usage->node_processors = 0;
  EXPECT_FALSE(survives());
  sent.processes[0].usage.reset();
  EXPECT_TRUE(survives()) << "not requested";
  EXPECT_FALSE(read_view(test::body_of(sent))->processes[0].usage);
}

// The sender has another version of the format.
TEST(ProcessLayoutTest, AProcessWithAnotherNumberOfWordsIsRefused) {
  View sent = test::full_view();
  sent.processes[0].threads.clear();
  const wire::Message whole = test::body_of(sent);
  const auto block =
      std::search(whole.begin(), whole.end(), block_of_process.begin(), block_of_process.end());
  ASSERT_NE(block, whole.end());
  wire::Message shorter = whole;
  const auto at = shorter.begin() + (block - whole.begin());
  *std::next(at) = std::byte{27 * 8 - 8};
  shorter.erase(at + 2, at + 10);
  EXPECT_TRUE(read_view(whole));
  EXPECT_FALSE(read_view(shorter));
}

}  // namespace
}  // namespace eventspace

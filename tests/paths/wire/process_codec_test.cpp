#include "paths/wire/process_codec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>

#include "tests/paths/wire/wire_talk.h"

// Reports of processes as they come in replies; WireTest has that a good one survives.

namespace eventspace {
namespace {

/// As it begins: 26 words, as msgpack has so many bytes.
constexpr std::array block_of_process{std::byte{0xc4}, std::byte{26 * 8}};

TEST(ProcessCodecTest, RelationsBetweenClocksThatCannotBeAreRefused) {
  const auto survives = [](auto change) {
    wire::Done sent = test::full_done();
    change(sent.view->processes[0]);
    return wire::decode_done(test::parsed(wire::encode(1, sent)).body).has_value();
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

TEST(ProcessCodecTest, StatesAndClocksThatDoNotExistAreRefused) {
  wire::Done sent = test::full_done();
  const auto survives = [&] {
    return wire::decode_done(test::parsed(wire::encode(1, sent)).body).has_value();
  };
  sent.view->processes[0].state = static_cast<RunState>(9);
  EXPECT_FALSE(survives());
  sent.view->processes[0].state = RunState::dead;
  EXPECT_TRUE(survives());
  sent.view->processes[0].clock.source = static_cast<ClockSource>(9);
  EXPECT_FALSE(survives());
}

// Whoever sends it has another idea of what is in it.
TEST(ProcessCodecTest, AProcessWhoseNumbersAreNotAsManyAsExpectedIsRefused) {
  wire::Done sent = test::full_done();
  sent.view->processes[0].threads.clear();
  const wire::Message whole = wire::encode(1, sent);
  const auto block =
      std::search(whole.begin(), whole.end(), block_of_process.begin(), block_of_process.end());
  ASSERT_NE(block, whole.end());
  wire::Message shorter = whole;
  const auto at = shorter.begin() + (block - whole.begin());
  *std::next(at) = std::byte{26 * 8 - 8};
  shorter.erase(at + 2, at + 10);
  const std::size_t body = shorter.size() - wire::header_bytes;
  shorter[16] = static_cast<std::byte>(body);
  shorter[17] = static_cast<std::byte>(body >> 8);
  ASSERT_FALSE(test::parsed(shorter).fault);
  EXPECT_TRUE(wire::decode_done(test::parsed(whole).body));
  EXPECT_FALSE(wire::decode_done(test::parsed(shorter).body));
}

}  // namespace
}  // namespace eventspace

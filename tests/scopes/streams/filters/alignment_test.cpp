#include "scopes/streams/filters/alignment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

#include <eventspace/packet.h>
#include <eventspace/stream_filter.h>
#include <eventspace/streams.h>
#include "tests/error_text.h"

namespace eventspace::streams {
namespace {

using ::testing::HasSubstr;

Columns integers(std::int64_t value) { return {{ValueType::i64, std::vector<std::int64_t>{value}}}; }
Columns reals(double value) { return {{ValueType::f64, std::vector<double>{value}}}; }
std::int64_t integer_of(const Alignment::Sum& sum) {
  return std::get<std::vector<std::int64_t>>(sum.values.at(0).numbers).at(0);
}
double real_of(const Alignment::Sum& sum) {
  return std::get<std::vector<double>>(sum.values.at(0).numbers).at(0);
}

TEST(AlignmentTest, ASampleCountsInProportionInTheIntervalsThatItOverlaps) {
  Alignment alignment(100, 16);
  alignment.join(1);
  alignment.join(2);
  alignment.add(1, 50, 250, integers(200));
  EXPECT_FALSE(alignment.next()) << "the other source has sent nothing";
  alignment.add(2, 0, 200, integers(20));
  const auto first = alignment.next();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->begin, 0);
  EXPECT_EQ(integer_of(*first), 50 + 10);
  const auto second = alignment.next();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->begin, 100);
  EXPECT_EQ(integer_of(*second), 100 + 10);
  EXPECT_FALSE(alignment.next()) << "the last interval is not over";
}

TEST(AlignmentTest, WithoutTheSourceThatHasLeftAnIntervalIsFull) {
  Alignment alignment(100, 16);
  alignment.join(1);
  alignment.join(2);
  alignment.add(1, 0, 100, integers(7));
  EXPECT_FALSE(alignment.next());
  alignment.leave(2);
  EXPECT_EQ(integer_of(alignment.next().value()), 7);
}

TEST(AlignmentTest, ASourceThatIsBehindDoesNotHoldUpMoreThanTheBacklogAndLosesNothing) {
  Alignment alignment(100, 4);
  alignment.join(1);
  alignment.join(2);
  std::int64_t passed_on = 0;
  std::int64_t most = 0;
  for (std::int64_t i = 0; i < 10; ++i) {
    alignment.add(1, 100 * i, 100 * (i + 1), integers(1));
    while (const auto sum = alignment.next()) {
      passed_on += integer_of(*sum);
      most = sum->begin / 100;
    }
  }
  EXPECT_EQ(most, 5) << "four wait";
  alignment.add(2, 0, 100, integers(1000));
  alignment.leave(1);
  alignment.leave(2);
  while (const auto sum = alignment.next()) passed_on += integer_of(*sum);
  EXPECT_EQ(passed_on, 1010) << "what comes late counts later";
}

TEST(AlignmentTest, SamplesThatCannotBeAlignedAreRefusedAndChangeNothing) {
  Alignment alignment(100, 4);
  alignment.join(1);
  alignment.add(1, 0, 50, integers(5));
  EXPECT_THROW(alignment.add(1, 50, 50, integers(1)), PacketError);
  EXPECT_THROW(alignment.add(1, std::numeric_limits<std::int64_t>::min(), 1, integers(1)), PacketError);
  EXPECT_THROW(alignment.add(1, 50, 500, integers(1)), PacketError);
  EXPECT_THROW(alignment.add(1, Alignment::latest_time, Alignment::latest_time + 1, integers(1)),
               PacketError);
  EXPECT_THROW(alignment.add(1, 50, 150, reals(1)), PacketError);
  EXPECT_THROW(alignment.add(1, 50, 100, integers(std::numeric_limits<std::int64_t>::max())), PacketError);
  alignment.add(1, 50, 100, integers(1));
  EXPECT_EQ(integer_of(alignment.next().value()), 6);
}

TEST(AlignmentTest, ASampleDoesNotMakeMuchOfALittle) {
  constexpr std::size_t many = (std::size_t{1} << 20) / sizeof(std::int64_t);
  const Columns large{{ValueType::i64, std::vector<std::int64_t>(many, 1)}};
  Alignment alignment(100, 1024);
  alignment.join(1);
  EXPECT_NO_THROW(alignment.add(1, 0, 1600, large)) << "16 MiB in all";
  EXPECT_THROW(alignment.add(1, 0, 1700, large), PacketError);
  Alignment small(100, 1024);
  small.join(1);
  EXPECT_NO_THROW(small.add(1, 0, 100'000, integers(1000)));
}

TEST(AlignmentTest, LargeSamplesDoNotWaitWithoutBoundForASourceThatIsBehind) {
  const std::size_t many = Alignment::max_waiting_bytes / 4 / sizeof(std::int64_t);
  const Columns large{{ValueType::i64, std::vector<std::int64_t>(many, 1)}};
  Alignment alignment(100, 1024);
  alignment.join(1);
  alignment.join(2);
  int passed_on = 0;
  for (std::int64_t i = 0; i < 8; ++i) {
    alignment.add(1, 100 * i, 100 * (i + 1), large);
    while (alignment.next()) ++passed_on;
  }
  EXPECT_EQ(passed_on, 4) << "four wait";
}

// Samples of random lengths from sources that are shifted against each other, also before time zero.
class AlignedSumTest : public testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Seeds, AlignedSumTest, testing::Range(1u, 21u));

TEST_P(AlignedSumTest, NothingIsLostToRounding) {
  std::mt19937_64 random(GetParam());
  const auto up_to = [&](std::int64_t most) { return static_cast<std::int64_t>(random() % most); };
  constexpr Alignment::Source sources = 5;
  Alignment integer(1000, 64);
  Alignment real(1000, 64);
  std::vector<std::int64_t> at;
  for (Alignment::Source source = 0; source < sources; ++source) {
    integer.join(source);
    real.join(source);
    at.push_back(up_to(3000) - 5000);
  }
  std::int64_t sent = 0;
  double sent_real = 0;
  std::int64_t came = 0;
  double came_real = 0;
  std::optional<std::int64_t> last;
  const auto take = [&] {
    while (const auto sum = integer.next()) {
      EXPECT_TRUE(!last || sum->begin > *last);
      last = sum->begin;
      came += integer_of(*sum);
    }
    while (const auto sum = real.next()) came_real += real_of(*sum);
  };
  for (int i = 0; i < 2000; ++i) {
    const auto source = static_cast<Alignment::Source>(std::ranges::min_element(at) -
                                                       at.begin());  // as the sources run in parallel
    const std::int64_t end = at[source] + 1 + up_to(2500);
    const std::int64_t value = up_to(1'000'000'007) - 500'000'000;
    integer.add(source, at[source], end, integers(value));
    real.add(source, at[source], end, reals(static_cast<double>(value) / 3));
    sent += value;
    sent_real += static_cast<double>(value) / 3;
    at[source] = end;
    take();
  }
  for (Alignment::Source source = 0; source < sources; ++source) {
    integer.leave(source);
    real.leave(source);
  }
  take();
  EXPECT_EQ(came, sent);
  EXPECT_NEAR(came_real, sent_real, 1e-3);
}

TEST(AlignedFilterTest, AllProcessesOfATreeHaveTheSameIntervalsAndTheRootTheSums) {
  using Sample = Format<std::int64_t, std::int64_t, double, std::span<const std::int32_t>>;
  const FilterUse use{"aligned", {{"interval", std::chrono::nanoseconds(100)}}};
  const auto lower = make_filter(use, {false, false});
  const auto root = make_filter(use, {true, false});
  for (Child child = 0; child < 2; ++child) lower->join(child, RankSet::of_range(child, child));
  root->join(0, RankSet::of_range(0, 1));
  std::vector<Packet> middle;
  std::vector<Packet> out;
  const std::vector<std::int32_t> counts{10, 20};
  for (Child child = 0; child < 2; ++child) {
    Wave wave;
    wave.packets.push_back({child, Sample::make(3, 50, 150, 1.0, counts)});
    wave.packets.push_back({child, Sample::make(3, 150, 250, 2.0, counts)});
    lower->apply(wave, middle);
  }
  ASSERT_EQ(middle.size(), 2u);
  for (const Packet& packet : middle) {
    Wave wave;
    wave.packets.push_back({0, packet});
    root->apply(wave, out);
  }
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(out[1].tag, 3);
  using Sums = Format<std::int64_t, std::int64_t, double, std::span<const std::int64_t>>;
  const Sums::Read read(out[1]);
  const auto [begin, end, sum, counted] = read.values();
  EXPECT_EQ(begin, 100);
  EXPECT_EQ(end, 200);
  EXPECT_EQ(sum, 2 * (0.5 + 1.0));
  EXPECT_THAT(counted, testing::ElementsAre(20, 40));
}

TEST(AlignedFilterTest, APacketThatIsNoSampleIsRefused) {
  const auto filter = make_filter({"aligned", {}}, {true, false});
  filter->join(0, RankSet::of_range(0, 0));
  Wave wave;
  wave.packets.push_back({0, Format<std::int64_t, std::int64_t>::make(0, 0, 1)});
  std::vector<Packet> out;
  EXPECT_THAT(eventspace::test::error_text<PacketError>([&] { filter->apply(wave, out); }),
              HasSubstr("at least one number"));
}

}  // namespace
}  // namespace eventspace::streams

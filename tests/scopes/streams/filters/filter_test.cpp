#include <eventspace/stream_filter.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include <eventspace/error.h>
#include <eventspace/packet.h>
#include <eventspace/streams.h>
#include <eventspace/topology.h>
#include "paths/views/histogram.h"
#include "tests/error_text.h"

// The built-in filters, each in a whole tree: the result of the root does not depend on the tree's shape.

namespace eventspace::streams {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
template <class T>
using Array = std::span<const T>;

/// Runs one wave through the filters of all processes of a tree.
class FilterTree {
 public:
  FilterTree(std::string_view shape, FilterUse use) : tree_(Topology::of_text(shape)) {
    for (std::uint32_t i = 0; i < tree_.size(); ++i) {
      filters_.push_back(tree_.at(i).part == Part::back_end ? nullptr : make_filter(use, {i == 0, false}));
      for (Child child = 0; child < tree_.at(i).children.size(); ++child)
        filters_[i]->join(child, tree_.ranks_below(tree_.at(i).children[child]));
    }
  }
  [[nodiscard]] std::size_t back_ends() const { return tree_.back_ends(); }

  /// The root's packet for the packets of the ranks 0, 1, ...
  Packet run(const std::vector<Packet>& sent) { return run(0, sent); }

 private:
  Packet run(std::uint32_t process, const std::vector<Packet>& sent) {
    const TreeProcess& at = tree_.at(process);
    if (at.part == Part::back_end) return sent.at(at.rank);
    Wave wave;
    for (Child child = 0; child < at.children.size(); ++child)
      wave.packets.push_back({child, run(at.children[child], sent)});
    std::vector<Packet> out;
    filters_[process]->apply(wave, out);
    EXPECT_EQ(out.size(), 1u);
    out.front().combined = true;
    return out.front();
  }

  Topology tree_;
  std::vector<std::unique_ptr<Filter>> filters_;
};

class FilterTest : public testing::TestWithParam<const char*> {
 protected:
  template <class Make>
  Packet run(FilterUse use, Make make) {
    FilterTree tree(GetParam(), std::move(use));
    std::vector<Packet> sent;
    for (std::uint32_t rank = 0; rank < tree.back_ends(); ++rank) sent.push_back(make(rank));
    return tree.run(sent);
  }
};

// Twelve back-ends each.
INSTANTIATE_TEST_SUITE_P(Trees, FilterTest,
                         testing::Values("flat:12", "3x4", "2x2x3", "1x1x12",
                                         "generic:3:4,0,7:0,0,0,0,0,0,0,0,0,0,0"));

using Reading = Format<std::int32_t, Array<float>, std::uint8_t>;
Packet sample(std::uint32_t rank) {
  const std::vector<float> values{static_cast<float>(rank), -0.5F * static_cast<float>(rank)};
  return Reading::make(7, static_cast<std::int32_t>(rank) - 6, values, static_cast<std::uint8_t>(200 + rank));
}

TEST_P(FilterTest, MinAndMaxAreOfEachNumberAndKeepTheTypes) {
  const Packet least = run({"min", {}}, sample);
  const Reading::Read min(least);
  EXPECT_EQ(std::get<0>(min.values()), -6);
  EXPECT_THAT(std::get<1>(min.values()), ElementsAre(0.0F, -5.5F));
  const Packet greatest = run({"max", {}}, sample);
  const Reading::Read max(greatest);
  EXPECT_EQ(std::get<0>(max.values()), 5);
  EXPECT_THAT(std::get<1>(max.values()), ElementsAre(11.0F, 0.0F));
  EXPECT_EQ(std::get<2>(max.values()), 211);
  EXPECT_EQ(greatest.tag, 7);
}

TEST_P(FilterTest, SumsAreWiderThanTheirNumbers) {
  const Packet packet = run({"sum", {}}, sample);
  const PacketView sums(packet);
  EXPECT_EQ(to_string(sums.signature()), "i64 f64[] u64");
  EXPECT_EQ(sums.number<std::int64_t>(0), -6);
  EXPECT_THAT(sums.array<double>(1), ElementsAre(66.0, -33.0));
  EXPECT_EQ(sums.number<std::uint64_t>(2), 12u * 200 + 66);
}

TEST_P(FilterTest, AMeanIsOverAllBackEndsNotOverMeans) {
  const Packet packet = run({"mean", {}}, sample);
  const PacketView means(packet);
  EXPECT_EQ(to_string(means.signature()), "f64 f64[] f64");
  EXPECT_DOUBLE_EQ(means.number<double>(0), -0.5);
  EXPECT_THAT(means.array<double>(1), ElementsAre(5.5, -2.75));
  EXPECT_DOUBLE_EQ(means.number<double>(2), 205.5);
}

TEST_P(FilterTest, CountIsTheNumberOfBackEnds) {
  const Packet packet = run({"count", {}}, sample);
  EXPECT_EQ(PacketView(packet).number<std::uint64_t>(0), 12u);
}

TEST_P(FilterTest, ConcatenationIsInRankOrder) {
  const Packet packet = run({"concat", {}}, [](std::uint32_t rank) {
    const std::vector<std::uint16_t> numbers(rank % 3, static_cast<std::uint16_t>(rank));
    const std::string name = "r" + std::to_string(rank);
    return Format<std::uint32_t, Array<std::uint16_t>, std::string_view>::make(0, rank, numbers, name);
  });
  const PacketView all(packet);
  EXPECT_EQ(to_string(all.signature()), "u32[] u16[] text[]");
  EXPECT_THAT(all.array<std::uint32_t>(0), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
  EXPECT_THAT(all.array<std::uint16_t>(1), ElementsAre(1, 2, 2, 4, 5, 5, 7, 8, 8, 10, 11, 11));
  EXPECT_EQ(all.texts(2).at(11), "r11");
}

TEST_P(FilterTest, ClassesHaveARepresentativeAndTheirMembers) {
  const Packet packet = run({"classes", {}}, [](std::uint32_t rank) {
    return Format<std::uint64_t>::make(0, rank == 5 ? 1 : 100 + rank / 8);
  });
  const PacketView classes(packet);
  EXPECT_THAT(classes.array<std::uint64_t>(0), ElementsAre(1, 100, 101));
  EXPECT_THAT(classes.array<std::uint32_t>(1), ElementsAre(5, 0, 8));
  EXPECT_THAT(classes.texts(2), ElementsAre("5", "0-4,6-7", "8-11"));
}

TEST_P(FilterTest, ClassesOfTextsAreClassesToo) {
  const Packet packet = run({"classes", {}}, [](std::uint32_t rank) {
    return Format<std::string_view>::make(0, rank % 2 == 0 ? "even" : "odd");
  });
  EXPECT_THAT(PacketView(packet).texts(0), ElementsAre("even", "odd"));
  EXPECT_THAT(PacketView(packet).texts(2), ElementsAre("0-10:2", "1-11:2"));
}

TEST_P(FilterTest, UnionHasEachItemOnce) {
  const Packet packet = run({"union", {}}, [](std::uint32_t rank) {
    const std::vector<std::uint64_t> numbers{rank / 4, 50};
    return Format<Array<std::uint64_t>>::make(0, numbers);
  });
  EXPECT_THAT(PacketView(packet).array<std::uint64_t>(0), ElementsAre(0, 1, 2, 50));
  const Packet none =
      run({"union", {}}, [](std::uint32_t) { return Format<std::vector<std::string_view>>::make(0, {}); });
  EXPECT_TRUE(PacketView(none).texts(0).empty());
}

TEST_P(FilterTest, AHistogramCountsAllNumbers) {
  Histogram expected;
  const Packet packet = run({"histogram", {}}, [&](std::uint32_t rank) {
    const std::vector<double> numbers{rank * 1.5, 3.0};
    for (const double number : numbers) expected.add(number);
    return Format<Array<double>>::make(0, numbers);
  });
  const PacketView buckets(packet);
  Histogram counted;
  for (std::size_t i = 0; i < buckets.count(0); ++i)
    counted.add(Histogram::Bucket{buckets.array<std::int32_t>(0)[i], buckets.array<std::uint64_t>(1)[i]});
  EXPECT_EQ(counted, expected);
}

TEST_P(FilterTest, TopHasTheGreatestNumbersAndTheirRanks) {
  const Packet packet = run({"top", {{"k", std::int64_t{3}}}}, [](std::uint32_t rank) {
    return Format<std::int16_t>::make(0, static_cast<std::int16_t>((rank * 5) % 12));
  });
  const PacketView top(packet);
  EXPECT_THAT(top.array<double>(0), ElementsAre(11, 10, 9));
  EXPECT_THAT(top.array<std::uint32_t>(1), ElementsAre(7, 2, 9));
}

// --- wrong types and sizes ------------------------------------------------------------------------------

std::string refusal(const FilterUse& use, const std::vector<Packet>& packets) {
  Wave wave;
  for (Child child = 0; child < packets.size(); ++child) wave.packets.push_back({child, packets[child]});
  std::vector<Packet> out;
  return eventspace::test::error_text<Error>([&] { make_filter(use, {})->apply(wave, out); });
}

TEST(FilterFaultTest, PacketsThatDoNotFitTogetherAreRefusedWithTheReason) {
  const Packet whole = Format<std::int32_t>::make(0, 1);
  const Packet real = Format<double>::make(0, 1);
  const Packet text = Format<std::string_view>::make(0, "a");
  const std::vector<double> two{1, 2};
  EXPECT_EQ(refusal({"sum", {}}, {whole, real}),
            "value 0 of a wave's packets is i32 of 1 numbers and f64 of 1");
  EXPECT_THAT(refusal({"min", {}}, {real, Format<Array<double>>::make(0, two)}), HasSubstr("f64[] of 2"));
  EXPECT_THAT(refusal({"max", {}}, {text}), HasSubstr("is not a number"));
  EXPECT_THAT(refusal({"mean", {}}, {whole, Format<std::int32_t, std::int32_t>::make(0, 1, 1)}),
              HasSubstr("of 1 and of 2 values"));
  EXPECT_THAT(refusal({"concat", {}}, {whole, real}), HasSubstr("(f64) and others that make (i32[])"));
  EXPECT_THAT(refusal({"classes", {}}, {whole}), HasSubstr("not (i32)"));
  EXPECT_THAT(refusal({"classes", {}}, {text, Format<std::uint64_t>::make(0, 1)}),
              HasSubstr("u64 and others"));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(refusal({"histogram", {}}, {Format<double>::make(0, nan)}), HasSubstr("not finite"));
  EXPECT_THAT(refusal({"top", {}}, {Format<double>::make(0, nan)}), HasSubstr("NaN cannot be ordered"));
  Packet damaged = whole;
  damaged.body = damaged.body.first(8);
  for (const char* const name : {"sum", "mean", "concat", "classes", "union", "histogram", "top"})
    EXPECT_NE(refusal({name, {}}, {damaged}), "") << name;
}

TEST(FilterFaultTest, ASumThatExceeds64BitsIsRefused) {
  const Packet most = Format<std::uint64_t>::make(0, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(refusal({"sum", {}}, {most, most}), "a sum exceeds 64 bits");
}

TEST(FilterFaultTest, APacketThatClaimsToBeCombinedIsChecked) {
  for (Packet packet : {Format<>::make(0), Format<std::uint64_t>::make(0, 0), Format<std::int8_t>::make(0, 1),
                        Format<Array<std::int32_t>, Array<std::uint64_t>>::make(
                            0, std::vector<std::int32_t>{1 << 30}, std::vector<std::uint64_t>{1})}) {
    packet.combined = true;
    for (const char* const name : {"mean", "classes", "histogram", "top"})
      EXPECT_NE(refusal({name, {}}, {packet}), "") << name;
  }
}

TEST(FilterFaultTest, UnknownFiltersAndParametersAreNamed) {
  EXPECT_THAT(refusal({"sumn", {}}, {}), HasSubstr("unknown filter 'sumn'; did you mean 'sum'?"));
  EXPECT_THAT(refusal({"top", {{"k", std::int64_t{0}}}}, {}), HasSubstr("filter top"));
  EXPECT_THAT(refusal({"sum", {{"k", std::int64_t{1}}}}, {}), HasSubstr("filter sum"));
}

TEST(FilterFaultTest, NotANumberWins) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Wave wave;
  for (const double value : {1.0, nan, 2.0}) wave.packets.push_back({0, Format<double>::make(0, value)});
  for (const char* const name : {"min", "max", "sum"}) {
    std::vector<Packet> out;
    make_filter({name, {}}, {})->apply(wave, out);
    EXPECT_TRUE(std::isnan(PacketView(out.front()).number<double>(0))) << name;
  }
}

}  // namespace
}  // namespace eventspace::streams

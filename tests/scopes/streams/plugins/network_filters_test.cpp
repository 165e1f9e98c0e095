#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <sstream>

#include <eventspace/error.h>
#include <eventspace/stream_filter.h>
#include <eventspace/stream_network.h>
#include <eventspace/streams.h>
#include <eventspace/topology.h>
#include "tests/scopes/streams/network_talk.h"
#include "tests/tuplespace/temporary_directory.h"

// User-defined filters and rules in whole networks.

namespace eventspace::streams {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using test::Number;
using test::number_of;
using test::Tool;
using ::testing::HasSubstr;

FilterUse of_library(const std::string& name, const std::string& what, RankSet processes = {}) {
  return {.name = name,
          .parameters = {{"do", what}},
          .library = fs::path(EVENTSPACE_PLUGINS) / "stream_filters.so",
          .processes = std::move(processes),
          .limit = 60s};
}

RankSet process(std::uint32_t number) {
  return RankSet::of_range(rank_of_internal(number), rank_of_internal(number));
}

TEST(NetworkFiltersTest, AFilterOfASharedObjectRunsInEachProcessWithAStateForEachStream) {
  Tool tool("2x2");
  tool.attach();
  const std::uint32_t one = tool.front_end.open({.up = {of_library("odd", "count")}});
  const std::uint32_t other = tool.front_end.open({.up = {of_library("odd", "count")}});
  for (std::int64_t wave = 0; wave < 3; ++wave) {
    tool.send(one, 10);
    EXPECT_EQ(number_of(tool.receive(one)), 40 + 6 + 3000 * wave) << "three processes have counted";
  }
  tool.send(other, 0);
  EXPECT_EQ(number_of(tool.receive(other)), 6);
}

TEST(NetworkFiltersTest, TheExampleMakesTheMedianOfAllNumbers) {
  Tool tool("2x3");
  tool.attach([](BackEnd& back_end, const Received& received) {
    const std::array<double, 6> numbers{7, 1, 2, 9, 8, 100};
    (void)back_end.answer(received, Format<double>::make(4, numbers.at(back_end.rank())), Deadline::never());
  });
  const std::uint32_t stream = tool.front_end.open(
      {.up = {{.name = "median", .library = fs::path(EVENTSPACE_PLUGINS) / "median.so", .limit = 60s}}});
  tool.send(stream, 0);
  const Packet median = tool.receive(stream);
  EXPECT_EQ(PacketView(median).number<double>(0), 7.0) << "the third of 1 2 7 8 9 100";
  EXPECT_EQ(median.tag, 4);
}

TEST(NetworkFiltersTest, StateIsDestroyedWithTheStream) {
  const eventspace::test::TemporaryDirectory folder;
  const fs::path file = folder.path() / "told";
  Tool tool("2x2");
  tool.attach();
  FilterUse use = of_library("odd", "count");
  use.parameters["file"] = file.string();
  const std::uint32_t stream = tool.front_end.open({.up = {use}});
  tool.send(stream, 0);
  (void)tool.receive(stream);
  EXPECT_FALSE(fs::exists(file));
  tool.front_end.close(stream);
  std::string told;
  for (const Deadline end = Deadline::after(60s); std::ranges::count(told, '\n') < 3 && !end.passed();) {
    tool.front_end.serve(Deadline::after(5ms));
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    told = text.str();
  }
  EXPECT_EQ(told, "destroyed after 1\ndestroyed after 1\ndestroyed after 1\n");
}

TEST(NetworkFiltersTest, AFilterMayMakeAnyNumberOfPacketsIfItSaysSo) {
  Tool tool("1x2");
  tool.attach();
  const std::uint32_t stream = tool.front_end.open({.up = {of_library("any-number", "two")}});
  tool.send(stream, 1);
  // Two waves of the internal process; each makes two in the front-end.
  for (int i = 0; i < 4; ++i) EXPECT_EQ(number_of(tool.receive(stream)), 3);
  EXPECT_FALSE(tool.front_end.receive(stream, Deadline::now()));
  const std::uint32_t none = tool.front_end.open({.up = {of_library("any-number", "none", process(1))}});
  tool.send(none, 1);
  tool.send(stream, 1);
  EXPECT_EQ(number_of(tool.receive(stream)), 3);
  EXPECT_FALSE(tool.front_end.receive(none, Deadline::now()));
  while (const auto event = tool.front_end.next_event())
    EXPECT_NE(event->kind, EventKind::fault) << event->text;
}

TEST(NetworkFiltersTest, AFilterThatBreaksItsPromiseOfOnePacketIsAFault) {
  Tool tool("1x2");
  tool.attach();
  const std::uint32_t stream = tool.front_end.open({.up = {of_library("odd", "two")}});
  tool.send(stream, 1);
  EXPECT_THAT(tool.wait_for(EventKind::fault).text,
              HasSubstr("stream 1, wave 0: process 1: filter 'odd' made 2 packets of a wave"));
}

TEST(NetworkFiltersTest, AFilterThatThrowsInOneProcessLosesItsPartOfTheWaveOnly) {
  Tool tool("2x2");
  tool.attach();
  const std::uint32_t stream =
      tool.front_end.open({.up = {of_library("odd", "throw", process(2)), {.name = "sum"}}});
  for (int wave = 0; wave < 3; ++wave) {
    tool.send(stream, 1);
    const Packet rest = tool.receive(stream);  // no further wave is on its way
    EXPECT_EQ(number_of(rest), 3);
    EXPECT_EQ(rest.ranks.to_text(), "2-3");
    EXPECT_THAT(tool.wait_for(EventKind::fault).text,
                HasSubstr("stream 1, wave " + std::to_string(wave) + ": process 2: the moon is full"));
  }
}

TEST(NetworkFiltersTest, AWaveThatIsLostEverywhereIsAnEventForEachPartOfItAndTheNextOneComes) {
  Tool tool("2x2");
  tool.attach([](BackEnd& back_end, const Received& received) {
    const bool fits = number_of(received.packet) != 0;
    const Packet answer = fits ? Number::make(0, 1) : Format<std::string_view>::make(0, "no number");
    (void)back_end.answer(received, answer, Deadline::after(60s));
  });
  const std::uint32_t stream = tool.front_end.open({.up = {{.name = "sum"}}});
  tool.send(stream, 0);
  tool.send(stream, 1);
  const Packet sum = tool.receive(stream);
  EXPECT_EQ(number_of(sum), 4);
  EXPECT_EQ(sum.wave, 1u);
  std::set<std::string> faults;
  for (int i = 0; i < 2; ++i) faults.insert(tool.wait_for(EventKind::fault).text.substr(0, 28));
  EXPECT_EQ(faults, (std::set<std::string>{"stream 1, wave 0: process 1:", "stream 1, wave 0: process 2:"}));
}

TEST(NetworkFiltersTest, AFilterThatHangsDelaysOthersByItsLimitOnceAndLosesItsWavesUntilItReturns) {
  const eventspace::test::TemporaryDirectory folder;
  const fs::path goes = folder.path() / "goes";
  Tool tool("2x2");
  tool.attach();
  FilterUse hangs = of_library("odd", "hang", process(1));
  hangs.limit = 50ms;
  hangs.parameters["file"] = goes.string();
  const std::uint32_t stuck = tool.front_end.open({.up = {hangs, {.name = "sum"}}});
  const std::uint32_t other = tool.front_end.open({.up = {{.name = "sum"}}});
  tool.send(stuck, 1);
  EXPECT_EQ(tool.receive(stuck).ranks.to_text(), "0-1");
  EXPECT_THAT(tool.wait_for(EventKind::fault).text,
              HasSubstr("process 1: filter 'odd' did not return within its limit of 50ms"));
  tool.send(other, 1);
  EXPECT_TRUE(tool.receive(other).ranks.empty()) << "other streams go on";
  tool.send(stuck, 1);
  EXPECT_EQ(tool.receive(stuck).ranks.to_text(), "0-1");
  EXPECT_THAT(tool.wait_for(EventKind::fault).text, HasSubstr("has not returned since an earlier wave"));
  std::ofstream{goes} << "now";
  std::string missing = "0-1";
  for (const Deadline end = Deadline::after(60s); !missing.empty() && !end.passed();) {
    tool.send(stuck, 1);
    missing = tool.receive(stuck).ranks.to_text();
  }
  EXPECT_EQ(missing, "") << "it has come back";
}

TEST(NetworkFiltersTest, AProcessThatCannotMakeTheFiltersTakesNoPartAndSaysWhy) {
  Tool tool("2x2");
  tool.attach();
  FilterUse other = of_library("odd", "sum", process(2));
  other.library = fs::path(EVENTSPACE_PLUGINS) / "stream_filters_other_version.so";
  const std::uint32_t stream = tool.front_end.open({.up = {other, {.name = "sum"}}});
  EXPECT_THAT(
      tool.wait_for(EventKind::fault).text,
      testing::AllOf(HasSubstr("process 2: filter 'odd' of "),
                     HasSubstr("has version 2 of the plugin interface; this program expects version 1")));
  for (int wave = 0; wave < 2; ++wave) {
    tool.send(stream, 1);
    const Packet rest = tool.receive(stream);
    EXPECT_EQ(number_of(rest), 3);
    EXPECT_EQ(rest.ranks.to_text(), "2-3");
  }
  EXPECT_THROW((void)tool.front_end.open({.up = {of_library("odd", "refuse")}}), ConfigurationError)
      << "the front-end itself";
}

TEST(NetworkFiltersTest, ProcessesOfATreeMayRunDifferentFilters) {
  Tool tool("2x3");
  tool.attach();
  const RankSet inside = tool.front_end.internals();
  const std::uint32_t stream = tool.front_end.open(
      {.up = {{.name = "max", .processes = inside}, {.name = "concat", .processes = process(0)}}});
  tool.send(stream, 10);
  const Packet both = tool.receive(stream);
  EXPECT_THAT(PacketView(both).array<std::int64_t>(0), testing::ElementsAre(12, 15));
  const std::uint32_t means =
      tool.front_end.open({.up = {{.name = "mean"}, {.name = "top", .processes = process(0)}}});
  tool.send(means, 0);
  const Packet top = tool.receive(means);
  EXPECT_THAT(PacketView(top).array<double>(0), testing::ElementsAre(2.5)) << "of all back-ends";
}

TEST(NetworkFiltersTest, ARuleOfASharedObjectDecidesWhichPacketsFormAWave) {
  std::atomic<bool> goes{false};
  Tool tool("3x1");
  tool.attach([&](BackEnd& back_end, const Received& received) {
    while (back_end.rank() == 1 && !goes) std::this_thread::yield();
    test::add_rank(back_end, received);
  });
  const FilterUse rule{.name = "quorum",
                       .parameters = {{"of", std::int64_t{1}}},
                       .library = fs::path(EVENTSPACE_PLUGINS) / "stream_filters.so"};
  const std::uint32_t stream =
      tool.front_end.open({.synchronise = Synchronise::rule, .rule = rule, .up = {{.name = "count"}}});
  tool.send(stream, 0);
  const Packet first = tool.receive(stream);
  EXPECT_TRUE(first.ranks.contains(1)) << "it is not waited for";
  goes = true;
}

// The start-up protocol of the paper: back-ends send checksums, and one of each class sends its data.
TEST(NetworkFiltersTest, OneOfEachClassIsAskedForItsData) {
  Tool tool("2x3");
  const auto data_of = [](RankSet::Rank rank) { return rank % 3 == 0 ? "functions a b" : "functions a c"; };
  tool.attach([&](BackEnd& back_end, const Received& received) {
    const std::string_view data = data_of(back_end.rank());
    const Packet answer = number_of(received.packet) == 0
                              ? Format<std::uint64_t>::make(0, std::hash<std::string_view>()(data))
                              : Format<std::string_view>::make(0, data);
    (void)back_end.answer(received, answer, Deadline::after(60s));
  });
  const std::uint32_t sums = tool.front_end.open({.up = {{.name = "classes"}}});
  const std::uint32_t each = tool.front_end.open({.synchronise = Synchronise::do_not_wait});
  tool.send(sums, 0);
  const Packet packet = tool.receive(sums);
  const PacketView classes(packet);
  ASSERT_EQ(classes.count(0), 2u);
  std::map<std::string, std::string> members;  // by data
  for (std::size_t i = 0; i < 2; ++i) {
    Packet question = Number::make(0, 1);
    const std::uint32_t representative = classes.array<std::uint32_t>(1)[i];
    question.ranks = RankSet::of_range(representative, representative);
    ASSERT_TRUE(tool.front_end.send(each, question, Deadline::after(60s)));
    const Packet data = tool.receive(each);
    members[std::string(PacketView(data).text(0))] = classes.texts(2)[i];
  }
  EXPECT_EQ(members,
            (std::map<std::string, std::string>{{"functions a b", "0,3"}, {"functions a c", "1-2,4-5"}}));
}

/// A rule of this program: two packets of one child, then two of the next.
class Pairs final : public WaveRule {
 public:
  Choice choose(std::span<const Waiting> waiting, Clock::time_point /*now*/) override {
    for (const Waiting& one : waiting) {
      if (left_ == 0 && one.packets < 2) continue;
      if (left_ > 0 && one.child != chosen_) continue;
      chosen_ = one.child;
      left_ = left_ == 0 ? 1 : left_ - 1;
      return {.pass = {one.child}};
    }
    return {};
  }

 private:
  Child chosen_{0};
  int left_{0};
};

TEST(NetworkFiltersTest, ARuleOfTheProgramDoesToo) {
  RuleRegistry::instance().add(
      {"pairs", "two of each", {}, [](const Parameters&) { return std::make_unique<Pairs>(); }});
  Tool tool("flat:2");
  tool.attach([](BackEnd& back_end, const Received& received) {
    for (int i = 0; i < 2; ++i)
      (void)back_end.send(received.stream, Number::make(0, 10 * back_end.rank() + i), Deadline::after(60s));
  });
  const std::uint32_t stream =
      tool.front_end.open({.synchronise = Synchronise::rule, .rule = {.name = "pairs"}});
  tool.send(stream, 0);
  std::vector<std::int64_t> came;
  for (int i = 0; i < 4; ++i) came.push_back(number_of(tool.receive(stream)));
  EXPECT_EQ(came[0] + 1, came[1]);
  EXPECT_EQ(came[2] + 1, came[3]);
}

TEST(NetworkFiltersTest, ARuleThatThrowsLosesWhatWaitsAndTheStreamGoesOn) {
  Tool tool("flat:1");
  tool.attach([](BackEnd& back_end, const Received& received) {
    const std::int32_t tag = number_of(received.packet) == 0 ? -1 : 1;
    (void)back_end.answer(received, Number::make(tag, 5), Deadline::after(60s));
  });
  const FilterUse rule{.name = "quorum",
                       .parameters = {{"of", std::int64_t{1}}},
                       .library = fs::path(EVENTSPACE_PLUGINS) / "stream_filters.so"};
  const std::uint32_t stream = tool.front_end.open({.synchronise = Synchronise::rule, .rule = rule});
  tool.send(stream, 0);
  tool.send(stream, 1);
  EXPECT_EQ(number_of(tool.receive(stream)), 5);
  EXPECT_THAT(tool.wait_for(EventKind::fault).text, HasSubstr("nobody may send the tag -1"));
  EXPECT_EQ(tool.front_end.counters(stream).late, 1u);
}

}  // namespace
}  // namespace eventspace::streams

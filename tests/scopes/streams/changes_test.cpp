#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <memory>
#include <vector>

#include <eventspace/error.h>
#include <eventspace/stream_network.h>
#include <eventspace/streams.h>
#include <eventspace/topology.h>
#include "tests/error_text.h"
#include "tests/scopes/streams/network_talk.h"

// Filters that are replaced while their stream is in use.

namespace eventspace::streams {
namespace {

using namespace std::chrono_literals;
using test::Number;
using test::number_of;
using test::Tool;
using ::testing::HasSubstr;

/// Adds the numbers of a wave, and `add` in each process. A wave that was made by old and new filters shows a
/// number that neither of them makes.
class Adding final : public Filter {
 public:
  explicit Adding(std::int64_t add) : add_(add) {}
  void apply(const Wave& wave, std::vector<Packet>& out) override {
    std::int64_t sum = add_;
    for (const Contribution& one : wave.packets) sum += PacketView(one.packet).number<std::int64_t>(0);
    out.push_back(Number::make(wave.packets.front().packet.tag, sum));
  }

 private:
  std::int64_t add_;
};

/// Passes on the sums of `of` waves together, and the remaining ones when its stream or its generation ends.
class Collecting final : public Filter {
 public:
  explicit Collecting(std::int64_t of) : of_(of) {}
  void apply(const Wave& wave, std::vector<Packet>& out) override {
    for (const Contribution& one : wave.packets) sum_ += PacketView(one.packet).number<std::int64_t>(0);
    if (++waves_ % of_ == 0) pass_on(out);
  }
  void leave(Child /*child*/, std::vector<Packet>& out) override {
    if (waves_ % of_ != 0) pass_on(out);
    waves_ = 0;
  }

 private:
  void pass_on(std::vector<Packet>& out) { out.push_back(Number::make(0, std::exchange(sum_, 0))); }

  std::int64_t of_;
  std::int64_t waves_{0};
  std::int64_t sum_{0};
};

FilterInfo of_number(std::string name, std::string parameter_name, bool keeps_waves,
                     std::function<std::unique_ptr<Filter>(std::int64_t)> make) {
  ParameterSpec spec{parameter_name, ParameterKind::integer};
  spec.required = true;
  return {std::move(name),
          "of a test",
          {spec},
          keeps_waves,
          [parameter_name, make = std::move(make)](const Parameters& given, FilterPlace) {
            return make(parameter<std::int64_t>(given, parameter_name));
          }};
}

class FilterChangeTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    FilterRegistry::instance().add(
        of_number("adding", "add", true, [](std::int64_t add) { return std::make_unique<Adding>(add); }));
    FilterRegistry::instance().add(of_number(
        "collecting", "of", false, [](std::int64_t of) { return std::make_unique<Collecting>(of); }));
  }
  static FilterUse adding(std::int64_t add) { return {.name = "adding", .parameters = {{"add", add}}}; }
};

TEST_F(FilterChangeTest, AllProcessesUseTheNewFiltersFromTheSameWaveOnWithWavesInFlight) {
  for (const char* const shape : {"flat:3", "2x2", "2x2x2", "3@27"}) {
    SCOPED_TRACE(shape);
    Tool tool(shape);
    tool.attach([](BackEnd& back_end, const Received& received) {
      (void)back_end.answer(received, Number::make(0, 1), Deadline::after(60s));
    });
    const auto back_ends = static_cast<std::int64_t>(tool.front_end.topology().back_ends());
    const auto processes = static_cast<std::int64_t>(tool.front_end.topology().size()) - back_ends;
    const std::uint32_t stream = tool.front_end.open({.up = {adding(0)}, .window = 8});
    constexpr std::uint64_t waves = 400;
    std::map<std::uint64_t, std::int64_t> borders{{0, 0}};  // the summand from a wave on
    std::uint64_t sent = 0;
    std::uint64_t came = 0;
    const auto receive = [&](Deadline deadline) {
      const auto packet = tool.front_end.receive(stream, deadline);
      if (!packet) return false;
      EXPECT_EQ(packet->wave, came++);
      EXPECT_TRUE(packet->ranks.empty()) << packet->ranks.to_text();
      const std::int64_t added = std::prev(borders.upper_bound(packet->wave))->second;
      EXPECT_EQ(number_of(*packet), back_ends + processes * added) << "wave " << packet->wave;
      return true;
    };
    while (sent < waves) {
      if (tool.front_end.send(stream, Number::make(0, 0), Deadline::now())) ++sent;
      // While several waves are on their way, so that processes have made different numbers of them.
      if (sent % 50 == 25 && borders.size() <= sent / 50) {
        const auto add = static_cast<std::int64_t>(sent) * 1000;
        const auto first = tool.front_end.set_filters(stream, {adding(add)}, {}, Deadline::after(60s));
        ASSERT_TRUE(first);
        EXPECT_GE(*first, came) << "what the user has got was made before";
        EXPECT_LE(*first, sent);
        borders[*first] = add;
      }
      receive(Deadline::now());
    }
    while (came < waves && receive(Deadline::after(60s))) {
    }
    EXPECT_EQ(came, waves);
    EXPECT_EQ(tool.front_end.counters(stream).late, 0u);
    EXPECT_GE(borders.size(), 5u);
  }
}

TEST_F(FilterChangeTest, PacketsThatBackEndsSendUnaskedAreDividedAtOneNumber) {
  std::atomic<bool> goes{true};
  Tool tool("2x2");  // its threads end before the flag
  for (RankSet::Rank rank = 0; rank < 4; ++rank) {
    Tool::Running& running = tool.back_ends[rank];
    running.thread = std::thread([&, point = tool.front_end.attach_point(rank)] {
      BackEnd back_end(point, Deadline::after(60s));
      EXPECT_TRUE(back_end.wait_for(1, Deadline::after(60s)));
      while (goes && !running.stops) (void)back_end.send(1, Number::make(0, 1), Deadline::after(5ms));
      while (!running.stops) back_end.serve(Deadline::after(5ms));
    });
  }
  ASSERT_TRUE(tool.front_end.wait_for(4, Deadline::after(60s)));
  const std::uint32_t stream = tool.front_end.open({.up = {adding(0)}, .window = 8});
  std::uint64_t came = 0;
  std::uint64_t first = 0;
  for (int turn = 0; turn < 5; ++turn) {
    for (int i = 0; i < 20; ++i) {
      const Packet packet = tool.receive(stream);
      EXPECT_EQ(packet.wave, came++);
      EXPECT_EQ(number_of(packet), packet.wave >= first ? 4 + 3000 * turn : 4 + 3000 * (turn - 1));
    }
    for (; came < first; ++came) EXPECT_EQ(number_of(tool.receive(stream)), 4 + 3000 * (turn - 1));
    const auto next = tool.front_end.set_parameters(
        stream, "adding", {{"add", std::int64_t{1000} * (turn + 1)}}, Deadline::after(60s));
    ASSERT_TRUE(next);
    first = *next;
  }
  goes = false;
}

TEST_F(FilterChangeTest, WhatOldFiltersHaveKeptComesUpAndNothingIsLostOrMixed) {
  for (const Synchronise how : {Synchronise::wait_for_all, Synchronise::do_not_wait}) {
    Tool tool("2x2");
    tool.attach([](BackEnd& back_end, const Received& received) {
      (void)back_end.answer(received, Number::make(0, 1), Deadline::after(60s));
    });
    const auto collecting = [](std::int64_t of) {
      return FilterUse{.name = "collecting", .parameters = {{"of", of}}};
    };
    const std::uint32_t stream = tool.front_end.open({.synchronise = how, .up = {collecting(7)}});
    constexpr int packets = 60;
    std::int64_t sum = 0;
    for (int i = 0; i < packets; ++i) {
      tool.send(stream, 0);
      if (i % 20 == 10) {
        EXPECT_TRUE(tool.front_end.set_filters(stream, {collecting(2 + i % 3)}, {}, Deadline::after(60s)));
      }
      while (const auto packet = tool.front_end.receive(stream, Deadline::now())) sum += number_of(*packet);
    }
    // The last change makes the filters send all that they keep.
    std::uint64_t answered = 0;
    const Deadline end = Deadline::after(60s);
    while (sum < 4 * packets && !end.passed()) {
      EXPECT_TRUE(tool.front_end.set_filters(stream, {collecting(1)}, {}, Deadline::after(60s)));
      while (const auto packet = tool.front_end.receive(stream, Deadline::after(5ms)))
        sum += number_of(*packet);
      ++answered;
    }
    EXPECT_EQ(sum, 4 * packets) << "after " << answered << " changes";
  }
}

TEST_F(FilterChangeTest, FiltersForTheWayDownChangeBetweenTwoPackets) {
  Tool tool("2x2");
  tool.attach([](BackEnd& back_end, const Received& received) {
    (void)back_end.answer(received, Number::make(0, number_of(received.packet)), Deadline::after(60s));
  });
  // In the front-end, an internal process and a back-end.
  const std::uint32_t stream = tool.front_end.open({.up = {{.name = "max"}}, .down = {adding(1)}});
  for (int i = 0; i < 10; ++i) tool.send(stream, 0);
  ASSERT_TRUE(tool.front_end.set_filters(stream, {{.name = "max"}}, {adding(100)}, Deadline::after(60s)));
  for (int i = 0; i < 10; ++i) tool.send(stream, 0);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(number_of(tool.receive(stream)), i < 10 ? 3 : 300) << i;
}

TEST_F(FilterChangeTest, IfOneProcessCannotMakeThemAllKeepTheOldOnes) {
  Tool tool("2x2");
  tool.attach();
  const std::uint32_t stream = tool.front_end.open({.up = {adding(0)}});
  FilterUse absent{.name = "any", .library = "/nowhere/absent.so"};
  absent.processes = RankSet::of_range(rank_of_internal(2), rank_of_internal(2));
  EXPECT_THAT(eventspace::test::error_text<ConfigurationError>([&] {
                (void)tool.front_end.set_filters(stream, {absent, adding(5)}, {}, Deadline::after(60s));
              }),
              HasSubstr("process 2: filter 'any' of /nowhere/absent.so"));
  EXPECT_THROW((void)tool.front_end.set_filters(stream, {{.name = "add1ng"}}, {}, Deadline::now()),
               ConfigurationError);
  EXPECT_THROW((void)tool.front_end.set_parameters(stream, "top", {}, Deadline::now()), ConfigurationError);
  EXPECT_FALSE(tool.front_end.set_filters(77, {}, {}, Deadline::now())) << "there is no such stream";
  for (int i = 0; i < 3; ++i) {
    tool.send(stream, 1);
    EXPECT_EQ(number_of(tool.receive(stream)), 10);
  }
  ASSERT_TRUE(tool.front_end.set_filters(stream, {adding(5)}, {}, Deadline::after(60s)));
  tool.send(stream, 1);
  EXPECT_EQ(number_of(tool.receive(stream)), 25);
}

TEST_F(FilterChangeTest, OneThatComesLaterUsesTheNewFilters) {
  Tool tool("2x2");
  for (RankSet::Rank rank = 0; rank < 3; ++rank) tool.attach(rank);
  ASSERT_TRUE(tool.front_end.wait_for(3, Deadline::after(60s)));
  const std::uint32_t stream = tool.front_end.open({.up = {adding(0)}, .down = {adding(0)}});
  tool.send(stream, 0);
  EXPECT_EQ(number_of(tool.receive(stream)), 3);
  ASSERT_TRUE(tool.front_end.set_filters(stream, {adding(1)}, {adding(10)}, Deadline::after(60s)));
  tool.attach(3);
  ASSERT_TRUE(tool.front_end.wait_for(4, Deadline::after(60s)));
  tool.send(stream, 0);
  const Packet sum = tool.receive(stream);
  EXPECT_TRUE(sum.ranks.empty()) << sum.ranks.to_text();
  EXPECT_EQ(number_of(sum), 4 * 30 + 6 + 3);
}

}  // namespace
}  // namespace eventspace::streams

// Tiles beside a reader that looks at every operation, and the bounds of requests.
#include "monitors/web/timeline/timeline_tile.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "monitors/web/timeline/timeline_desk.h"
#include "tests/monitors/web/timeline/random_timeline.h"

namespace eventspace::web {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::int64_t unit = RandomTimeline::unit;

using Sums = std::array<std::int64_t, operation_classes>;

/// The time of each class within [from, to): at each moment counts the innermost operation.
Sums times_of(const RandomTimeline& timeline, std::uint32_t row, std::int64_t from, std::int64_t to) {
  Sums sums{};
  constexpr std::int64_t step = 128;  // divides all times and bins of the tests
  for (std::int64_t at = from; at < to; at += step) {
    const StoredOperation* inner = nullptr;
    for (const auto& [of, operation] : timeline.operations) {
      const bool covers = of == row && operation.begin <= at && at < operation.end;
      if (covers && (inner == nullptr || operation.depth > inner->depth)) inner = &operation;
    }
    if (inner != nullptr) sums[static_cast<std::size_t>(inner->of)] += step;
  }
  return sums;
}

std::uint32_t begun_in(const RandomTimeline& timeline, std::uint32_t row, std::int64_t from,
                       std::int64_t to) {
  return static_cast<std::uint32_t>(std::ranges::count_if(timeline.operations, [&](const auto& one) {
    return one.row == row && one.operation.begin >= from && one.operation.begin < to;
  }));
}

void expect_bins(const RandomTimeline& timeline, const TileRequest& request) {
  const Tile tile = make_tile(*timeline.store, request);
  ASSERT_FALSE(tile.is_exact);
  for (std::size_t i = 0; i < request.rows.size(); ++i) {
    for (std::uint32_t bin = 0; bin < request.bins; ++bin) {
      const std::int64_t from = request.from + bin * request.width;
      Sums sums{};
      std::uint32_t begun = 0;
      for (const Tile::Bin& entry : tile.bins[i]) {
        if (entry.bin != bin) continue;
        sums[static_cast<std::size_t>(entry.of)] += entry.ns;
        begun += entry.begun;
      }
      EXPECT_EQ(sums, times_of(timeline, request.rows[i], from, from + request.width)) << i << ' ' << bin;
      EXPECT_EQ(begun, begun_in(timeline, request.rows[i], from, from + request.width)) << i << ' ' << bin;
    }
  }
}

TEST(TimelineTile, BinsHaveTheTimeOfTheInnermostOperationOfEachMoment) {
  for (const std::uint32_t seed : {1u, 2u, 3u}) {
    SCOPED_TRACE(seed);
    const RandomTimeline timeline(seed, 2);
    const std::int64_t kept = timeline.store->rows()[0].times.width_ns();
    ASSERT_EQ(kept, 256);
    for (const std::int64_t width :
         {kept / 2, kept, 64 * kept}) {  // narrower than those kept, the same, wider
      TileRequest request{.width = width, .bins = 60, .rows = {0, 1}, .operations = 0};
      request.from = width * 30;
      expect_bins(timeline, request);
    }
  }
}

TEST(TimelineTile, NarrowBinsLateInALongRecordingHaveTheirTimes) {
  constexpr std::int64_t hour = 3600'000'000'000;
  OperationStore store(0, 2 * hour);
  const std::uint32_t row = store.add_row({.thread = "t", .process = "p", .node = "n"});
  for (std::int64_t i = 0; i < 5000; ++i) {
    store.add(row, {.begin = hour + 500 * i / 20,
                    .end = hour + 500 * i / 20 + 10,
                    .place = {static_cast<std::uint64_t>(i) + 1, 0, 0},
                    .of = OperationClass::other});
  }
  store.finish();
  const Tile tile = make_tile(store, {.from = hour, .width = 500, .bins = 250, .rows = {0}});
  ASSERT_FALSE(tile.is_exact);
  ASSERT_THAT(tile.bins[0], SizeIs(250));
  for (const Tile::Bin& bin : tile.bins[0]) EXPECT_EQ(bin.ns, 200) << bin.bin;
}

TEST(TimelineTile, BinsStayRightWhenTheyAreMadeWiderToSaveMemory) {
  OperationStore::Limits limits;
  limits.entries = 0;  // wider at each check
  RandomTimeline timeline(4, 1, limits);
  std::int64_t width = timeline.store->rows()[0].times.width_ns();
  ClassTimes times = timeline.store->rows()[0].times;
  times.coarsen();
  EXPECT_EQ(times.width_ns(), 2 * width);
  std::int64_t sum = 0, all = 0;
  for (const auto& entry : times.entries()) sum += entry.ns;
  for (const auto& entry : timeline.store->rows()[0].times.entries()) all += entry.ns;
  EXPECT_EQ(sum, all);
}

TEST(TimelineTile, ExactTilesHaveAllOperationsThatOverlapAndNoOthers) {
  for (const std::uint32_t seed : {5u, 6u, 7u, 8u}) {
    SCOPED_TRACE(seed);
    RandomTimeline timeline(seed, 3);
    for (int i = 0; i < 50; ++i) {
      const TileRequest request{.from = unit * timeline.number(0, RandomTimeline::units),
                                .width = unit,
                                .bins = timeline.number32(1, 40),
                                .rows = {0, 2},
                                .operations = 100'000};
      const Tile tile = make_tile(*timeline.store, request);
      ASSERT_TRUE(tile.is_exact);
      std::multiset<std::uint64_t> expected, made;
      for (const auto& [row, operation] : timeline.operations) {
        const bool begins_here = operation.begin >= request.from && operation.begin < request.to();
        if (row != 1 && (begins_here || (operation.begin < request.from && operation.end > request.from)))
          expected.insert(operation.place.sequence);
      }
      for (const auto& row : tile.operations)
        for (const StoredOperation* operation : row) made.insert(operation->place.sequence);
      EXPECT_EQ(made, expected);
    }
  }
}

TEST(TimelineTile, DepthsAndOperationsInFlightAreKept) {
  const RandomTimeline timeline(9, 1);
  const TileRequest request{.width = RandomTimeline::length, .bins = 1, .rows = {0}, .operations = 100'000};
  const Tile tile = make_tile(*timeline.store, request);
  ASSERT_THAT(tile.operations.at(0), SizeIs(timeline.operations.size()));
  for (std::size_t i = 0; i < timeline.operations.size(); ++i) {
    EXPECT_EQ(tile.operations[0][i]->depth, timeline.operations[i].operation.depth);
    EXPECT_EQ(tile.operations[0][i]->in_flight, timeline.operations[i].operation.in_flight);
  }
}

TEST(TimelineTile, NoLossIsDrawnAsNothing) {
  const RandomTimeline timeline(10, 2);
  for (const std::size_t operations : {0, 100'000}) {  // in bins, and exact
    const TileRequest request{
        .from = 0, .width = 4 * unit, .bins = 700, .rows = {0, 1}, .operations = operations};
    const Tile tile = make_tile(*timeline.store, request);
    std::uint64_t lost = 0;
    for (const auto& one : timeline.gaps) {
      const OperationStore::Gap& gap = one.second;
      if (gap.begin >= request.to()) continue;
      lost += gap.records;
      EXPECT_TRUE(std::ranges::any_of(tile.gaps, [&](const Tile::RowGap& drawn) {
        return drawn.row == one.first && drawn.gap.begin <= gap.begin && drawn.gap.end >= gap.end;
      }));
    }
    std::uint64_t drawn = 0;
    for (const Tile::RowGap& gap : tile.gaps) drawn += gap.gap.records;
    EXPECT_EQ(drawn, lost);
  }
}

TEST(TimelineTile, MessagesThatCrossTheRangeAreArrows) {
  const RandomTimeline timeline(11, 3);
  const TileRequest request{.from = 512 * unit, .width = unit, .bins = 64, .rows = {1}};
  std::size_t expected = 0;
  for (const auto& message : timeline.messages) {
    const bool crosses = message.sent < request.to() && message.received >= request.from;
    expected += crosses && (message.from == 1 || message.to == 1) ? 1 : 0;
  }
  ASSERT_GT(expected, 0u);
  EXPECT_THAT(make_tile(*timeline.store, request).messages, SizeIs(expected));
}

TEST(TimelineTile, OperationsBeyondTheLimitAreInBinsAndElsewhereNotDrawnAsNothing) {
  OperationStore::Limits limits;
  limits.operations = 100;
  const RandomTimeline timeline(12, 1, limits);
  EXPECT_EQ(timeline.store->kept(), 100u);
  EXPECT_EQ(timeline.store->events(), timeline.operations.size());
  expect_bins(timeline, {.from = 0, .width = 512 * unit, .bins = 6, .rows = {0}});
  const TileRequest narrow{.from = 2048 * unit, .width = 128, .bins = 64, .rows = {0}};
  const Tile tile = make_tile(*timeline.store, narrow);
  ASSERT_FALSE(tile.gaps.empty());
  EXPECT_TRUE(tile.gaps.back().is_not_kept);
  EXPECT_EQ(tile.gaps.back().gap.begin, narrow.from);
  EXPECT_EQ(tile.gaps.back().gap.end, narrow.to());
}

TEST(TimelineTile, LossesWithoutAnEventBeforeThemMayHaveBeenAnyTime) {
  OperationStore store(0, 1000);
  store.add_row({});
  store.lose(0, 500, 500, 7);
  store.finish();
  const Tile tile = make_tile(store, {.from = 0, .width = 1, .bins = 100, .rows = {0}});
  ASSERT_THAT(tile.gaps, SizeIs(1));
  EXPECT_EQ(tile.gaps[0].gap.begin, 0);
}

TEST(TimelineTile, MembersOfACollectiveOperationAreJoined) {
  OperationStore store(0, 1000);
  for (int row = 0; row < 3; ++row) store.add_row({});
  store.add_member({7, 2, 120, 200});
  store.add_member({7, 0, 100, 200});
  store.add_member({8, 1, 100, 200});  // alone
  store.finish();
  ASSERT_THAT(store.joins(), SizeIs(1));
  EXPECT_EQ(store.joins()[0].begin, 100);
  EXPECT_EQ(store.joins()[0].count, 2u);
  const TileRequest request{.from = 100, .width = 1, .bins = 10, .rows = {0}};
  const json tile = json::parse(text_of(store, request, make_tile(store, request)));
  EXPECT_EQ(tile["joins"], json::parse("[2,0,0,2,20]"));  // rows, differences of begins
}

TEST(TimelineTile, RowsAreInTheOrderOfRanksAndNumbers) {
  OperationStore store(0, 1000);
  const auto add = [&](const char* thread, const char* process, std::optional<std::uint32_t> rank) {
    OperationStore::Row row;
    row.thread = thread;
    row.process = process;
    row.rank = rank;
    return store.add_row(row);
  };
  const std::uint32_t t10 = add("t10", "p", std::nullopt);
  const std::uint32_t t9 = add("t9", "p", std::nullopt);
  add("main", "job.10", 10);
  add("main", "job.9", 9);
  store.add_message({t10, t9, 1, 2, true});
  store.add_member({1, t10, 1, 2});
  store.add_member({1, t9, 1, 2});
  store.finish();
  std::vector<std::string> names;
  for (const auto& row : store.rows()) names.push_back(row.process + "/" + row.thread);
  EXPECT_THAT(names, ElementsAre("job.9/main", "job.10/main", "p/t9", "p/t10"));
  EXPECT_EQ(store.messages()[0].from, 3u);
  EXPECT_EQ(store.messages()[0].to, 2u);
  EXPECT_EQ(store.members()[0].row, 2u);
}

TEST(TimelineTile, TextHasTheSameInColumns) {
  const RandomTimeline timeline(13, 2);
  const TileRequest request{.from = 128 * unit, .width = unit, .bins = 128, .rows = {0, 1}};
  const Tile tile = make_tile(*timeline.store, request);
  const json text = json::parse(text_of(*timeline.store, request, tile));
  std::size_t at = 0;
  for (std::size_t row = 0; row < 2; ++row) {
    ASSERT_EQ(text["counts"][row], tile.operations[row].size());
    std::int64_t begin = request.from, sequence = 0;
    for (const StoredOperation* operation : tile.operations[row]) {
      begin += text["begin"][at].get<std::int64_t>();
      EXPECT_EQ(begin, operation->begin);
      EXPECT_EQ(text["length"][at], operation->end - operation->begin);
      EXPECT_EQ(text["look"][at].get<unsigned>() & 7, static_cast<unsigned>(operation->of));
      EXPECT_EQ(text["look"][at].get<unsigned>() >> 4, operation->depth);
      sequence += text["sequence"][at].get<std::int64_t>();
      EXPECT_EQ(static_cast<std::uint64_t>(sequence), operation->place.sequence);
      ++at;
    }
  }
  EXPECT_EQ(text["gaps"].size(), 5 * tile.gaps.size());
}

TEST(TimelineTile, MessagesAndMembersBeyondTheLimitsAreCounted) {
  OperationStore::Limits limits;
  limits.messages = 1;
  limits.members = 2;
  OperationStore store(0, 10, limits);
  const std::uint32_t row = store.add_row({.thread = "t", .process = "p", .node = "n"});
  for (std::int64_t i = 0; i < 4; ++i) {
    store.add_message({row, row, i, i + 1, true});
    store.add_member({1, row, i, i + 1});
  }
  store.leave_out_messages(5);
  store.finish();
  const json rows = json::parse("{" + rows_text(store) + "}");
  EXPECT_EQ(rows["messages_left_out"], 8);
  EXPECT_EQ(rows["members_left_out"], 2);
}

TEST(TimelineTile, CollectiveOperationsTooManyToBeJoinedAreCounted) {
  OperationStore store(0, 4000);
  const std::uint32_t row = store.add_row({.thread = "t", .process = "p", .node = "n"});
  constexpr std::uint64_t joins = TileRequest::most_arrows / 2 + 10;
  for (std::uint64_t key = 0; key < joins; ++key)
    for (int member = 0; member < 2; ++member) store.add_member({key, row, 1, 2});
  store.finish();
  const TileRequest request{.from = 0, .width = 1, .bins = 16, .rows = {row}};
  const Tile tile = make_tile(store, request);
  EXPECT_THAT(tile.joins, IsEmpty());
  EXPECT_EQ(tile.joins_left_out, joins);
  EXPECT_EQ(json::parse(text_of(store, request, tile))["joins_left_out"], joins);
}

TEST(TimelineTile, NamesInTheRowsMayHaveAnyText) {
  OperationStore store(0, 10);
  store.add_row({.thread = "<script>\"\n\xff", .process = "p", .node = "n"});
  store.finish();
  const json rows = json::parse("{" + rows_text(store) + "}");
  EXPECT_EQ(rows["rows"][0]["thread"], "<script>\"\n\xef\xbf\xbd");
}

class TileRequestTest : public testing::Test {
 protected:
  static std::optional<TileRequest> request(const std::string& from, const std::string& to,
                                            const std::string& rows, const std::string& pixels) {
    Request asked;
    asked.parameters = {{"from", from}, {"to", to}, {"rows", rows}, {"pixels", pixels}};
    return tile_request(asked, 1000);
  }
};

TEST_F(TileRequestTest, BinsArePowersOfTwoAtTheirMultiples) {
  const auto tile = request("1000", "5000", "0-2,7,1", "100");
  ASSERT_TRUE(tile);
  EXPECT_EQ(tile->width, 64);
  EXPECT_EQ(tile->from, 960);
  EXPECT_GE(tile->to(), 5000);
  EXPECT_LT(tile->to(), 5000 + 64);
  EXPECT_THAT(tile->rows, ElementsAre(0, 1, 2, 7));
}

TEST_F(TileRequestTest, AlignedRangesAreTakenAsTheyAre) {
  const auto tile = request("4096", "8192", "0", "256");
  ASSERT_TRUE(tile);
  EXPECT_EQ(tile->width, 16);
  EXPECT_EQ(tile->from, 4096);
  EXPECT_EQ(tile->bins, 256u);
}

TEST_F(TileRequestTest, WhatIsNotARangeIsRefused) {
  for (const char* from : {"-1", "5", "", "1e3", " 1", "0x1", "99999999999999999999", "nan"})
    EXPECT_FALSE(request(from, "5", "0", "100")) << from;
  for (const char* to : {"0", "-5", "9223372036854775807", "two"})
    EXPECT_FALSE(request("0", to, "0", "100")) << to;
  for (const char* pixels : {"0", "-1", "1025", "1.5", ""})
    EXPECT_FALSE(request("0", "5", "0", pixels)) << pixels;
  for (const char* rows :
       {"", "1000", "3-2", "0-256", "-", "0-", "-1", "a", "0,,1", "0-255,300", "4294967296"})
    EXPECT_FALSE(request("0", "5", rows, "100")) << rows;
}

TEST_F(TileRequestTest, TheWidestRangeDoesNotOverflow) {
  const auto tile = request("1", "1152921504606846976", "0", "1");
  ASSERT_TRUE(tile);
  EXPECT_GT(tile->width, 0);
  EXPECT_GT(tile->to(), 0);
  const RandomTimeline timeline(14, 1);
  EXPECT_FALSE(make_tile(*timeline.store, *tile).operations.empty());
}

TEST_F(TileRequestTest, ManyRowsAreRefusedOneByOneToo) {
  std::string rows;
  for (int i = 0; i < 257; ++i) rows += (i == 0 ? "" : ",") + std::to_string(i);
  EXPECT_FALSE(request("0", "5", rows, "100"));
}

}  // namespace
}  // namespace eventspace::web

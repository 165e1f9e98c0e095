// Metrics limited to regions and sites, and operations that are in flight (grid-distributed-evaluation,
// sections 3.2.2 and 3.2.3).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <eventspace/error.h>
#include "scopes/metrics/evaluation/region_counts.h"
#include "tests/scopes/metrics/distribution/divided_run.h"
#include "tests/scopes/metrics/evaluation/observed_run.h"

namespace eventspace::metrics {
namespace {

using test::DividedRun;
using test::Measured;
using test::ObservedRun;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

const std::string sent =
    "M(Process p, Region r, TimeInterval t): Unit(\"B\") { RETURN Send_volume(p, r, t); }";
const std::string time_in =
    "M(Process p, Region r, TimeInterval t): Unit(\"ms\") { RETURN Region_delay(p, r, t); }";

MeasurementChoice cut(CutRegions how) {
  MeasurementChoice choice;
  choice.cut = how;
  return choice;
}
MeasurementChoice since_last() {
  MeasurementChoice choice;
  choice.span = Span::since_last;
  return choice;
}

TEST(Region, WhatIsInARegionCountsForItAndForThoseAroundIt) {
  ObservedRun run;
  Measured measured(run, "M", sent);
  run.write(0, 2, 3, 1);
  run.write(0, 11, 12, 10);
  run.region(0, 10, 13, "inner");
  run.write(0, 14, 15, 100);
  run.region(0, 5, 20, "outer");
  run.write(0, 21, 22, 1000);
  EXPECT_THAT(measured.at(100), ElementsAre("p0+inner=10", "p0+outer=110"));
}

TEST(Region, RegionsOfOtherThreadsDoNotMatter) {
  ObservedRun run;
  Measured measured(run, "M", sent);
  run.write(0, 11, 12, 10, 1);
  run.region(0, 10, 13, "r", 0);
  run.region(0, 14, 15, "r", 1);
  EXPECT_THAT(measured.at(100), ElementsAre("p0+r=0"));
}

TEST(Region, EventsThatAreReadAfterTheirRegionCount) {
  ObservedRun run;
  Measured measured(run, "M", sent);
  run.region(0, 10, 13, "inner");
  run.region(0, 5, 20, "outer");
  EXPECT_THAT(measured.at(50), ElementsAre("p0+inner=0", "p0+outer=0"));
  run.write(0, 11, 12, 7);
  EXPECT_THAT(measured.at(100), ElementsAre("p0+inner=7", "p0+outer=7"));
}

TEST(Region, SeveralRegionsAreChosenByTheirNames) {
  ObservedRun run;
  MeasurementChoice choice;
  choice.objects[1] = "s*";
  Measured measured(run, "M",
                    "M(Process p, Region[] r, TimeInterval t): Unit(\"B\") { RETURN Send_volume(p, r, t); }",
                    choice);
  run.write(0, 11, 12, 1);
  run.region(0, 10, 13, "solve");
  run.write(0, 15, 16, 10);
  run.region(0, 14, 17, "sort");
  run.write(0, 19, 20, 100);
  run.region(0, 18, 21, "print");
  EXPECT_THAT(measured.at(100), ElementsAre("p0=11"));
}

TEST(Region, AnAggregateRangesOverThem) {
  ObservedRun run;
  Measured measured(run, "M",
                    "M(Process p, Region[] all, TimeInterval t): Unit(\"ms\") { Region r; RETURN "
                    "MAX(Region_delay(p, r, t) WHERE r IN all); }");
  run.region(0, 10, 13, "short");
  run.region(0, 20, 29, "long");
  EXPECT_THAT(measured.at(100), ElementsAre("p0=9"));
}

TEST(Region, OfOneThatIsOpenAtTheReadingThePartUntilThenCounts) {
  ObservedRun run;
  Measured measured(run, "M", sent);
  run.write(0, 11, 12, 10);
  run.open(0, 10, "r");
  EXPECT_THAT(measured.at(15), ElementsAre("p0+r=10"));
  run.write(0, 16, 17, 100);
  run.region(0, 10, 20, "r");
  EXPECT_THAT(measured.at(30), ElementsAre("p0+r=110"));
  EXPECT_THAT(measured.at(40), ElementsAre("p0+r=110")) << "once, and not once more when it has ended";
}

TEST(Region, ItsTimeGrowsWhileItIsOpen) {
  ObservedRun run;
  Measured measured(run, "M", time_in, since_last());
  run.open(0, 10, "r");
  EXPECT_THAT(measured.at(15), ElementsAre("p0+r=5"));
  run.open(0, 10, "r");
  EXPECT_THAT(measured.at(18), ElementsAre("p0+r=3"));
  run.region(0, 10, 20, "r");
  EXPECT_THAT(measured.at(30), ElementsAre("p0+r=2"));
}

TEST(Region, OfAProcessThatHasEndedNoneIsOpen) {
  ObservedRun run;
  Measured measured(run, "M", time_in);
  run.region(0, 5, 7, "r");
  run.end(0);
  run.open(0, 10, "r");
  EXPECT_THAT(measured.at(15), ElementsAre("p0+r=2"));
}

// The view reports that it was open just before its record was read.
TEST(Region, OneThatEndedWhileItWasReadCountsOnce) {
  ObservedRun run;
  Measured measured(run, "M", sent);
  run.write(0, 11, 12, 10);
  run.open(0, 10, "r");
  run.region(0, 10, 20, "r");
  EXPECT_THAT(measured.at(30), ElementsAre("p0+r=10"));
}

TEST(Region, OfOneThatBeganBeforeTheMeasurementThePartFromThenOnCounts) {
  ObservedRun run;
  Measured volume(run, "M", sent);
  run.write(0, 0.2, 0.4, 1);
  run.write(0, 2, 3, 10);
  run.region(0, 0.1, 5, "r");
  EXPECT_THAT(volume.at(10), ElementsAre("p0+r=10"));
  Measured time(run, "M", time_in);
  run.region(0, 0.1, 5, "r");
  EXPECT_THAT(time.at(10), ElementsAre("p0+r=4"));
}

TEST(Region, WholeRegionsCountOnceTheyHaveEndedWithWhatWasBefore) {
  ObservedRun run;
  Measured volume(run, "M", sent, cut(CutRegions::whole));
  run.write(0, 0.2, 0.4, 1);
  run.write(0, 2, 3, 10);
  run.open(0, 0.1, "r");
  EXPECT_THAT(volume.at(4), IsEmpty()) << "it is not known before it ends";
  run.region(0, 0.1, 5, "r");
  EXPECT_THAT(volume.at(10), ElementsAre("p0+r=11"));
  Measured time(run, "M", time_in, cut(CutRegions::whole));
  run.region(0, 0.5, 5, "r");
  EXPECT_THAT(time.at(10), ElementsAre("p0+r=4.5"));
}

TEST(Region, RegionsThatAreLeftOutCountNothingIfTheyAreCutOff) {
  ObservedRun run;
  Measured volume(run, "M", sent, cut(CutRegions::left_out));
  run.write(0, 2, 3, 10);
  run.region(0, 0.1, 5, "r");
  run.write(0, 7, 8, 100);
  run.region(0, 6, 9, "r");
  run.write(0, 11, 12, 1000);
  run.open(0, 10, "r");
  EXPECT_THAT(volume.at(20), ElementsAre("p0+r=100"));
  run.region(0, 10, 21, "r");
  EXPECT_THAT(volume.at(30), ElementsAre("p0+r=1100"));
}

TEST(Region, ServersSendWhatTheyCountedInEach) {
  MetricLibrary library = MetricLibrary::shipped();
  ASSERT_THAT(library.add(sent), IsEmpty());
  const Definition definition = define(library.metrics(), library.find("M").value());
  ObservedRun run;
  DividedRun divided(definition, {}, 3, ObservedRun::ns(1), run.names);
  const auto values = [&](double at) {
    divided.add(run.view(at));
    divided.pull([](std::size_t) { return true; });
    std::vector<std::string> all;
    for (const auto& value : divided.measurement().read(ObservedRun::ns(at)))
      all.push_back(fmt::format("{}={}", fmt::join(value.objects, "+"), value.datum.number));
    return all;
  };
  for (std::uint32_t process = 0; process < 4; ++process) {
    run.write(process, 11, 12, 10 + process);
    run.open(process, 10, "r");
  }
  EXPECT_THAT(values(15), ElementsAre("p0+r=10", "p1+r=11", "p2+r=12", "p3+r=13"));
  run.write(1, 16, 17, 100);
  for (std::uint32_t process = 0; process < 4; ++process) run.region(process, 10, 20, "r");
  divided.servers()[2].start();
  EXPECT_THAT(values(30), ElementsAre("p0+r=10", "p1+r=111", "p2+r=12", "p3+r=13"));
  EXPECT_EQ(divided.records(), 0U);
}

TEST(Region, AtAProbeTheyAreRefused) {
  MetricLibrary library = MetricLibrary::shipped();
  ASSERT_THAT(library.add("M(Process p, Region r, VirtualTime vt) { PROBE end(Process, VirtualTime); RETURN "
                          "Send_count(p, r, [START, NOW]) AT end(p, vt); }"),
              IsEmpty());
  EXPECT_THAT([&] { (void)define(library.metrics(), library.find("M").value()); },
              ThrowsMessage<ConfigurationError>(HasSubstr("cannot be limited to regions")));
}

TEST(RegionCounts, OfManyEventsNeighboursAreJoinedAndNoneIsLost) {
  constexpr std::uint64_t events = 5 * RegionCounts::max_waiting;
  RegionCounts counts;
  for (std::uint64_t i = 1; i <= events; ++i) counts.add(1, std::nullopt, {10 * i, 10 * i + 5}, 1.0);
  counts.end(1, 7, {0, 10 * events + 9});
  EXPECT_EQ(counts.sum({1}, {7}, nullptr).total(), static_cast<double>(events));
  EXPECT_EQ(counts.left_out(), 0U);
}

TEST(RegionCounts, ARegionThatBeginsAmidJoinedEventsSaysWhatItLacks) {
  constexpr std::uint64_t events = 5 * RegionCounts::max_waiting;
  RegionCounts counts;
  for (std::uint64_t i = 1; i <= events; ++i) counts.add(1, std::nullopt, {10 * i, 10 * i + 5}, 1.0);
  constexpr std::uint64_t began = 13;
  counts.end(1, 7, {10 * began - 1, 10 * events + 9});
  const double counted = counts.sum({1}, {7}, nullptr).total();
  EXPECT_GT(counts.left_out(), 0U);
  EXPECT_LT(counted, static_cast<double>(events - began + 1));
  EXPECT_GE(counted + static_cast<double>(counts.left_out()), static_cast<double>(events - began + 1));
}

TEST(RegionCountsTest, ThreadsAndResultsForWhichThereIsNoRoomAreCounted) {
  RegionCounts counts;
  for (std::uint32_t thread = 0; thread < RegionCounts::max_lists; ++thread)
    counts.add(thread, std::nullopt, {1, 2}, 1.0);
  EXPECT_EQ(counts.left_out(), 0U);
  counts.add(RegionCounts::max_lists, std::nullopt, {1, 2}, 1.0);
  EXPECT_EQ(counts.left_out(), 1U);
  counts.add(0, std::nullopt, {3, 4}, 1.0);
  EXPECT_EQ(counts.left_out(), 1U) << "of a thread that is known";
  for (std::uint32_t i = 0; i <= RegionCounts::max_counts; ++i) counts.add_region(0, i, 1.0);
  EXPECT_EQ(counts.left_out(), 2U);
  EXPECT_EQ(counts.all().size(), RegionCounts::max_counts);
}

TEST(Regions, ThoseBeyondTheOnesThatAreKnownAreCountedAsMissing) {
  ObservedRun run;
  Measured measured(run, "M", time_in);
  constexpr auto known = static_cast<int>(ObservedObjects::max_regions);
  for (int i = 0; i < known; ++i) run.region(0, 2, 3, fmt::format("r{}", i));
  (void)measured.at(10);
  EXPECT_EQ(measured->lost(), 0U);
  for (int i = 0; i < 3; ++i) run.region(0, 11, 12, fmt::format("more{}", i));
  (void)measured.at(20);
  EXPECT_EQ(measured->lost(), 3U);
}

TEST(InFlight, WhileOneLongWriteIsUnderWayThereIsNoZeroAndAfterwardsNoPeak) {
  const std::string rate =
      "M(Process p, TimeInterval t): Unit(\"MiB/s\") { RETURN RATE(Send_volume(p, t)); }";
  ObservedRun run;
  Measured measured(run, "M", rate, since_last());
  run.writing(0, 1001);
  EXPECT_THAT(measured.at(1001), ElementsAre("p0=0")) << "it has just begun";
  for (double at = 2001; at < 7000; at += 1000) {
    run.writing(0, 1001);
    EXPECT_THAT(measured.at(at), ElementsAre("p0=absent")) << at;
  }
  run.write(0, 1001, 7001, 900U << 20);
  EXPECT_THAT(measured.at(7001), ElementsAre("p0=150")) << "900 MiB in 6 s";
  EXPECT_THAT(measured.at(8001), ElementsAre("p0=0"));
}

TEST(InFlight, TheModeThatDividesByTheTimeKnowsIt) {
  MeasurementChoice choice = since_last();
  choice.per_second = true;
  ObservedRun run;
  Measured measured(run, "M", "M(Process p, TimeInterval t): Unit(\"B\") { RETURN Send_volume(p, t); }",
                    choice);
  EXPECT_THAT(measured.at(1001), IsEmpty());
  for (double at = 2001; at < 7000; at += 1000) {
    run.writing(0, 1001);
    EXPECT_THAT(measured.at(at), ElementsAre("p0=absent")) << at;
  }
  run.write(0, 1001, 7001, 600);
  EXPECT_THAT(measured.at(7001), ElementsAre("p0=100"));
}

TEST(InFlight, WhatElseEndedMeanwhileCounts) {
  ObservedRun run;
  Measured measured(run, "M", "M(Process p, TimeInterval t): Unit(\"B\") { RETURN Send_volume(p, t); }",
                    since_last());
  run.write(0, 2, 3, 5);
  EXPECT_THAT(measured.at(10), ElementsAre("p0=5"));
  run.writing(0, 9);
  run.write(0, 12, 13, 7, 1);
  EXPECT_THAT(measured.at(20), ElementsAre("p0=7"));
}

TEST(InFlight, ServersSayWhatIs) {
  MetricLibrary library = MetricLibrary::shipped();
  ASSERT_THAT(library.add("M(Process p, TimeInterval t): Unit(\"B\") { RETURN Send_volume(p, t); }"),
              IsEmpty());
  const Definition definition = define(library.metrics(), library.find("M").value());
  ObservedRun run;
  DividedRun divided(definition, since_last(), 2, ObservedRun::ns(1), run.names);
  const auto value = [&](double at) {
    divided.add(run.view(at));
    divided.pull([](std::size_t) { return true; });
    const auto all = divided.measurement().read(ObservedRun::ns(at));
    return all.empty()                 ? "none"
           : all[0].datum.is_present() ? fmt::format("{}", all[0].datum.number)
                                       : "absent";
  };
  run.write(0, 2, 3, 5);
  EXPECT_EQ(value(10), "5");
  run.writing(0, 9);
  EXPECT_EQ(value(20), "absent");
  run.write(0, 9, 25, 60);
  EXPECT_EQ(value(30), "60");
  EXPECT_EQ(value(40), "0");
}

/// Processes 0 and 1 are on nodes of the cluster east, 2 on a node of west, 3 on a node outside all clusters.
class NamesOfSites final : public test::NamesOfRun {
 public:
  [[nodiscard]] std::string_view node_of_process(std::uint32_t process) const override {
    constexpr std::array<std::string_view, 4> nodes{"e1", "e2", "w1", "n"};
    return nodes.at(process);
  }
  [[nodiscard]] std::string_view cluster_of_process(std::uint32_t process) const override {
    constexpr std::array<std::string_view, 4> clusters{"east", "east", "west", ""};
    return clusters.at(process);
  }
};

std::vector<std::string> measured_at_sites(const std::string& text) {
  MetricLibrary library = MetricLibrary::shipped();
  const auto faults = library.add(text);
  if (!faults.empty()) return {faults[0].text};
  const NamesOfSites names;
  Measurement measurement(define(library.metrics(), library.find("M").value()), {}, names);
  measurement.start(ObservedRun::ns(1));
  ObservedRun run;
  for (std::uint32_t process = 0; process < 4; ++process) run.write(process, 2, 3, 1U << process);
  measurement.take(run.view());
  std::vector<std::string> all;
  for (const auto& value : measurement.read(ObservedRun::ns(10)))
    all.push_back(fmt::format("{}={}", fmt::join(value.objects, "+"), value.datum.number));
  return all;
}

TEST(Site, ItIsTheSumOverItsNodes) {
  EXPECT_THAT(measured_at_sites("M(Site s, TimeInterval t): Unit(\"B\") { RETURN Send_volume(s, t); }"),
              ElementsAre("-=8", "east=3", "west=4"));
}

TEST(Site, ProcessesAndNodesKnowTheirs) {
  EXPECT_THAT(
      measured_at_sites("M(TimeInterval t): Unit(\"B\") { Process p; RETURN SUM(Send_volume(p, t) WHERE "
                        "p.site.name == \"east\" OR p.node.site.name == \"-\"); }"),
      ElementsAre("=11"));
}

TEST(Site, AnAggregateRangesOverThem) {
  EXPECT_THAT(
      measured_at_sites("M(Site[] all, TimeInterval t): Unit(\"B\") { Site s; RETURN MAX(Send_volume(s, "
                        "t) WHERE s IN all); }"),
      ElementsAre("=8"));
}

}  // namespace
}  // namespace eventspace::metrics

// The summary mode: one value over several objects, partners or regions, or a value for each of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include <eventspace/error.h>
#include "tests/error_text.h"
#include "tests/scopes/metrics/distribution/divided_run.h"

namespace eventspace::metrics {
namespace {

using test::DividedRun;
using test::ObservedRun;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SummaryTest : public testing::Test {
 protected:
  /// The values at 11 ms, evaluated in one place. Expects the same from two servers.
  std::vector<std::string> values(const std::string& text, const std::set<std::uint32_t>& each,
                                  const MeasurementChoice& choice = {}) {
    const Definition definition = test::defined("M", text, each);
    const View view = run.view(11);
    Measurement central(definition, choice, run.names);
    central.start(ObservedRun::ns(1));
    central.take(view);
    DividedRun divided(definition, choice, 2, ObservedRun::ns(1), run.names);
    divided.add(view);
    divided.pull([](std::size_t) { return true; });
    const auto one = texts(central);
    EXPECT_EQ(texts(divided.measurement()), one);
    EXPECT_EQ(divided.records(), 0U);
    return one;
  }

  ObservedRun run;

 private:
  static std::vector<std::string> texts(Measurement& measurement) {
    std::vector<std::string> all;
    for (const auto& value : measurement.read(ObservedRun::ns(11))) {
      std::string text = fmt::format("{}", fmt::join(value.objects, "+"));
      if (value.virtual_time) text += fmt::format("@{}", *value.virtual_time);
      all.push_back(text + fmt::format("={:.6g}", value.datum.number));
    }
    return all;
  }
};

TEST_F(SummaryTest, OverPartnersThereIsOneValueOrOneForEach) {
  const std::string text =
      "M(Process p, Process[] partners, TimeInterval t) { RETURN Send_volume(p, partners, t); }";
  const auto happen = [this] {
    run.write(0, 2, 3, 100, 0, 10);
    run.write(0, 3, 4, 7, 0, 20);
    run.write(1, 3, 4, 30, 0, 0);
    run.write(2, 3, 4, 1);
  };
  const MeasurementChoice some{.objects = {{0, "p[0-1]"}, {1, "p[1-2]"}}};
  happen();
  EXPECT_THAT(values(text, {}, some), ElementsAre("p0=107", "p1=0"));
  happen();
  EXPECT_THAT(values(text, {1}, some), ElementsAre("p0+p1=100", "p0+p2=7", "p1+p1=0", "p1+p2=0"));
}

TEST_F(SummaryTest, TheObjectsOfAMetricOverSeveralCanBeApartToo) {
  const std::string text =
      "M(Process[] procs, TimeInterval t) { Process p; RETURN MAX(Send_count(p, t) WHERE p IN procs AND "
      "p.rank "
      "< 2); }";
  for (const std::set<std::uint32_t>& each : {std::set<std::uint32_t>{}, {0}}) {
    run.write(0, 2, 3, 1);
    run.write(0, 3, 4, 1);
    run.write(1, 2, 3, 1);
    const auto all = values(text, each);
    if (each.empty()) {
      EXPECT_THAT(all, ElementsAre("=2"));
    } else {
      EXPECT_THAT(all, ElementsAre("p0=2", "p1=1"));
    }
  }
}

TEST_F(SummaryTest, AMetricThatIsUsedTakesTheOneObject) {
  const std::string text = "M(Process[] procs, TimeInterval t) { RETURN Mean_message_size(procs, t) / 1B; }";
  run.write(0, 2, 3, 10);
  run.write(0, 3, 4, 20);
  run.write(1, 2, 3, 8);
  EXPECT_THAT(values(text, {0}), ElementsAre("p0=15", "p1=8"));
}

TEST_F(SummaryTest, OfEachVirtualTimeThereIsAValueForEachObject) {
  const std::string text =
      "M(Process[] procs, VirtualTime vt) { PROBE end(Process, VirtualTime); Process p; RETURN "
      "MAX(Send_count(p, [START, NOW]) AT end(p, vt) WHERE p IN procs); }";
  run.write(0, 2, 3, 1);
  run.pass(0, 4, "end", 1);
  run.pass(1, 4, "end", 1);
  run.write(1, 5, 6, 1);
  run.pass(1, 7, "end", 2);
  run.pass(0, 7, "end", 2);
  EXPECT_THAT(values(text, {0}), ElementsAre("p0@1=1", "p0@2=1", "p1@1=0", "p1@2=1"));
}

TEST_F(SummaryTest, RegionsCanBeApart) {
  const std::string text =
      "M(Process p, Region[] regions, TimeInterval t) { RETURN Region_count(p, regions, t); }";
  run.region(0, 2, 3, "compute");
  run.region(0, 3, 4, "compute");
  run.region(0, 4, 5, "write");
  EXPECT_THAT(values(text, {1}), ElementsAre("p0+write=1", "p0+compute=2"));
}

TEST_F(SummaryTest, PartnersApartAtAProbeAreRefused) {
  const std::string text =
      "M(Process p, Process[] partners, VirtualTime vt) { PROBE end(Process, VirtualTime); RETURN "
      "Send_volume(p, partners, [START, NOW]) AT end(p, vt); }";
  EXPECT_NO_THROW(test::defined("M", text));
  EXPECT_THAT(test::error_text<ConfigurationError>([&] { (void)test::defined("M", text, {1}); }),
              HasSubstr("at the probe end, only values of the process that passes it can be used"));
}

}  // namespace
}  // namespace eventspace::metrics

// Metrics that share parts at servers: each gets its own results, as if it were alone.
#include "scopes/metrics/distribution/shared_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scopes/metrics/distribution/server_evaluation.h"
#include "scopes/metrics/distribution/token_codec.h"
#include "tests/scopes/metrics/distribution/divided_run.h"
#include "tests/scopes/metrics/distribution/random_metric.h"

namespace eventspace::metrics {
namespace {

using test::defined;
using test::DividedRun;
using test::ObservedRun;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

ServerPart part_of(std::string_view metric, const ObjectPatterns& objects = {},
                   CutRegions cut = CutRegions::partly) {
  return std::get<Division>(divide(defined(metric), objects, cut)).server;
}

std::vector<std::string> values_of(Measurement& measurement, double ms) {
  std::vector<std::string> all;
  for (const auto& value : measurement.read(ObservedRun::ns(ms))) {
    std::string text = test::exactly(value);
    all.push_back(text.substr(0, text.find(" at ")));
  }
  return all;
}

constexpr auto arrives = [](std::size_t) { return true; };

TEST(SharedParts, EqualUnitsOfTwoMetricsAreThereOnce) {
  const SharedParts shared(
      {part_of("Mean_iteration_time"), part_of("Slowest_iteration"), part_of("Iteration_time_deviation")});
  ASSERT_THAT(shared.parts(), SizeIs(1));
  const Definition& whole = shared.parts()[0].definition;
  EXPECT_THAT(whole.samplers, SizeIs(1)) << "the time at iteration_end";
  EXPECT_THAT(whole.collections, SizeIs(4)) << "sum, number, greatest and deviation of iteration times";
  ASSERT_THAT(shared.requesters()[0], SizeIs(3));
  EXPECT_THAT(shared.requesters()[0][1].collections, ElementsAre(std::pair(2U, 0U)));
  EXPECT_THAT(shared.requesters()[0][2].collections, ElementsAre(std::pair(3U, 0U)));
}

TEST(SharedParts, OtherObjectsOrCutRegionsAreNotTheSame) {
  const SharedParts patterns({part_of("Mean_iteration_time"), part_of("Mean_iteration_time", {{0, "p0"}})});
  ASSERT_THAT(patterns.parts(), SizeIs(1));
  EXPECT_THAT(patterns.parts()[0].definition.samplers, SizeIs(1)) << "at the probe, no object is chosen yet";
  EXPECT_THAT(patterns.parts()[0].definition.collections, SizeIs(4));
  const SharedParts cuts({part_of("Time_in_region"), part_of("Time_in_region", {}, CutRegions::whole)});
  EXPECT_THAT(cuts.parts(), SizeIs(2));
}

TEST(SharedParts, WhatIsMoreThanAServerTakesStaysApart) {
  std::vector<ServerPart> parts;
  std::string text;
  for (int i = 0; i < 6; ++i) {
    std::string sum = "0";
    for (int k = 0; k < 60; ++k) sum += fmt::format(" + Event_count(p, \"bytes == {}\", t)", 100 * i + k);
    text = fmt::format("M(Process p, TimeInterval t) {{ RETURN {}; }}", sum);
    parts.push_back(std::get<Division>(divide(defined("M", text), {})).server);
  }
  const SharedParts shared(parts);
  EXPECT_THAT(shared.parts(), SizeIs(6)) << "360 counters in one part are too many";
  for (std::uint32_t i = 0; i < 6; ++i) EXPECT_EQ(shared.requesters()[i][0].metric, i);
}

TEST(SharedParts, AUnitSendsOnceAndEachRequesterGetsItsOwn) {
  ObservedRun run;
  DividedRun divided({defined("Operations_per_second"), defined("Mean_message_size"), defined("Loop_Counter"),
                      defined("Loop_Counter")},
                     {{}, {}, {.objects = {{0, "p1"}}}, {}}, 1, ObservedRun::ns(1), run.names);
  run.write(0, 2, 3, 2048);
  run.write(1, 2, 3, 0);
  run.pass(0, 4, "iteration_end", 1);
  run.pass(1, 5, "iteration_end", 1);
  run.pass(1, 6, "iteration_end", 2);
  divided.add(run.view());
  divided.pull(arrives);
  EXPECT_EQ(divided.parcels(), 1U);
  EXPECT_THAT(values_of(divided.measurement(0), 11), ElementsAre("=200"));
  EXPECT_THAT(values_of(divided.measurement(1), 11), ElementsAre("=1024"));
  EXPECT_THAT(values_of(divided.measurement(2), 11), ElementsAre("p1=2"));
  EXPECT_THAT(values_of(divided.measurement(3), 11), ElementsAre("p0=1", "p1=2"));
}

TEST(SharedParts, WhatIsSaidOfAProbeConcernsThoseThatNeedIt) {
  ObservedRun run;
  const std::string other =
      "Turns(Process p, TimeInterval t) { PROBE turn(Process, VirtualTime); VirtualTime vt; Value[] v; "
      "v[vt] = 1 AT turn(p, vt); RETURN SUM(v[vt] WHERE v[vt].time IN t); }";
  DividedRun divided({defined("Loop_Counter"), defined("Turns", other)}, {{}, {}}, 1, ObservedRun::ns(1),
                     run.names);
  run.pass(0, 2, "iteration_end", 1);
  run.pass(0, 3, "iteration_end", 1);
  divided.add(run.view());
  divided.pull(arrives);
  EXPECT_EQ(divided.measurement(0).repeated(), 1U);
  EXPECT_EQ(divided.measurement(1).repeated(), 0U);
  EXPECT_THAT(divided.measurement(0).silent_probes(), IsEmpty());
  EXPECT_THAT(divided.measurement(1).silent_probes(), ElementsAre("turn"));
}

TEST(SharedParts, WhatIsGivenUpConcernsThoseThatWaitedForIt) {
  ObservedRun run;
  const std::string both =
      "Length(Process p, TimeInterval t) { PROBE iteration_begin(Process, VirtualTime); "
      "PROBE iteration_end(Process, VirtualTime); VirtualTime vt; Value[] v; "
      "v[vt] = Time(NOW) AT iteration_end(p, vt) - Time(NOW) AT iteration_begin(p, vt); "
      "RETURN SUM(v[vt] WHERE v[vt].time IN t); }";
  DividedRun divided({defined("Loop_Counter"), defined("Length", both)}, {{}, {}}, 1, ObservedRun::ns(1),
                     run.names);
  run.pass(0, 2, "iteration_begin", 0);
  for (std::uint64_t i = 1; i < Evaluator::max_waiting + 2; ++i)
    run.pass(0, 2 + 0.001 * static_cast<double>(i), "iteration_end", i);
  divided.add(run.view());
  divided.pull(arrives);
  EXPECT_EQ(divided.measurement(0).given_up(), 0U);
  EXPECT_GT(divided.measurement(1).given_up(), 0U);
}

TEST(SharedParts, AServerThatIsStartedAnewIsSaidToAll) {
  ObservedRun run;
  DividedRun divided({defined("Loop_Counter"), defined("Operations_per_second")}, {{}, {}}, 1,
                     ObservedRun::ns(1), run.names);
  run.write(0, 2, 3, 1);
  divided.add(run.view());
  divided.pull(arrives);
  divided.servers()[0].start();
  run.write(0, 4, 5, 1);
  divided.add(run.view());
  divided.pull(arrives);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(divided.measurement(i).restarts(), 1U) << i;
  EXPECT_THAT(values_of(divided.measurement(1), 11), ElementsAre("=200"));
}

// The number of values at a probe in each virtual time, over the processes that have reached it. Servers send
// these values.
std::string arrivals_at(std::string_view probe) {
  return fmt::format(
      "M(Process[] procs, VirtualTime vt) {{ PROBE {0}(Process, VirtualTime); Process p; Value[] a; "
      "a[p] = 1 AT {0}(p, vt); RETURN COUNT(a[p] WHERE p IN procs); }}",
      probe);
}

TEST(SharedParts, WhatOneMetricHasNoRoomForIsNotMissingInAnother) {
  ObservedRun run;
  DividedRun divided({defined("M", arrivals_at("fast")), defined("M", arrivals_at("slow"))}, {{}, {}}, 1,
                     ObservedRun::ns(1), run.names);
  ASSERT_THAT(divided.shared().parts(), SizeIs(1));
  constexpr std::uint32_t processes = 6;
  constexpr std::uint64_t passages = 4000;
  constexpr std::uint64_t views = ServerEvaluation::max_waiting / (processes * passages) + 1;
  for (std::uint32_t process = 0; process < processes; ++process) run.pass(process, 2, "slow", 1);
  for (std::uint64_t view = 0; view < views; ++view) {
    for (std::uint64_t i = 1; i <= processes * passages; ++i)
      run.pass(static_cast<std::uint32_t>(i % processes), 3, "fast", view * processes * passages + i);
    divided.add(run.view());
    divided.pull([&](std::size_t) { return view + 1 == views; });
  }
  EXPECT_EQ(divided.measurement(0).lost(), ServerEvaluation::max_waiting / 2);
  EXPECT_EQ(divided.measurement(1).lost(), 0U);
  EXPECT_THAT(values_of(divided.measurement(1), 11), ElementsAre(fmt::format("@1={}", processes)));
}

// Also where one metric has several counters by region, which all miss the same regions.
TEST(SharedParts, RegionsThatAreTooManyAreNotMissingInMetricsWithoutRegions) {
  ObservedRun run;
  DividedRun divided(
      {defined("Time_in_region"), defined("Communication_share_of_region"), defined("Operations_per_second")},
      {{}, {}, {}}, 1, ObservedRun::ns(1), run.names);
  ASSERT_THAT(divided.shared().parts(), SizeIs(1));
  for (std::size_t i = 0; i < ObservedObjects::max_regions + 3; ++i)
    run.region(0, 2, 2.1, fmt::format("r{}", i));
  divided.add(run.view());
  divided.pull(arrives);
  EXPECT_EQ(divided.measurement(0).lost(), 3U);
  EXPECT_EQ(divided.measurement(1).lost(), 3U);
  EXPECT_EQ(divided.measurement(2).lost(), 0U);
}

TEST(SharedParts, EventsThatACounterLeavesOutAreMissingWhereItIsNeeded) {
  const Requester needs_it{0, {{3, 0}}};
  const Requester needs_others{1, {{4, 0}}};
  Tokens tokens;
  tokens.left_out = {{3, 7, 2}};
  EXPECT_THAT(routed(tokens, needs_it).left_out, ElementsAre(Tokens::LeftOut{0, 7, 2}));
  EXPECT_THAT(routed(tokens, needs_others).left_out, IsEmpty());
}

TEST(SharedParts, VirtualTimesThatASumAndACountGiveUpTogetherCountOnce) {
  const std::string length =
      "M(Process p, TimeInterval t) { PROBE iteration_begin(Process, VirtualTime); "
      "PROBE iteration_end(Process, VirtualTime); VirtualTime vt; Value[] v; "
      "v[vt] = Time(NOW) AT iteration_end(p, vt) - Time(NOW) AT iteration_begin(p, vt); ";
  const Definition mean = defined(
      "M", length + "RETURN SUM(v[vt] WHERE v[vt].time IN t) / COUNT(v[vt] WHERE v[vt].time IN t); }");
  const Definition number = defined("M", length + "RETURN COUNT(v[vt] WHERE v[vt].time IN t); }");
  ObservedRun run;
  DividedRun divided({mean, number}, {{}, {}}, 1, ObservedRun::ns(1), run.names);
  Measurement centralised(mean, {}, run.names);
  centralised.start(ObservedRun::ns(1));
  run.pass(0, 2, "iteration_begin", 0);
  for (std::uint64_t i = 1; i < Evaluator::max_waiting + 5; ++i)
    run.pass(0, 2 + 0.001 * static_cast<double>(i), "iteration_end", i);
  const View view = run.view();
  divided.add(view);
  divided.pull(arrives);
  centralised.take(view);
  (void)centralised.read(ObservedRun::ns(11));
  ASSERT_GT(centralised.given_up(), 0U);
  EXPECT_EQ(divided.measurement(0).given_up(), centralised.given_up());
  EXPECT_EQ(divided.measurement(1).given_up(), centralised.given_up()) << "it needs the count only";
}

TEST(SharedParts, TokensOfUnknownPartsAreRefused) {
  const SharedParts shared({part_of("Loop_Counter")});
  Tokens tokens;
  tokens.metric = 1;
  View view;
  view.parcels.push_back({ViewParcel::Of::metric, encode(tokens)});
  EXPECT_EQ(shared.deliver(view, {}), 1U);
  view.parcels[0].body.clear();
  EXPECT_EQ(shared.deliver(view, {}), 1U) << "malformed";
}

TEST(SharedParts, WhatARequesterDidNotAskForIsNotRoutedToIt) {
  const SharedParts shared({part_of("Loop_Counter")});
  const Requester& requester = shared.requesters()[0][0];
  ASSERT_THAT(requester.counters, IsEmpty());
  Tokens tokens;
  tokens.counts = {{0, {0, 0}, std::nullopt, 5.0}};
  tokens.in_flight = {{0, {0, 0}, 5}};
  EXPECT_THAT(routed(tokens, requester).counts, IsEmpty());
  EXPECT_THAT(routed(tokens, requester).in_flight, IsEmpty());
  ObservedRun run;
  Measurement measurement(
      std::get<Division>(divide(defined("Loop_Counter"), {}, CutRegions::partly)).front_end, {}, run.names);
  measurement.start(ObservedRun::ns(1));
  View view;
  view.parcels.push_back({ViewParcel::Of::metric, encode(tokens)});
  EXPECT_EQ(shared.deliver(view, {&measurement}), 0U);
  EXPECT_EQ(measurement.lost(), 0U) << "nothing came that it does not know";
  EXPECT_THAT(values_of(measurement, 11), IsEmpty());
}

}  // namespace
}  // namespace eventspace::metrics

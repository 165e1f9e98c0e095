#include "scopes/metrics/distribution/division.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <eventspace/error.h>
#include "scopes/metrics/distribution/token_codec.h"
#include "scopes/tree/scope_tree.h"
#include "tests/scopes/metrics/distribution/divided_run.h"

namespace eventspace::metrics {
namespace {

using test::defined;
using test::DividedRun;
using test::ObservedRun;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Division division_of(std::string_view metric, const std::string& text = "") {
  return std::get<Division>(divide(defined(metric, text), {}));
}

TEST(DivisionTest, WhatIsReadAtAReadingIsSentAsCounts) {
  const Division division = division_of("Communication_share");
  EXPECT_THAT(division.server.counters, SizeIs(1));
  EXPECT_THAT(division.server.samplers, IsEmpty());
  EXPECT_THAT(division.server.definition.collections, IsEmpty());
}

TEST(DivisionTest, AnAggregateOverTheIterationsOfAProcessIsSentAsOne) {
  const Division division = division_of("Mean_iteration_time");
  EXPECT_THAT(division.server.samplers, IsEmpty());
  EXPECT_THAT(division.server.definition.streams, IsEmpty());
  EXPECT_THAT(division.server.definition.collections, SizeIs(2)) << "SUM and COUNT";
}

TEST(DivisionTest, WhereProcessesMeetTheirValuesAreSent) {
  const Division division = division_of("Max_comm_delay_per_loop_execution");
  EXPECT_THAT(division.server.samplers, IsEmpty());
  EXPECT_THAT(division.server.definition.streams, SizeIs(1));
  EXPECT_THAT(division.server.definition.collections, IsEmpty());
  EXPECT_THAT(division.server.counters, IsEmpty()) << "they are read at the probe only";
}

TEST(DivisionTest, WhereTheObjectOfAProbeIsNotKnownItsSamplesAreSent) {
  const Division division = division_of("Load_imbalance_at_barrier");
  EXPECT_FALSE(division.server.samplers.empty()) << "those of the process of rank 0";
}

TEST(DivisionTest, PartnersAtAProbeAreAReasonAgainstIt) {
  const auto made = divide(defined("Send_volume_for_interaction"), {});
  EXPECT_EQ(std::get<Reason>(made), Reason::partners);
}

TEST(DivisionTest, AllOtherShippedMetricsAreDivided) {
  for (const Metric& metric : MetricLibrary::shipped().metrics()) {
    const auto made = divide(defined(metric.name), {});
    const bool has_partners = metric.name.starts_with("Send_volume_for_interaction");
    EXPECT_EQ(std::holds_alternative<Division>(made), !has_partners)
        << metric.name << ": "
        << (std::holds_alternative<Reason>(made) ? to_string(std::get<Reason>(made)) : "");
  }
}

TEST(DivisionTest, TimesOfTheClockAreNotMultiplied) {
  const auto made = divide(defined("M",
                                   "M(Process p, VirtualTime vt) { PROBE e(Process, VirtualTime); "
                                   "RETURN (Time(NOW) * 2) AT e(p, vt); }"),
                           {});
  EXPECT_EQ(std::get<Reason>(made), Reason::several_clocks);
}

TEST(DivisionTest, EachPlaceThatReadsEvaluatesOnce) {
  ScopeTree tree;
  tree.root.wrapper = "gather";
  for (const char* const node : {"n1", "n2"}) {
    ScopeNode server;
    server.wrapper = "gather";
    server.node = node;
    server.endpoint = std::string("tcp://") + node;
    for (int i = 0; i < 2; ++i) {
      ScopeNode read;
      read.wrapper = "read";
      server.children.push_back(read);
    }
    tree.root.children.push_back(server);
  }
  evaluate_at_servers(tree, PartsDescription{});
  EXPECT_EQ(tree.root.wrapper, "gather") << "nothing is read at the front-end";
  for (const ScopeNode& server : tree.root.children) {
    EXPECT_EQ(server.wrapper, "metric");
    EXPECT_FALSE(server.endpoint.empty());
    ASSERT_THAT(server.children, SizeIs(1));
    EXPECT_EQ(server.children[0].wrapper, "gather");
    EXPECT_TRUE(server.children[0].endpoint.empty());
    EXPECT_THAT(server.children[0].children, SizeIs(2));
  }
}

// --- tokens --------------------------------------------------------------------------------------

Tokens some_tokens() {
  Tokens tokens;
  tokens.metric = 3;
  tokens.server = 0xfedc'ba98'7654'3210;
  tokens.process = 2;
  tokens.threads = {{2, 20}, {2, 21}};
  tokens.counts = {{1, {2, 20}, std::nullopt, 3.5}, {4, {5, 50}, Partner{Partner::Kind::rank, 7}, -1e300}};
  tokens.values = {{6, {7, 70}, {1, -2}, Datum::at(2.5, 10, 20)}, {8, {9, 90}, {0, 3}, {}}};
  Tally tally(Aggregate::percentile, 50.0);
  for (const double number : {3.0, 1.0, 2.0}) tally.add(Datum::at(number, 5, 6));
  tokens.reached = {{6, {7, 70}, {1, 5}}};
  tokens.collected = {{11, {12, 0}, tally.state()}};
  tokens.passed = {{0, 0}, {2, 5}};
  tokens.streams_given_up = {{6, 1, 6}};
  tokens.collections_given_up = {{11, 2, 10}};
  tokens.dropped = {{6, 3}};
  tokens.left_out = {{1, 4, 5}};
  return tokens;
}

TEST(TokenCodecTest, TokensSurvive) {
  const Tokens sent = some_tokens();
  const auto bytes = encode(sent);
  const auto read = decode_tokens(bytes);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(encode(*read), bytes);
  EXPECT_EQ(read->counts[1].partner, sent.counts[1].partner);
  EXPECT_EQ(read->values[0].step, sent.values[0].step);
  EXPECT_EQ(read->collected[0].state.kept, sent.collected[0].state.kept);
  EXPECT_EQ(read->collections_given_up, sent.collections_given_up);
  EXPECT_EQ(read->dropped, sent.dropped);
  EXPECT_EQ(read->left_out, sent.left_out);
}

TEST(TokenCodecTest, TokensThatAreCutShortAreRefused) {
  const auto bytes = encode(some_tokens());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(decode_tokens(Bytes(bytes).first(size)));
}

// --- servers -------------------------------------------------------------------------------------

class DividedMeasurementTest : public testing::Test {
 protected:
  static constexpr auto arrives = [](std::size_t) { return true; };

  void divide_metric(std::string_view metric, std::size_t servers, const std::string& text = "") {
    divided = std::make_unique<DividedRun>(defined(metric, text), MeasurementChoice{}, servers,
                                           ObservedRun::ns(1), run.names);
  }
  std::vector<std::string> at(double ms) {
    divided->add(run.view());
    divided->pull(arrives);
    return values(ms);
  }
  std::vector<std::string> values(double ms) {
    std::vector<std::string> all;
    for (const auto& value : divided->measurement().read(ObservedRun::ns(ms))) {
      std::string text = test::exactly(value);
      all.push_back(text.substr(0, text.find(" at ")));
    }
    return all;
  }

  ObservedRun run;
  std::unique_ptr<DividedRun> divided;
};

TEST_F(DividedMeasurementTest, NoEventTravels) {
  divide_metric("Mean_iteration_time", 2);
  for (std::uint32_t process = 0; process < 4; ++process) {
    for (int i = 0; i < 50; ++i) run.pass(process, 2 + i, "iteration_end", 1 + i);
  }
  EXPECT_THAT(at(60), SizeIs(4));
  EXPECT_EQ(divided->records(), 0U);
}

TEST_F(DividedMeasurementTest, EventsThatTheMetricDoesNotNeedAreFiltered) {
  for (const auto& [metric, needed, others] :
       {std::tuple("Loop_Counter", 2U, 4U), std::tuple("Mean_message_size", 4U, 2U)}) {
    divide_metric(metric, 1);
    for (int i = 0; i < 4; ++i) run.write(0, 2 + i, 2.5 + i, 100);  // a run, which Mean_message_size counts
    for (int i = 0; i < 2; ++i) run.pass(0, 7 + i, "iteration_end", 1 + i);
    divided->add(run.view(10));
    const View view = divided->servers()[0].pull(true);
    EXPECT_EQ(view.loss, (Loss{.filtered = others, .reduced = needed})) << metric;
  }
}

TEST_F(DividedMeasurementTest, EventsOfAViewThatDidNotArriveCountOnce) {
  divide_metric("Operations_per_second", 1);
  run.write(0, 2, 3, 1);
  divided->add(run.view());
  divided->pull([](std::size_t) { return false; });
  run.write(0, 4, 5, 1);
  EXPECT_THAT(at(11), ElementsAre("=200"));
}

TEST_F(DividedMeasurementTest, ValuesOfAViewThatDidNotArriveComeWithTheNext) {
  divide_metric("Loop_Counter", 1);
  run.pass(0, 2, "iteration_end", 1);
  divided->add(run.view());
  divided->pull([](std::size_t) { return false; });
  divided->pull([](std::size_t) { return false; });
  run.pass(0, 3, "iteration_end", 2);
  EXPECT_THAT(at(10), ElementsAre("p0=2"));
}

TEST_F(DividedMeasurementTest, AServerThatIsStartedAnewLosesNoCount) {
  divide_metric("Operations_per_second", 1);
  run.write(0, 2, 3, 1);
  (void)at(4);
  divided->servers()[0].start();
  run.write(0, 4, 5, 1);
  EXPECT_THAT(at(11), ElementsAre("=200"));
  EXPECT_EQ(divided->measurement().restarts(), 1U);
}

// The processes of a server that has not answered yet are not known. Once they are, aggregates over a virtual
// time wait for them.
TEST_F(DividedMeasurementTest, AServerThatJoinsLateBringsWhatItsProcessesDidSinceTheStart) {
  divide_metric("M", 2,
                "M(Process[] procs, VirtualTime vt) { PROBE end(Process, VirtualTime); Process p; "
                "RETURN SUM(1 AT end(p, vt) WHERE p IN procs); }");
  const auto only_first = [](std::size_t server) { return server == 0; };
  run.pass(0, 2, "end", 1);
  run.pass(1, 2, "end", 1);
  divided->add(run.view());
  divided->pull(only_first);
  EXPECT_THAT(values(3), ElementsAre("@1=1"));
  run.pass(0, 4, "end", 2);
  run.pass(1, 4, "end", 2);
  run.pass(0, 5, "end", 3);
  divided->add(run.view());
  divided->pull(arrives);
  EXPECT_THAT(values(6), ElementsAre("@2=2")) << "the third waits for the process that is known now";
  EXPECT_EQ(divided->measurement().restarts(), 0U);
}

TEST_F(DividedMeasurementTest, ValuesOfProbesThatAServerForgotMakeTheMetricIncomplete) {
  divide_metric("Iteration_time", 1);
  run.pass(0, 2, "iteration_end", 1);
  (void)at(3);
  EXPECT_EQ(divided->measurement().restarts(), 0U);
  divided->servers()[0].start();
  run.pass(0, 4, "iteration_end", 2);
  EXPECT_THAT(at(5), IsEmpty()) << "the new server does not know when the iteration began";
  EXPECT_EQ(divided->measurement().restarts(), 1U);
  run.pass(0, 7, "iteration_end", 3);
  EXPECT_THAT(at(8), ElementsAre(testing::StartsWith("p0@3=0.003")));
}

TEST_F(DividedMeasurementTest, ProbesThatNobodyPassesAreNamed) {
  divide_metric("Loop_Counter", 2);
  run.write(0, 2, 3, 1);
  EXPECT_THAT(at(10), ElementsAre("p0=0"));
  EXPECT_THAT(divided->measurement().silent_probes(), ElementsAre("iteration_end"));
  run.pass(0, 11, "iteration_end", 1);
  (void)at(12);
  EXPECT_THAT(divided->measurement().silent_probes(), IsEmpty());
}

TEST_F(DividedMeasurementTest, AThreadOfWhichNothingCountsHasAValueToo) {
  divide_metric("M", 1, "M(Thread t, TimeInterval time) { RETURN Event_count(t, \"bytes >= 100\", time); }");
  run.write(0, 2, 3, 10, 0);
  run.write(0, 3, 4, 200, 1);
  EXPECT_THAT(at(10), ElementsAre("t0=0", "t1=1"));
}

TEST_F(DividedMeasurementTest, InASubscriptionServersSendOnlyNews) {
  divided = std::make_unique<DividedRun>(defined("Loop_Counter"), MeasurementChoice{}, 2, ObservedRun::ns(1),
                                         run.names, true);
  run.pass(0, 2, "iteration_end", 1);
  run.pass(1, 2, "iteration_end", 1);
  EXPECT_THAT(at(3), ElementsAre("p0=1", "p1=1"));
  EXPECT_EQ(divided->parcels(), 2U);
  EXPECT_THAT(at(4), ElementsAre("p0=1", "p1=1"));
  EXPECT_EQ(divided->parcels(), 0U);
  run.pass(1, 5, "iteration_end", 2);
  EXPECT_THAT(at(6), ElementsAre("p0=1", "p1=2"));
  EXPECT_EQ(divided->parcels(), 1U) << "of the server of p1";
}

TEST_F(DividedMeasurementTest, InASubscriptionLostNewsIsSentAgain) {
  divided = std::make_unique<DividedRun>(defined("Loop_Counter"), MeasurementChoice{}, 1, ObservedRun::ns(1),
                                         run.names, true);
  run.pass(0, 2, "iteration_end", 1);
  divided->add(run.view());
  divided->pull([](std::size_t) { return false; });
  EXPECT_THAT(at(3), ElementsAre("p0=1"));
  EXPECT_EQ(divided->parcels(), 1U);
}

TEST_F(DividedMeasurementTest, InASubscriptionTheBeginOfAnOperationIsNews) {
  divided = std::make_unique<DividedRun>(defined("Communication_share"), MeasurementChoice{}, 1,
                                         ObservedRun::ns(1), run.names, true);
  run.write(0, 2, 3, 1);
  (void)at(4);
  (void)at(5);
  EXPECT_EQ(divided->parcels(), 0U);
  run.writing(0, 6);
  (void)at(7);
  EXPECT_EQ(divided->parcels(), 1U);
  run.writing(0, 6);
  (void)at(8);
  EXPECT_EQ(divided->parcels(), 0U) << "it is still in flight";
  (void)at(9);
  EXPECT_EQ(divided->parcels(), 1U) << "it is not";
}

TEST_F(DividedMeasurementTest, RepeatedPassagesAreCounted) {
  divide_metric("Loop_Counter", 1);
  run.pass(0, 2, "iteration_end", 1);
  run.pass(0, 3, "iteration_end", 1);
  EXPECT_THAT(at(10), ElementsAre("p0=1"));
  EXPECT_EQ(divided->measurement().repeated(), 1U);
}

}  // namespace
}  // namespace eventspace::metrics

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "monitors/tune/front_plot.h"
#include "monitors/tune/report.h"
#include "tests/lines.h"

namespace eventspace::tune {
namespace {

using testing::HasSubstr;
using testing::Not;

Outcome three_trees() {
  Outcome outcome;
  outcome.scope = "cluster-view";
  outcome.goal.max_slowdown = 1.05;
  outcome.candidates = 40;
  outcome.slice = std::chrono::milliseconds(250);
  outcome.tried = {
      {"all > node > thread", Estimate{{400, 1.03}, 1.01, 1.05, 5}, std::nullopt, "", true},
      {"all", Estimate{{900, 1.12}, 1.1, 1.15, 5}, Figures{850, 1.1}, "", false},
      {"all > node", Estimate{{700, 1.04}, 1.02, 1.05, 6}, Figures{731.25, 1.05}, "", false, Priority::idle},
      {"all > cluster > node", std::nullopt, Figures{500, 1.02}, "not whole: server of node b1 (no answer)",
       false}};
  outcome.best = 2;
  return outcome;
}

std::string table(const Outcome& outcome, Format format) {
  std::ostringstream out;
  print_table(out, outcome, format);
  return out.str();
}

std::string summary(const Outcome& outcome) {
  std::ostringstream out;
  print_summary(out, outcome);
  return out.str();
}

TEST(TuneReport, HasTheBestFirstInText) {
  EXPECT_EQ(
      table(three_trees(), Format::text),
      R"(rate   slowdown  slowdown_low  slowdown_high  pairs  predicted_rate  predicted_slowdown  front  meets  doubt  needs_s  best  given  scope                 priority  unusable
700.0  1.040     1.020         1.050          6      731.2           1.050               front  meets  -      -        best  -      all > node            idle
400.0  1.030     1.010         1.050          5      -               -                   front  meets  -      -        -     given  all > node > thread   low
900.0  1.120     1.100         1.150          5      850.0           1.100               front  -      -      -        -     -      all                   low
-      -         -             -              0      500.0           1.020               -      -      -      -        -     -      all > cluster > node  low       not whole: server of node b1 (no answer)
)");
}

TEST(TuneReport, HasItsNamesFirstInCsv) {
  EXPECT_THAT(table(three_trees(), Format::csv),
              testing::StartsWith(
                  "rate,slowdown,slowdown_low,slowdown_high,pairs,predicted_rate,predicted_slowdown,"
                  "front,meets,doubt,needs_s,best,given,scope,priority,unusable\n700.0,1.04,1.02,1.05,6,"
                  "731.25,1.05,true,true,,,"
                  "true,false,all > node,idle,\n"));
}

TEST(TuneReport, HasAnObjectForEachTreeInJson) {
  std::istringstream lines(table(three_trees(), Format::json));
  std::string line;
  std::getline(lines, line);
  const auto best = nlohmann::json::parse(line);
  EXPECT_EQ(best["scope"], "all > node");
  EXPECT_EQ(best["rate"], 700.0);
  EXPECT_EQ(best["best"], true);
  EXPECT_TRUE(best["unusable"].is_null());
}

TEST(TuneReport, ShowsTheBestBesideTheGivenScope) {
  EXPECT_EQ(summary(three_trees()),
            "4 of 40 trees of scope cluster-view measured\n"
            "best: all > node with --priority idle: 700.0 pulls a second, slowdown 1.040 (1.020 to 1.050)\n"
            "as it is: all > node > thread: 400.0 pulls a second, slowdown 1.030 (1.010 to 1.050)\n");
}

// The best tree's interval contains the limit.
Outcome undecided() {
  Outcome outcome = three_trees();
  outcome.goal.max_slowdown = 1.3;
  outcome.tried = {{"all > node", Estimate{{700, 1.075}, 1.026, 2.027, 6}, std::nullopt, "", true}};
  outcome.best = 0;
  return outcome;
}

TEST(TuneReport, IsInconclusiveWhenTheIntervalContainsTheLimitAndSaysHowLongItNeeds) {
  EXPECT_EQ(undecided().verdict(), Verdict::inconclusive);
  EXPECT_EQ(summary(undecided()),
            "1 of 40 trees of scope cluster-view measured\n"
            "inconclusive: cannot tell whether the best tree meets the goal (slowdown of at most 1.300): all "
            "> node: 700.0 pulls a second, slowdown 1.075 (1.026 to 2.027)\n"
            "the interval of the slowdown contains the limit\n"
            "judging by its spread, it needs 108 pairs, another 51.0s; a search with --pairs 54 needs about "
            "--for 54s\n"
            "as it is: all > node: 700.0 pulls a second, slowdown 1.075 (1.026 to 2.027)\n");
}

TEST(TuneReport, AnInconclusiveTreeNeitherMeetsNorMissesInTables) {
  EXPECT_THAT(table(undecided(), Format::text),
              HasSubstr("  inconclusive  the limit is within the interval  51.0  "));
  const auto json = nlohmann::json::parse(table(undecided(), Format::json));
  EXPECT_TRUE(json["meets"].is_null());
  EXPECT_EQ(json["doubt"], "the limit is within the interval");
  EXPECT_EQ(json["needs_s"], 51.0);
  const auto decided = nlohmann::json::parse(
      table(three_trees(), Format::json).substr(0, table(three_trees(), Format::json).find('\n')));
  EXPECT_EQ(decided["meets"], true);
  EXPECT_TRUE(decided["doubt"].is_null());
  EXPECT_TRUE(decided["needs_s"].is_null());
}

TEST(TuneReport, AnApplicationThatWasFasterWhileWatchedIsInconclusiveAndNoNumberOfPairsIsNamed) {
  Outcome outcome = undecided();
  outcome.tried[0].measured = Estimate{{700, 0.45}, 0.33, 0.57, 6};
  EXPECT_EQ(outcome.verdict(), Verdict::inconclusive);
  EXPECT_THAT(summary(outcome),
              HasSubstr("inconclusive: cannot tell whether the best tree meets the goal (slowdown of at most "
                        "1.300): all > node: 700.0 pulls a second, slowdown 0.450 "
                        "(0.330 to 0.570)\nthe application was faster while it was watched, "));
  EXPECT_THAT(summary(outcome), Not(HasSubstr("it needs")));
  const auto json = nlohmann::json::parse(table(outcome, Format::json));
  EXPECT_TRUE(json["meets"].is_null());
  EXPECT_EQ(json["doubt"], "faster while watched");
  EXPECT_TRUE(json["needs_s"].is_null());
}

TEST(TuneReport, TooFewPairsAreInconclusiveAndTheirNumberIsNamed) {
  Outcome outcome = undecided();
  outcome.tried[0].measured = Estimate{{700, 1.1}, 1.0, 1.2, 2};
  EXPECT_THAT(summary(outcome), HasSubstr("2 pairs are too few for an interval; at least 5 are needed\n"
                                          "it needs 5 pairs, another 1.5s; a search with --pairs 3 needs"));
}

TEST(TuneReport, AnIntervalWiderThanTheLimitAllowsIsInconclusiveAndSaysHowLongItNeeds) {
  Outcome outcome = undecided();
  outcome.goal.max_slowdown = 1.05;
  outcome.tried[0].measured = Estimate{{700, 1.0}, 0.94, 1.04, 10};
  EXPECT_THAT(summary(outcome),
              HasSubstr("the interval of the slowdown is wider than the 0.050 that the limit "
                        "allows\njudging by its spread, it needs 40 pairs, "));
}

TEST(TuneVerdict, NeedsTheWholeIntervalOnOneSideOfTheLimit) {
  const Goal goal{1.3, std::nullopt};
  EXPECT_EQ(verdict_on(goal, {{10, 1.1}, 1.0, 1.3, 5}), Verdict::meets);
  EXPECT_EQ(verdict_on(goal, {{10, 1.1}, 1.0, 1.25, 4}), Verdict::inconclusive) << "too few pairs";
  EXPECT_EQ(verdict_on(goal, {{10, 1.5}, 1.31, 1.9, 4}), Verdict::inconclusive) << "too few pairs";
  EXPECT_EQ(verdict_on(goal, {{10, 1.5}, 1.31, 1.9, 5}), Verdict::misses);
  EXPECT_EQ(verdict_on(goal, {{10, 1.5}, 1.3, 1.9, 5}), Verdict::inconclusive);
  EXPECT_EQ(verdict_on(goal, {{10, 1.1}, 1.1, 1.1, 1}), Verdict::inconclusive) << "one pair has no interval";
}

TEST(TuneVerdict, ARateThatIsTooLowMissesWhateverTheSlowdown) {
  EXPECT_EQ(verdict_on({1.3, 100}, {{10, 1.1}, 1.0, 2.0, 5}), Verdict::misses);
  EXPECT_EQ(verdict_on({std::nullopt, 100}, {{110, 3}, 1.0, 5.0, 5}), Verdict::meets);
}

// Two pairs of a program that ran twice as fast while it was watched were once accepted.
TEST(TuneVerdict, IsInconclusiveWhereTheApplicationWasFasterWhileWatched) {
  const Goal goal{1.05, std::nullopt};
  EXPECT_EQ(doubt_on(goal, {{10, 0.45}, 0.33, 0.57, 2}), Doubt::few_pairs);
  EXPECT_EQ(doubt_on(goal, {{10, 0.45}, 0.33, 0.57, 20}), Doubt::faster);
  EXPECT_EQ(doubt_on({std::nullopt, 5}, {{10, 0.45}, 0.33, 0.57, 20}), Doubt::faster)
      << "its least is unknown";
  EXPECT_EQ(doubt_on(goal, {{10, 0.99}, 0.98, 1.0, 20}), Doubt::none);
  for (const std::size_t pairs : {2U, 20U})
    EXPECT_EQ(verdict_on(goal, {{10, 0.45}, 0.33, 0.57, pairs}), Verdict::inconclusive);
}

TEST(TuneVerdict, IsInconclusiveWhereTheIntervalIsWiderThanTheLimitAllows) {
  const Goal goal{1.05, std::nullopt};
  EXPECT_EQ(doubt_on(goal, {{10, 1.0}, 0.98, 1.04, 20}), Doubt::wide);
  EXPECT_EQ(doubt_on(goal, {{10, 1.0}, 0.99, 1.03, 20}), Doubt::none);
  EXPECT_EQ(verdict_on(goal, {{10, 1.0}, 0.98, 1.04, 20}), Verdict::inconclusive);
  EXPECT_EQ(verdict_on(goal, {{10, 1.5}, 1.2, 1.9, 20}), Verdict::misses) << "the whole interval is above";
}

TEST(TuneVerdict, MorePairsAreNeededTheCloserTheLimitIsAndTheWiderTheSpread) {
  const Goal goal{1.3, std::nullopt};
  EXPECT_EQ(pairs_needed(goal, {{10, 1.2}, 1.1, 1.6, 8}), 128U);  // four times as wide as far
  EXPECT_EQ(pairs_needed({1.25, std::nullopt}, {{10, 1.5}, 1.0, 1.6, 8}),
            32U);  // above the limit, the lower half counts
  EXPECT_EQ(pairs_needed(goal, {{10, 1.2}, 1.1, 1.31, 8}), 16U) << "at least twice as many";
  EXPECT_EQ(pairs_needed(goal, {{10, 1.1}, 1.0, 1.2, 8}), std::nullopt) << "it is decided";
  EXPECT_EQ(pairs_needed(goal, {{10, 1.3}, 1.1, 1.6, 8}), std::nullopt) << "no number is enough";
  EXPECT_EQ(pairs_needed(goal, {{10, 1.0}, 0.8, 1.2, 9}), 18U) << "a little too wide";
  EXPECT_EQ(pairs_needed(goal, {{10, 1.0}, 0.4, 1.0, 9}), 36U) << "twice too wide";
  EXPECT_EQ(pairs_needed(goal, {{10, 1.1}, 1.0, 1.2, 2}), 5U) << "the least for an interval";
  EXPECT_EQ(pairs_needed(goal, {{10, 0.9}, 0.8, 0.95, 9}), std::nullopt) << "faster while watched";
  EXPECT_EQ(pairs_needed({1.0, std::nullopt}, {{10, 1.0}, 0.9, 1.0, 9}), std::nullopt)
      << "nothing is allowed";
}

TEST(TuneReport, NamesTheNearestTreeWhenNoTreeMeetsTheGoal) {
  Outcome outcome = three_trees();
  outcome.goal = {1.02, 2000};
  outcome.best = 0;
  outcome.ended_early = "the time is up";
  outcome.left_out = 7;
  EXPECT_EQ(outcome.verdict(), Verdict::misses);
  EXPECT_THAT(
      summary(outcome),
      testing::StartsWith(
          "ended early: the time is up\n"
          "4 of 40 trees of scope cluster-view measured; 7 more were left out\n"
          "no tree meets the goal (slowdown of at most 1.020 and at least 2000.0 pulls a second); nearest: "
          "all > node > thread: 400.0 pulls a second, slowdown 1.030 (1.010 to 1.050)\n"));
}

TEST(TuneReport, ShowsThePrices) {
  Outcome outcome = three_trees();
  outcome.model.emplace(0);
  TreeWork work;
  work.on_the_way = work.in_all = {1, 1, 0, 0, 0, 0};
  outcome.model->add(work, {1000, 1.0});
  outcome.model->fit();
  EXPECT_THAT(summary(outcome), HasSubstr("a pull takes: pull 333us, hop 667us, "));
  EXPECT_THAT(summary(outcome), HasSubstr("a pull costs the application: nothing\n"));
}

TEST(TunePlot, HasAPointForEachMeasurementAndTheGoalAndTheFront) {
  const std::string svg = draw_front(three_trees()).svg();
  EXPECT_EQ(test::times_in(svg, "<circle"), 3U);
  EXPECT_THAT(svg, HasSubstr("best: all &gt; node</text>"));
  EXPECT_THAT(svg, HasSubstr("as it is: all &gt; node &gt; thread</text>"));
  EXPECT_THAT(svg, HasSubstr("stroke-dasharray"));
  EXPECT_THAT(svg, HasSubstr("observe rate (pulls a second)"));
  EXPECT_THAT(svg, HasSubstr("slowdown of the application"));
  EXPECT_THAT(svg, HasSubstr("<title>all &gt; node: "));
  // All three are on the front, the slowest first.
  EXPECT_THAT(svg, testing::ContainsRegex("points=\"[0-9.]+,[0-9.]+ [0-9.]+,[0-9.]+ [0-9.]+,[0-9.]+\" "
                                          "fill=\"none\" stroke=\"#3366cc\""));
}

TEST(TunePlot, DrawsASinglePoint) {
  Outcome outcome = three_trees();
  outcome.tried.resize(1);
  outcome.tried[0].measured->figures.slowdown = 1;
  outcome.goal = {std::nullopt, 400};
  outcome.best = 0;
  const std::string svg = draw_front(outcome).svg();
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
  EXPECT_THAT(svg, HasSubstr("best, as it is: all"));
}

}  // namespace
}  // namespace eventspace::tune

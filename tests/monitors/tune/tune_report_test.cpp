#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "monitors/tune/plot.h"
#include "monitors/tune/report.h"

namespace eventspace::tune {
namespace {

using testing::HasSubstr;
using testing::Not;

Outcome three_trees() {
  Outcome outcome;
  outcome.scope = "cluster-view";
  outcome.goal.max_slowdown = 1.05;
  outcome.candidates = 40;
  outcome.tried = {{"all > node > thread", Estimate{{400, 1.03}, 1.01, 1.05, 3}, std::nullopt, "", true},
                   {"all", Estimate{{900, 1.12}, 1.1, 1.15, 3}, Figures{850, 1.1}, "", false},
                   {"all > node", Estimate{{700, 1.04}, 1.02, 1.06, 6}, Figures{731.25, 1.05}, "", false},
                   {"all > cluster > node", std::nullopt, Figures{500, 1.02},
                    "not whole: server of node b1 (no answer)", false}};
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
      R"(rate   slowdown  slowdown_low  slowdown_high  pairs  predicted_rate  predicted_slowdown  front  meets  best  given  scope                 unusable
700.0  1.040     1.020         1.060          6      731.2           1.050               front  meets  best  -      all > node
400.0  1.030     1.010         1.050          3      -               -                   front  meets  -     given  all > node > thread
900.0  1.120     1.100         1.150          3      850.0           1.100               front  -      -     -      all
-      -         -             -              0      500.0           1.020               -      -      -     -      all > cluster > node  not whole: server of node b1 (no answer)
)");
}

TEST(TuneReport, HasItsNamesFirstInCsv) {
  EXPECT_THAT(table(three_trees(), Format::csv),
              testing::StartsWith(
                  "rate,slowdown,slowdown_low,slowdown_high,pairs,predicted_rate,predicted_slowdown,"
                  "front,meets,best,given,scope,unusable\n700.0,1.04,1.02,1.06,6,731.25,1.05,true,true,"
                  "true,false,all > node,\n"));
}

TEST(TuneReport, IsAnObjectATreeInJson) {
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
            "best: all > node: 700.0 pulls a second, slowdown 1.040 (1.020 to 1.060)\n"
            "as it is: all > node > thread: 400.0 pulls a second, slowdown 1.030 (1.010 to 1.050)\n");
}

TEST(TuneReport, NamesTheNearestWhenNoneIsAsWanted) {
  Outcome outcome = three_trees();
  outcome.goal = {1.02, 2000};
  outcome.best = 0;
  outcome.ended_early = "the time is up";
  outcome.left_out = 7;
  EXPECT_FALSE(outcome.met());
  EXPECT_THAT(summary(outcome),
              testing::StartsWith(
                  "ended early: the time is up\n"
                  "4 of 40 trees of scope cluster-view measured; 7 more were left out\n"
                  "none meets a slowdown of 1.020 at most and 2000.0 pulls a second at least; nearest: "
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
  EXPECT_THAT(summary(outcome), HasSubstr("a pull takes from the application: nothing\n"));
}

TEST(TunePlot, HasAPointForEachMeasurementAndTheGoalAndTheFront) {
  const std::string svg = plot_svg(three_trees());
  std::size_t points = 0;
  for (std::size_t at = svg.find("<circle"); at != std::string::npos; at = svg.find("<circle", at + 1))
    ++points;
  EXPECT_EQ(points, 3U);
  EXPECT_THAT(svg, HasSubstr("best: all &gt; node</text>"));
  EXPECT_THAT(svg, HasSubstr("as it is: all &gt; node &gt; thread</text>"));
  EXPECT_THAT(svg, HasSubstr("stroke-dasharray"));
  EXPECT_THAT(svg, HasSubstr("observe rate (pulls a second)"));
  EXPECT_THAT(svg, HasSubstr("slowdown of the application"));
  // All three are on the front, the slowest first.
  EXPECT_THAT(
      svg, testing::ContainsRegex("<polyline points=\"[0-9.]+,[0-9.]+ [0-9.]+,[0-9.]+ [0-9.]+,[0-9.]+ \""));
}

TEST(TunePlot, OfOnePointIsAPictureToo) {
  Outcome outcome = three_trees();
  outcome.tried.resize(1);
  outcome.tried[0].measured->figures.slowdown = 1;
  outcome.goal = {std::nullopt, 400};
  outcome.best = 0;
  const std::string svg = plot_svg(outcome);
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
  EXPECT_THAT(svg, HasSubstr("best, as it is: all"));
}

}  // namespace
}  // namespace eventspace::tune

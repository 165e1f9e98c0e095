#include "monitors/metrics/plots/metric_charts.h"

#include <gmock/gmock.h>
#include <stdlib.h>

#include <algorithm>
#include <cmath>

#include <eventspace/error.h>
#include "monitors/charts/chart.h"
#include "monitors/charts/plot_file.h"
#include "tests/lines.h"
#include "tests/monitors/metrics/readings/readings.h"
#include "tests/tuplespace/temporary_directory.h"

namespace eventspace {
namespace {

using test::reading_at;
using test::times_in;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// `objects` curves of 30 values.
PlotData waves(std::size_t objects, const std::string& unit = "ms") {
  PlotData data;
  for (int i = 0; i < 30; ++i) {
    std::vector<std::pair<std::string, double>> values;
    for (std::size_t p = 0; p < objects; ++p)
      values.emplace_back("p" + std::to_string(p),
                          12 + 5 * std::sin(0.3 * i + static_cast<double>(p)) + static_cast<double>(p));
    data.take(reading_at(i, values, unit));
  }
  return data;
}

PlotData pairs(std::size_t count) {
  PlotData data;
  MetricReading reading = reading_at(1, {}, "MiB/s");
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = 0; b < count; ++b) {
      metrics::MetricValue value;
      value.objects = {"p" + std::to_string(a), "p" + std::to_string(b)};
      value.datum = metrics::Datum::of(static_cast<double>((a * 7 + b * 3) % 11) * reading.unit.scale);
      reading.values.push_back(value);
    }
  }
  data.take(reading);
  return data;
}

std::string dot_of(const PlotData& data, ChartForm form) { return draw_charts(data, form).dot(); }

TEST(Charts, CurvesHaveAKeyAndAxes) {
  const std::string dot = dot_of(waves(3), ChartForm::curves);
  EXPECT_THAT(dot,
              AllOf(HasSubstr("-p0 "), HasSubstr("-p2 "), HasSubstr("-seconds since the measurement began"),
                    HasSubstr("-ms "), HasSubstr("L 30 ")));
  EXPECT_EQ(times_in(dot, "L 30 "), 3U);
  EXPECT_THAT(dot_of(waves(40), ChartForm::curves), HasSubstr("-32 more"));
  EXPECT_THAT(dot_of(waves(1), ChartForm::curves), HasSubstr("-M: p0"));
}

TEST(Charts, CurvesAreBrokenWhereValuesAreMissing) {
  PlotData data;
  for (int i = 0; i < 10; ++i) {
    MetricReading reading = reading_at(i, {{"whole", 1.0}, {"late", 2.0}});
    if (i == 4) reading.values[1].datum = metrics::Datum::wrong(metrics::Problem::divided_by_zero);
    if (i == 6) reading.values[1].datum = metrics::Datum::without(metrics::Datum::State::later);
    if (i == 8) reading.values.pop_back();
    data.take(reading);
  }
  const auto& series = data.metrics()[0].series;
  std::vector<double> behind_gaps;
  for (const PlotData::Point& point : series.at(1).points)
    if (point.is_behind_gap) behind_gaps.push_back(point.x);
  EXPECT_THAT(behind_gaps, testing::ElementsAre(5.0, 9.0)) << "what comes later is not missing";
  EXPECT_EQ(series.at(1).points.size(), 7U);
  EXPECT_TRUE(std::ranges::none_of(series.at(0).points, &PlotData::Point::is_behind_gap));
  const std::string dot = dot_of(data, ChartForm::curves);
  EXPECT_EQ(times_in(dot, "L 10 "), 1U) << "the whole curve";
  EXPECT_EQ(times_in(dot, "L 4 "), 1U) << "before the gap";
}

TEST(PlotData, KeepsGapsWhenItDropsPoints) {
  PlotData data;
  for (int i = 0; i < 5'000; ++i) {
    MetricReading reading = reading_at(i, {{"a", 1.0}});
    if (i == 1234) reading.values[0].datum = metrics::Datum::wrong(metrics::Problem::divided_by_zero);
    data.take(reading);
  }
  const auto& points = data.metrics()[0].series[0].points;
  const auto gap = std::ranges::find_if(points, &PlotData::Point::is_behind_gap);
  ASSERT_NE(gap, points.end());
  EXPECT_NEAR(gap->x, 1234, 32);
  EXPECT_EQ(std::ranges::count_if(points, &PlotData::Point::is_behind_gap), 1);
}

TEST(Charts, BarsShowTheNewestValuesAndSayWhatIsLeftOut) {
  EXPECT_THAT(dot_of(waves(4), ChartForm::bars), AllOf(HasSubstr("-p0 "), HasSubstr("-p3 ")));
  EXPECT_THAT(dot_of(waves(100), ChartForm::bars), HasSubstr("-M: the first 64 of 100"));
}

TEST(Charts, APieHasTheSharesAndPutsSmallOnesTogether) {
  PlotData data;
  data.take(reading_at(1, {{"a", 30}, {"b", 10}, {"c", 0}, {"d", -5}}, "B"));
  EXPECT_THAT(dot_of(data, ChartForm::pie), AllOf(HasSubstr("-a  30 B  (75.0 %)"),
                                                  HasSubstr("-b  10 B  (25.0 %)"), Not(HasSubstr("-c  "))));
  EXPECT_THAT(dot_of(waves(20), ChartForm::pie), HasSubstr("-13 others  "));
  PlotData none;
  none.take(reading_at(1, {{"a", 0}}));
  EXPECT_THAT(dot_of(none, ChartForm::pie), HasSubstr("no value above 0"));
}

TEST(Charts, AHistogramCountsAllValues) {
  EXPECT_THAT(dot_of(waves(4), ChartForm::histogram), HasSubstr("frequencies of 120 values"));
  PlotData one;
  one.take(reading_at(1, {{"a", 3}}));
  EXPECT_THAT(dot_of(one, ChartForm::histogram), HasSubstr("frequencies of 1 values"));
}

TEST(Charts, AMatrixHasARowAndAColumnForEachObject) {
  const std::string dot = dot_of(pairs(5), ChartForm::matrix);
  EXPECT_EQ(times_in(dot, "P 4 "), 25U + 32U) << "cells, and the key of colours";
  EXPECT_THAT(dot,
              AllOf(HasSubstr("rows to columns, in MiB/s"), HasSubstr("-10 MiB/s"), HasSubstr("-0 MiB/s")));
  EXPECT_THAT(dot_of(pairs(70), ChartForm::matrix), HasSubstr("the first 64 of 70"));
  EXPECT_THAT(dot_of(waves(3), ChartForm::matrix), HasSubstr("no value of two objects"));
}

TEST(Charts, SeveralMetricsHaveAChartEach) {
  PlotData data = waves(2);
  for (int i = 0; i < 20; ++i) {
    MetricReading reading = reading_at(1, {{"a", 3}});
    reading.metric = "N" + std::to_string(i);
    data.take(reading);
  }
  const Picture picture = draw_charts(data, ChartForm::curves);
  EXPECT_EQ(picture.height(), 12 * chart_height + 30);
  EXPECT_THAT(picture.dot(), HasSubstr("and 9 metrics"));
  EXPECT_THAT(dot_of(PlotData(), ChartForm::bars), HasSubstr("no value"));
}

TEST(PlotData, IsBoundedAndKeepsTheWholeTime) {
  PlotData data;
  for (int i = 0; i < 100'000; ++i) data.take(reading_at(i, {{"a", static_cast<double>(i)}}));
  const auto& points = data.metrics()[0].series[0].points;
  EXPECT_LT(points.size(), PlotData::max_points);
  EXPECT_EQ(points.front().x, 0.0);
  EXPECT_GT(points.back().x, 90'000.0);
  EXPECT_EQ(data.metrics()[0].series[0].newest, 99'999.0);
  PlotData many;
  std::vector<std::pair<std::string, double>> values;
  for (std::size_t i = 0; i < PlotData::max_series + 5; ++i)
    values.emplace_back("p" + std::to_string(i), 1.0);
  many.take(reading_at(0, values));
  EXPECT_EQ(many.metrics()[0].series.size(), PlotData::max_series);
  EXPECT_EQ(many.metrics()[0].left_out, 5U);
}

// With PICTURES=DIRECTORY the pictures are kept for inspection.
TEST(Charts, GraphvizPaintsEachForm) {
  if (std::system("command -v dot > /dev/null") != 0) GTEST_SKIP() << "Graphviz is not installed";
  const test::TemporaryDirectory directory;
  const char* const kept = ::getenv("PICTURES");
  const std::filesystem::path place = kept == nullptr ? directory.path() : std::filesystem::path(kept);
  const auto paint = [&](const PlotData& data, ChartForm form, const std::string& name) {
    for (const char* const extension : {".png", ".svg"}) {
      const auto file = place / (name + extension);
      write_plot(draw_charts(data, form), file);
      EXPECT_GT(std::filesystem::file_size(file), 1000U) << name;
    }
  };
  paint(waves(1), ChartForm::curves, "curve");
  paint(waves(12), ChartForm::curves, "curves");
  paint(waves(9), ChartForm::bars, "bars");
  paint(waves(12), ChartForm::pie, "pie");
  paint(waves(12), ChartForm::histogram, "histogram");
  paint(pairs(6), ChartForm::matrix, "matrix");
  paint(pairs(70), ChartForm::matrix, "large-matrix");
  // As many processes as a job often has.
  paint(waves(64), ChartForm::curves, "curves-64");
  paint(waves(64), ChartForm::bars, "bars-64");
  paint(waves(64), ChartForm::pie, "pie-64");
  paint(waves(64), ChartForm::histogram, "histogram-64");
  paint(pairs(64), ChartForm::matrix, "matrix-64");
}

}  // namespace
}  // namespace eventspace

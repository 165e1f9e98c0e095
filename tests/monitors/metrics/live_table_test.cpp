#include "monitors/metrics/live_table.h"

#include <gmock/gmock.h>

#include <cmath>

#include "monitors/text/unit_text.h"
#include "tests/monitors/metrics/readings/readings.h"

namespace eventspace {
namespace {

using test::reading_at;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using top::Charset;

TEST(Bars, ReachFromZeroToTheGreatest) {
  EXPECT_EQ(bars_of({0, 7, 3.5, 7}, Charset::utf8), "▁█▅█");
  EXPECT_EQ(bars_of({0, 7}, Charset::ascii), "_#");
  EXPECT_EQ(bars_of({-2, 0}, Charset::ascii), "_#");
  EXPECT_EQ(bars_of({0, 0}, Charset::ascii), "__");
  EXPECT_EQ(bars_of({}, Charset::ascii), "");
  EXPECT_EQ(bars_of({0, std::nan(""), 7}, Charset::ascii), "_ #") << "a value is missing";
}

TEST(WithUnit, ScalesBytesAndTimesAndNothingElse) {
  EXPECT_EQ(with_unit(22359639, "B/s"), "22.4 MB/s");
  EXPECT_EQ(with_unit(999, "B"), "999 B");
  EXPECT_EQ(with_unit(999'600, "B"), "1 MB");
  EXPECT_EQ(with_unit(-1500, "B*s"), "-1.5 kB*s");
  EXPECT_EQ(with_unit(1'000'000'000, "B/s^2"), "1 GB/s^2");
  EXPECT_EQ(with_unit(1000, "KiB/s"), "1000 KiB/s");
  EXPECT_EQ(with_unit(4096, "MiB"), "4 GiB");
  EXPECT_EQ(with_unit(12.3456, "ms"), "12.3456 ms");
  EXPECT_EQ(with_unit(1234.5, "ms"), "1.23 s");
  EXPECT_EQ(with_unit(0.000123456, "s"), "123 us");
  EXPECT_EQ(with_unit(0, "s"), "0 s");
  EXPECT_EQ(with_unit(1e6, "s/s"), "1000000 s/s");
  EXPECT_EQ(with_unit(22359639, "Bananas"), "22359639 Bananas");
  EXPECT_EQ(with_unit(22359639, "%"), "22359639 %");
  EXPECT_EQ(with_unit(22359639, ""), "22359639");
  EXPECT_EQ(with_unit(std::nan(""), "B"), "nan B");
}

TEST(LiveTable, ShowsValuesTheirHistoryAndTheTotal) {
  LiveTable table("measure app.yaml", Charset::utf8);
  table.take(reading_at(1, {{"p0", 1}, {"p1", 2}}, "ms"));
  table.take(reading_at(2, {{"p0", 4}, {"p1", 2.5}}, "ms"));
  const std::string text = table.draw({10, 90}).text();
  EXPECT_THAT(text, HasSubstr("measure app.yaml  2.0s"));
  EXPECT_THAT(text, HasSubstr("p0                          4 ms     ▃█\n"));
  EXPECT_THAT(text, HasSubstr("2.5 ms     ▇█\n"));
  EXPECT_THAT(text, HasSubstr("all 2                     6.5 ms     mean 3.25 ms, max 4 ms of p0\n"));
}

TEST(LiveTable, SaysWhyThereIsNoValue) {
  LiveTable table("t", Charset::ascii);
  EXPECT_THAT(table.draw({10, 80}).text(), HasSubstr("no value yet"));
  MetricReading reading = reading_at(1, {{"p0", 1}});
  reading.values[0].datum.problem = metrics::Problem::divided_by_zero;
  reading.lost = 7;
  table.take(reading);
  EXPECT_THAT(table.draw({10, 80}).text(),
              AllOf(HasSubstr("division by"), HasSubstr("incomplete: 7 records lost")));
}

TEST(LiveTable, ScrollsWhatDoesNotFit) {
  LiveTable table("t", Charset::ascii);
  std::vector<std::pair<std::string, double>> values;
  for (int i = 10; i < 30; ++i) values.emplace_back("p" + std::to_string(i), i);
  table.take(reading_at(1, values));
  EXPECT_THAT(table.draw({8, 60}).text(),
              AllOf(HasSubstr("p10"), Not(HasSubstr("p15")), HasSubstr("1-5 of 21")));
  table.press({top::KeyName::page_down});
  EXPECT_THAT(table.draw({8, 60}).text(),
              AllOf(Not(HasSubstr("p14")), HasSubstr("p15"), HasSubstr("6-10 of 21")));
  table.press({top::KeyName::end});
  EXPECT_THAT(table.draw({8, 60}).text(), AllOf(HasSubstr("all 20"), HasSubstr("17-21 of 21")));
  table.press({top::KeyName::up});
  table.press({top::KeyName::home});
  EXPECT_THAT(table.draw({8, 60}).text(), HasSubstr("1-5 of 21"));
}

TEST(LiveTable, LeavesColumnsOutInASmallWindowAndSaysWhatItNeedsInASmallerOne) {
  LiveTable table("t", Charset::ascii);
  table.take(reading_at(1, {{"p0", 4}, {"p1", 5}}, "ms"));
  const std::string small = table.draw({5, 32}).text();
  EXPECT_THAT(small,
              AllOf(HasSubstr("value"), HasSubstr("p0"), HasSubstr(" 4"), Not(HasSubstr("last values"))));
  EXPECT_THAT(table.draw({4, 32}).text(), HasSubstr("needs 32 x 5"));
  EXPECT_EQ(table.draw({1, 3}).size(), (top::Size{1, 3}));
}

TEST(LiveTable, KeepsTheNewestValuesAndNotes) {
  LiveTable table("t", Charset::ascii);
  for (int i = 0; i < 200; ++i) {
    table.take(reading_at(i, {{"p0", i < 199 ? 1.0 : std::nan("")}}));
    table.note("note " + std::to_string(i) + ".");
  }
  const std::string text = table.draw({20, 200}).text();
  EXPECT_THAT(text, AllOf(HasSubstr(" " + std::string(LiveTable::max_kept - 1, '#') + "\n"),
                          HasSubstr("note 199."), HasSubstr("note 195."), Not(HasSubstr("note 194."))));
}

TEST(LiveTable, EndsAndPausesByKeys) {
  LiveTable table("t", Charset::ascii);
  table.press({top::KeyName::character, "p"});
  EXPECT_TRUE(table.is_paused());
  EXPECT_THAT(table.draw({8, 60}).text(), HasSubstr("paused"));
  table.press({top::KeyName::character, "p"});
  EXPECT_FALSE(table.is_paused());
  table.press({top::KeyName::character, "q"});
  EXPECT_TRUE(table.is_over());
}

}  // namespace
}  // namespace eventspace

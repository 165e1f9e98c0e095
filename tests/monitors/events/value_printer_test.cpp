#include "monitors/events/value_printer.h"

#include <gmock/gmock.h>

#include <sstream>

namespace eventspace {
namespace {

using std::chrono::seconds;

Aggregate aggregate_of(Reduction reduction, std::initializer_list<double> numbers) {
  Aggregate aggregate;
  aggregate.name = "bytes";
  aggregate.group = "t1";
  aggregate.reduction = reduction;
  for (const double number : numbers) aggregate.add(number);
  return aggregate;
}

/// Returns the line of an aggregate, one second after the first pull.
std::string line_of(const Aggregate& aggregate, Format format, std::uint64_t lost = 0) {
  std::ostringstream out;
  ValuePrinter printer(out, format);
  out.str("");  // removes the names of the columns
  EXPECT_TRUE(printer.print({aggregate}, seconds(1), lost));
  return out.str();
}

TEST(ValuePrinterTest, HasTheLeastAndTheGreatestNumber) {
  const Aggregate mean = aggregate_of(Reduction::mean, {1, 5});
  EXPECT_EQ(line_of(mean, Format::json),
            "{\"time_s\":1.0,\"name\":\"bytes\",\"group\":\"t1\",\"reduction\":\"mean\",\"unit\":\"\","
            "\"value\":3.0,\"count\":2,\"min\":1.0,\"max\":5.0,\"lost\":0}\n");
  EXPECT_EQ(line_of(mean, Format::csv), "1.000000,bytes,t1,mean,,3,2,1,5,,,,0\n");
  EXPECT_EQ(line_of(mean, Format::text), "  1.0s  mean      bytes t1                  3  of 2, 1 to 5\n");
}

TEST(ValuePrinterTest, WithoutNumbersThereIsNoLeastAndNoGreatest) {
  Aggregate nothing = aggregate_of(Reduction::max, {});
  nothing.least = -7;  // a server can send any numbers
  nothing.greatest = 7;
  EXPECT_EQ(line_of(nothing, Format::json),
            "{\"time_s\":1.0,\"name\":\"bytes\",\"group\":\"t1\",\"reduction\":\"max\",\"unit\":\"\","
            "\"value\":0.0,\"count\":0,\"min\":null,\"max\":null,\"lost\":0}\n");
  EXPECT_EQ(line_of(nothing, Format::csv), "1.000000,bytes,t1,max,,0,0,,,,,,0\n");
  EXPECT_EQ(line_of(nothing, Format::text), "  1.0s  max       bytes t1                  0\n");
}

TEST(ValuePrinterTest, NoQuantileIsOutsideOfTheNumbers) {
  const Aggregate one = aggregate_of(Reduction::histogram, {1000});  // its bucket is 992 to 1023
  EXPECT_EQ(line_of(one, Format::csv), "1.000000,bytes,t1,histogram,,1000,1,1000,1000,1000,1000,1000,0\n");
  EXPECT_THAT(line_of(one, Format::text),
              testing::HasSubstr("of 1, 1000 to 1000, p50 1000, p90 1000, p99 1000"));
}

TEST(ValuePrinterTest, QuotesCommasAndQuotationMarksInCsv) {
  Aggregate aggregate = aggregate_of(Reduction::count, {2});
  aggregate.name = "bytes \"sent\"";
  aggregate.group = "t1, t2";
  EXPECT_EQ(line_of(aggregate, Format::csv),
            "1.000000,\"bytes \"\"sent\"\"\",\"t1, t2\",count,,1,1,2,2,,,,0\n");
}

TEST(ValuePrinterTest, ValuesInWhichEventsMayBeMissingAreIncomplete) {
  const Aggregate mean = aggregate_of(Reduction::mean, {1, 5});
  EXPECT_EQ(line_of(mean, Format::csv, 3), "1.000000,bytes,t1,mean,,3,2,1,5,,,,3\n");
  EXPECT_THAT(line_of(mean, Format::json, 3), testing::HasSubstr("\"lost\":3}"));
  EXPECT_THAT(line_of(mean, Format::text, 3), testing::HasSubstr("1 to 5  (incomplete: 3 records lost)\n"));
}

}  // namespace
}  // namespace eventspace

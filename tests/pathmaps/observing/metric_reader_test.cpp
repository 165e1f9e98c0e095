#include <eventspace/metric.h>

#include <gmock/gmock.h>

#include <map>
#include <string>

#include <eventspace/error.h>
#include "tests/pathmaps/observing/observed_pair.h"
#include "tests/pathmaps/observing/record_once.h"

namespace eventspace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

constexpr const char* writes =
    "Writes(Thread[] all, TimeInterval time) { RETURN Event_count(all, \"verb == 'write'\", time); }";

class MetricReaderTest : public test::ObservedPair {
 protected:
  static std::map<std::string, double> told(const std::vector<MetricSample>& samples) {
    std::map<std::string, double> values;
    for (const MetricSample& sample : samples)
      values[sample.objects.empty() ? "" : sample.objects[0]] = sample.value.value_or(-1);
    return values;
  }
  explicit MetricReaderTest(int kept = 8) : ObservedPair(kept) {}
  Monitor monitor_{Monitor::of_pathmap(pathmap_)};
};

// A session that keeps many events.
class LongMetricReaderTest : public MetricReaderTest {
 protected:
  LongMetricReaderTest() : MetricReaderTest(4096) {}
};

TEST_F(LongMetricReaderTest, ReadsAllEventsUntilNow) {
  write("a", 1500);
  MetricReader reader(monitor_, {.metric = "Writes", .text = writes});
  write("a", 2500);
  write("b", 1100);
  EXPECT_THAT(told(reader.read()), ElementsAre(Pair("", 3600)));
  EXPECT_EQ(reader.lost(), 0u);
}

// A condition drops most of the records that fill a pull.
TEST_F(LongMetricReaderTest, ReadsAllEventsThatItsConditionSelects) {
  MetricReader reader(
      monitor_,
      {.metric = "Late",
       .text =
           "Late(Thread[] all, TimeInterval time) { RETURN Event_count(all, \"sequence > 2990\", time); }"});
  write("a", 3000);
  EXPECT_THAT(told(reader.read()), ElementsAre(Pair("", 10)));
}

TEST_F(MetricReaderTest, CountsFromWhenItWasMade) {
  write("a", 1);
  MetricReader all(monitor_, {.metric = "Writes", .text = writes});
  MetricReader of_each(
      monitor_, {.metric = "Writes", .text = writes, .each = MetricQuery::Each::objects, .since_last = true});
  EXPECT_EQ(all.metric(), "Writes");
  EXPECT_EQ(all.unit(), "");
  write("a", 2);
  write("b", 3);
  EXPECT_THAT(told(all.read()), ElementsAre(Pair("", 5)));
  EXPECT_THAT(told(of_each.read()), ElementsAre(Pair("a", 2), Pair("b", 3)));
  write("a", 1);
  EXPECT_THAT(told(all.read()), ElementsAre(Pair("", 6)));
  EXPECT_EQ(told(of_each.read()).at("a"), 1);
  EXPECT_EQ(all.lost(), 0u);
}

TEST_F(MetricReaderTest, MeasuresARecordingFromItsBeginning) {
  write("a", 2);
  write("b", 1);
  test::record_once(directory_.path() / "run.evs", pathmap_);
  Monitor recorded = Monitor::of_recording(directory_.path() / "run.evs");
  const Events events = recorded.events({.threads = "a"});
  MetricReader reader(recorded, {.metric = "Writes", .text = writes, .objects = "a"});
  const std::int64_t between = *events[0].end_ns() + (*events[1].end_ns() - *events[0].end_ns()) / 2;
  EXPECT_THAT(told(reader.read_at(between)), ElementsAre(Pair("", 1)));
  EXPECT_THAT(told(reader.read()), ElementsAre(Pair("", 2)));
}

TEST_F(MetricReaderTest, ShippedMetricsNeedNoText) {
  MetricReader reader(monitor_, {.metric = "Operation_count"});
  write("a", 2);
  EXPECT_THAT(told(reader.read()), ElementsAre(Pair("p", 2)));
}

TEST_F(MetricReaderTest, FaultsHaveTheirPlace) {
  const auto refusal = [this](const MetricQuery& query) -> std::string {
    try {
      const MetricReader reader(monitor_, query);
    } catch (const ConfigurationError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(refusal({.metric = "Writes", .text = "Writes("}), HasSubstr("text:1:"));
  EXPECT_THAT(refusal({.metric = "Write", .text = writes}), HasSubstr("did you mean Writes?"));
  EXPECT_THAT(refusal({.metric = "Writes", .text = writes, .regions = "x"}), HasSubstr("regions: "));
  EXPECT_THAT(refusal({.metric = "Writes", .text = writes, .objects = "[a"}), HasSubstr("objects '[a'"));
}

}  // namespace
}  // namespace eventspace

#include "monitors/metrics/alerts.h"

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>

#include <eventspace/error.h>
#include "monitors/servers/shell_commands.h"
#include "tests/error_text.h"
#include "tests/monitors/metrics/readings/readings.h"
#include "tests/tuplespace/temporary_directory.h"

namespace eventspace {
namespace {

using std::chrono_literals::operator""s;
using std::chrono_literals::operator""ms;
using test::reading_at;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::string fault_of(const std::string& text, const std::string& unit = {}) {
  return test::error_text<ConfigurationError>([&] {
    check_unit(alert_rule(text), unit.empty() ? metrics::DisplayUnit{} : *metrics::display_unit(unit));
  });
}

TEST(AlertRule, IsAMetricARelationANumberAndATime) {
  const AlertRule rule = alert_rule("Imbalance > 0.3 for 5s");
  EXPECT_EQ(rule.metric, "Imbalance");
  EXPECT_EQ(rule.relation, AlertRule::Relation::more);
  EXPECT_EQ(rule.number, 0.3);
  EXPECT_EQ(rule.lasting, 5s);
  EXPECT_FALSE(rule.holds(0.3));
  EXPECT_TRUE(rule.holds(0.31));
}

TEST(AlertRule, ReadsUnitsWithAndWithoutBlanks) {
  EXPECT_DOUBLE_EQ(alert_rule("Iteration_time>=20ms").number, 0.02);
  EXPECT_DOUBLE_EQ(alert_rule("Send_bandwidth < 2 MiB/s for 500ms").number, 2.0 * 1024 * 1024);
  EXPECT_EQ(alert_rule("Send_bandwidth < 2 MiB/s for 500ms").lasting, 500ms);
  EXPECT_DOUBLE_EQ(alert_rule("Imbalance > 30%").number, 0.3);
  EXPECT_EQ(alert_rule("Loop_Counter == 1e3 iterations").number, 1000.0);
  EXPECT_EQ(alert_rule("M != -1").relation, AlertRule::Relation::unequal);
  EXPECT_EQ(alert_rule("M <= 1").relation, AlertRule::Relation::at_most);
}

TEST(AlertRule, SaysWhatIsWrong) {
  EXPECT_THAT(fault_of(""), HasSubstr("the name of the metric is missing; expected METRIC > NUMBER [UNIT]"));
  EXPECT_THAT(fault_of("> 3"), HasSubstr("the name of the metric is missing"));
  EXPECT_THAT(fault_of("M"), HasSubstr("found '' after the metric; expected one of < <= > >= == !="));
  EXPECT_THAT(fault_of("M = 3"), HasSubstr("found '= 3' after the metric"));
  EXPECT_THAT(fault_of("M > much"), HasSubstr("found 'much' after the relation; expected a number"));
  EXPECT_THAT(fault_of("M > 3 for"), HasSubstr("the time after 'for' is missing"));
  EXPECT_THAT(fault_of("M > 3 for ever"), HasSubstr("'ever' after 'for' is not a time"));
  EXPECT_THAT(fault_of("M > 3 \x01"), HasSubstr("is not a unit"));
}

TEST(AlertRule, ComparesOnlyNumbersOfTheUnitOfTheMetric) {
  EXPECT_EQ(fault_of("M > 20us", "ms"), "");
  EXPECT_EQ(fault_of("M > 0.2", "%"), "");
  EXPECT_EQ(fault_of("M > 3", "iterations"), "");
  EXPECT_EQ(fault_of("M > 3 iterations", "iterations"), "");
  EXPECT_THAT(
      fault_of("M > 20", "ms"),
      HasSubstr("M is a value in ms, which cannot be compared with a plain number; write the number with "
                "a unit, as in '20 ms'"));
  EXPECT_THAT(fault_of("M > 20KiB", "ms"), HasSubstr("cannot be compared with a value in KiB"));
  EXPECT_THAT(fault_of("M > 20 apples", "iterations"),
              HasSubstr("cannot be compared with a value in apples"));
}

TEST(Alerts, KnowsForWhichObjectsTheyHold) {
  Alerts alerts({alert_rule("M > 10 for 2s"), alert_rule("M < 2")});
  (void)alerts.take(reading_at(1, {{"a", 11}, {"b", 11}, {"c", 1}}));
  using Objects = std::set<std::vector<std::string>>;
  EXPECT_EQ(alerts.raised_for("M"), (Objects{{"c"}})) << "the others not yet";
  (void)alerts.take(reading_at(3, {{"a", 11}, {"b", 9}, {"c", 1}}));
  EXPECT_EQ(alerts.raised_for("M"), (Objects{{"a"}, {"c"}}));
  EXPECT_EQ(alerts.raised_for("N"), Objects());
  (void)alerts.take(reading_at(4, {{"a", 10}, {"b", 9}, {"c", 5}}));
  EXPECT_EQ(alerts.raised_for("M"), Objects());
}

TEST(Alerts, RaisesAnAlertOnceTheConditionHasHeldForItsTime) {
  Alerts alerts({alert_rule("M > 10 for 2s")});
  EXPECT_THAT(alerts.take(reading_at(1, {{"a", 11}, {"b", 5}})), IsEmpty());
  EXPECT_THAT(alerts.take(reading_at(2, {{"a", 12}, {"b", 11}})), IsEmpty());
  const auto raised = alerts.take(reading_at(3, {{"a", 13}, {"b", 11}}));
  ASSERT_THAT(raised, SizeIs(1));
  EXPECT_EQ(raised[0].text(), "M > 10 for 2s: a 13 for 2.0s");
  EXPECT_THAT(alerts.take(reading_at(4, {{"a", 13}, {"b", 2}})), IsEmpty()) << "once";
}

TEST(Alerts, RaisesItAgainOnlyAfterItHasNotHeld) {
  Alerts alerts({alert_rule("M > 10")});
  EXPECT_THAT(alerts.take(reading_at(1, {{"a", 11}})), SizeIs(1));
  EXPECT_THAT(alerts.take(reading_at(2, {{"a", 11}})), IsEmpty());
  EXPECT_THAT(alerts.take(reading_at(3, {{"a", 9}})), IsEmpty());
  EXPECT_THAT(alerts.take(reading_at(4, {{"a", 11}})), SizeIs(1));
}

TEST(Alerts, AValueThatIsNotANumberEndsTheTime) {
  Alerts alerts({alert_rule("M > 10 for 2s")});
  (void)alerts.take(reading_at(1, {{"a", 11}}));
  MetricReading none = reading_at(2, {{"a", 11}});
  none.values[0].datum.problem = metrics::Problem::divided_by_zero;
  EXPECT_THAT(alerts.take(none), IsEmpty());
  EXPECT_THAT(alerts.take(reading_at(3.5, {{"a", 11}})), IsEmpty());
  EXPECT_THAT(alerts.take(reading_at(6, {{"a", 11}})), SizeIs(1));
}

TEST(Alerts, VirtualTimesCountFromWhenTheyWerePassed) {
  Alerts alerts({alert_rule("M > 10 for 2s")});
  MetricReading reading = reading_at(9, {{"a", 11}, {"a", 12}, {"a", 13}});
  for (std::size_t i = 0; i < 3; ++i) {
    reading.values[i].virtual_time = static_cast<std::int64_t>(i);
    reading.values[i].datum.time_ns = static_cast<std::int64_t>(i) * 1'000'000'000;
  }
  const auto raised = alerts.take(reading);
  ASSERT_THAT(raised, SizeIs(1));
  EXPECT_EQ(raised[0].text(), "M > 10 for 2s: a at 2 13 for 2.0s");
}

TEST(Alerts, WritesNumbersInTheUnitOfTheMetric) {
  Alerts alerts({alert_rule("M > 0.3")});
  const auto raised = alerts.take(reading_at(1, {{"", 35.25}}, "%"));
  ASSERT_THAT(raised, SizeIs(1));
  EXPECT_EQ(raised[0].text(), "M > 0.3: 35.25 %");
}

TEST(ShellCommands, FindTheAlertInTheirEnvironmentAndSayHowTheyFailed) {
  const test::TemporaryDirectory directory;
  const std::string out = (directory.path() / "out").string();
  std::vector<std::string> said;
  ShellCommands commands(
      "echo $EVENTSPACE_METRIC $EVENTSPACE_OBJECTS $EVENTSPACE_VALUE $EVENTSPACE_UNIT >> " + out + "; exit 3",
      {"--alert-run", "alert", false, [&](const std::string& line) { said.push_back(line); }});
  commands.run(RaisedAlert{"M > 10", "M", "a b", std::nullopt, 11.5, "ms", {}}.environment());
  commands.conclude();
  std::ifstream in(out);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "M a b 11.5 ms\n");
  ASSERT_THAT(said, SizeIs(1));
  EXPECT_THAT(said[0], HasSubstr("ended with status 3"));
}

TEST(ShellCommands, AtMostFourRunAtATime) {
  const test::TemporaryDirectory directory;
  const std::string go = (directory.path() / "go").string();
  std::vector<std::string> said;
  ShellCommands commands(
      "while [ ! -e " + go + " ]; do sleep 0.02; done",
      {"--alert-run", "alert", true, [&](const std::string& line) { said.push_back(line); }});
  for (int i = 0; i < 6; ++i) commands.run({});
  std::ofstream(go) << "go";
  commands.conclude();
  EXPECT_THAT(said,
              ElementsAre("--alert-run: 2 alerts did not start a command, because 4 were running already"));
}

}  // namespace
}  // namespace eventspace

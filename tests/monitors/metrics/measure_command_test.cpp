#include <gmock/gmock.h>
#include <signal.h>

#include <filesystem>
#include <set>
#include <string>

#include "tests/lines.h"
#include "tests/monitors/sessions/market.h"

// `measure`, while a program runs and in a recording of it.
namespace eventspace {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing_commands::Call;

class MeasureCommand : public testing_commands::Market {
 protected:
  /// Writers and readers at work, and a recording of half a second of it.
  void record(const std::filesystem::path& pathmap) {
    start_servers_of(pathmap);
    Call application = start({"run", pathmap, "--", QUEUE_APP, "take"});
    ASSERT_TRUE(application.says("ready writers") && application.says("ready readers")) << application.err();
    Call record = call({"record", pathmap, "-o", file("run.evs"), "--for", "500ms"});
    ASSERT_EQ(record.status(), 0) << record.err();
    live_ = call({"measure", pathmap, "Send_count", "--count", "2", "--timeout", "20s", "--quiet"}).out();
    application.signal(SIGTERM);
    application.status();
    call({"down", pathmap});
  }

  /// The value in the last line of CSV with this metric and object.
  static std::string last_value(const std::string& csv, const std::string& metric_and_object) {
    std::string value;
    for (const std::string& line : test::lines_of(csv)) {
      const std::size_t begin = line.find(',') + 1;
      if (line.compare(begin, metric_and_object.size(), metric_and_object) != 0) continue;
      const std::size_t at = begin + metric_and_object.size() + 2;  // the virtual time is empty
      value = line.substr(at, line.find(',', at) - at);
    }
    return value;
  }

  std::string live_;
};

TEST_F(MeasureCommand, CountsWhatTheEventsOfARecordingSay) {
  const auto pathmap = market();
  record(pathmap);
  EXPECT_THAT(live_, AllOf(HasSubstr("Send_count  writers  "), HasSubstr("Send_count  readers  0")));

  Call measured =
      call({"measure", file("run.evs"), "Send_count", "Receive_count", "--format", "csv", "--quiet"});
  ASSERT_EQ(measured.status(), 0) << measured.err();
  const std::string out = measured.out();
  std::set<std::string> written;
  for (const std::string& line : test::lines_of(call({"events", file("run.evs"), "--quiet", "--format", "csv",
                                                      "--where", "verb == 'write' and point == 'thread'"})
                                                    .out())) {
    if (line.find(",write,") != std::string::npos) written.insert(line);
  }
  const int sent = std::stoi("0" + last_value(out, "Send_count,writers"));
  EXPECT_GT(sent, 0) << out;
  EXPECT_LE(sent, static_cast<int>(written.size()));  // what ended before the recording began is kept, too
  EXPECT_EQ(last_value(out, "Send_count,readers"), "0");
  EXPECT_GT(std::stoi("0" + last_value(out, "Receive_count,readers")), 0);
}

TEST_F(MeasureCommand, SaysWhyThereIsNoValue) {
  const auto pathmap = market();
  record(pathmap);
  Call measured = call({"measure", file("run.evs"), "Loop_Counter", "--objects", "writers"});
  EXPECT_EQ(measured.status(), 0);
  EXPECT_THAT(measured.err(), HasSubstr("Loop_Counter: the probe iteration_end was not passed"));
}

TEST_F(MeasureCommand, NamesNearMetricsAndFaultsOfFiles) {
  const auto pathmap = market();
  Call unknown = call({"measure", pathmap, "Send_volum"});
  EXPECT_EQ(unknown.status(), 2);
  EXPECT_THAT(unknown.err(), HasSubstr("there is no metric Send_volum; did you mean Send_volume?"));
  Call faulty = call({"measure", pathmap, "M", "--file", write("m.pmsl", "M(TimePoint t) { RETURN x; }")});
  EXPECT_EQ(faulty.status(), 2);
  EXPECT_THAT(faulty.err(), HasSubstr("m.pmsl:1:25: unknown variable 'x'"));
  Call partners = call({"measure", pathmap, "Loop_Counter", "--partners", "p*"});
  EXPECT_EQ(partners.status(), 2);
  EXPECT_THAT(partners.err(), HasSubstr("--partners: the metric Loop_Counter has no parameter for that"));
  Call sites = call({"measure", pathmap, "S", "--file",
                     write("s.pmsl", "S(Site s, TimeInterval t) { RETURN Send_count(s, t); }")});
  EXPECT_EQ(sites.status(), 2);
  EXPECT_THAT(sites.err(), HasSubstr("metric S: sites cannot be measured yet"));
}

}  // namespace
}  // namespace eventspace

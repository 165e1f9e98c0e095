#include <eventspace/metric.h>
#include <eventspace/monitor.h>

#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include <eventspace/probe.h>
#include <eventspace/recording.h>
#include <eventspace/session.h>
#include "tests/monitors/json_lines.h"
#include "tests/monitors/workplace.h"

// Events and metrics of programs of users beside the output of the commands `events` and `measure`, which
// read the same session or recording in another process.
namespace eventspace {
namespace {

using nlohmann::json;
using testing_commands::Call;
using testing_commands::objects_in;

class EventsApi : public testing_commands::Workplace {
 protected:
  EventsApi() : session_(Session::open("asked", {.process = "asked:1", .node = "n1", .collect = {}})) {
    SessionThread& main = session_.thread("main");
    for (int i = 0; i < 40; ++i) {
      main.set_virtual_time(static_cast<std::uint64_t>(i));
      EVENTSPACE_PROBE("step", i, -i, 0.5 * i);
      EVENTSPACE_REGION("solve");
    }
  }

  /// The lines of `events`, without a summary.
  std::vector<json> lines_of_command(const std::string& named, const std::vector<std::string>& options) {
    std::vector<std::string> arguments{"events", named, "--apart", "--format", "json", "--timeout", "30s"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    Call call = this->call(arguments);
    EXPECT_EQ(call.status(), 0) << call.err();
    return objects_in(call.out());
  }

  static json value_of(const EventColumn& column, std::size_t event) {
    if (!column.has(event)) return {};
    switch (column.type()) {
      case EventColumn::Type::natural:
        return column.naturals()[event];
      case EventColumn::Type::integer:
        return column.integers()[event];
      case EventColumn::Type::real:
        return column.reals()[event];
      case EventColumn::Type::boolean:
        return column.booleans()[event] != 0;
      case EventColumn::Type::text:
        return column.text(event);
    }
    return {};
  }

  /// The key by which both outputs are put in one order: a record has one number in its trace element.
  using Key = std::tuple<std::string, std::string, double>;

  /// Expects the same events with the same fields, and returns their number.
  static std::size_t expect_same(const Events& events, const std::vector<json>& lines) {
    std::map<Key, json> by_key;
    for (const json& line : lines) by_key[{line["thread"], line["path"], line["sequence"]}] = line;
    EXPECT_EQ(by_key.size(), lines.size());
    EXPECT_EQ(events.size(), lines.size());
    for (std::size_t i = 0; i < events.size(); ++i) {
      const Event event = events[i];
      const Key key{event.thread(), event.path(), event.number("sequence").value_or(-1)};
      const auto line = by_key.find(key);
      if (line == by_key.end()) {
        ADD_FAILURE() << "the command does not print " << std::get<0>(key) << " " << std::get<2>(key);
        continue;
      }
      expect_same(events, i, line->second);
    }
    return events.size();
  }

  static void expect_same(const Events& events, std::size_t event, const json& line) {
    EXPECT_EQ(events[event].start_ns(), line["start_ns"].get<std::int64_t>());
    EXPECT_EQ(std::llround(events[event].duration_ns().value_or(-1)),
              line["duration_ns"].get<std::int64_t>());
    for (const auto& [field, printed] : line.items()) {
      if (field == "start_ns" || field == "duration_ns" || field.starts_with("element_")) continue;
      if (field == "start_here_ns" || field == "error_ns" || field == "site") continue;
      EXPECT_EQ(value_of(events.column(field), event), printed) << field;
    }
  }

  Session session_;
};

TEST_F(EventsApi, ALiveSessionHasTheSameEventsInBoth) {
  Monitor monitor = Monitor::of_session("asked");
  const Events all = monitor.events({.last = 1000});
  EXPECT_EQ(expect_same(all, lines_of_command("asked", {"--last", "1000"})), 80u);

  const std::string where = "verb == 'region' and virtual_time >= 30 or value2 < -35";
  const Events some = monitor.events({.where = where, .last = 1000});
  EXPECT_EQ(expect_same(some, lines_of_command("asked", {"--last", "1000", "--where", where})), 14u);
}

TEST_F(EventsApi, ARecordingHasTheSameEventsAndLossesInBoth) {
  const std::string run = file("run.evs").string();
  ASSERT_EQ(call({"record", "asked", "-o", run, "--for", "100ms"}).status(), 0);
  Monitor monitor = Monitor::of_recording(run);
  EXPECT_EQ(expect_same(monitor.events(), lines_of_command(run, {})), 80u);
  EXPECT_EQ(expect_same(monitor.events({.where = "probe == 'step'", .last = 7}),
                        lines_of_command(run, {"--where", "probe == 'step'", "--last", "7"})),
            7u);

  const Recording recording(run);
  const auto info = objects_in(call({"info", run, "--format", "json"}).out());
  ASSERT_EQ(info.size(), 1u);
  ASSERT_TRUE(recording.loss());
  EXPECT_EQ(recording.loss()->discarded, info[0]["discarded"].get<std::uint64_t>());
  EXPECT_EQ(recording.loss()->earlier, info[0]["earlier"].get<std::uint64_t>());
  EXPECT_EQ(recording.ending(), info[0]["ended"].get<std::string>());
  std::size_t events = 0;
  for (Recording::Reader reader = recording.events(); const auto piece = reader.next();)
    events += piece->size();
  EXPECT_EQ(events, info[0]["events"].get<std::size_t>());
}

TEST_F(EventsApi, AMetricHasTheSameValuesInBoth) {
  const std::string run = file("run.evs").string();
  ASSERT_EQ(call({"record", "asked", "-o", run, "--for", "100ms"}).status(), 0);
  Call measured = call({"measure", run, "Region_count", "Region_delay", "--format", "json", "--quiet"});
  ASSERT_EQ(measured.status(), 0) << measured.err();
  std::map<std::string, double> last;
  for (const json& line : objects_in(measured.out())) last[line["metric"]] = line["value"].get<double>();
  Monitor monitor = Monitor::of_recording(run);
  for (const std::string metric : {"Region_count", "Region_delay"}) {
    MetricReader reader(monitor, {.metric = metric});
    const auto samples = reader.read();
    ASSERT_EQ(samples.size(), 1u) << metric;
    ASSERT_TRUE(samples[0].value) << metric << ": " << samples[0].problem;
    EXPECT_DOUBLE_EQ(*samples[0].value, last.at(metric)) << metric;
  }
}

}  // namespace
}  // namespace eventspace

// Questions about the timeline of a recording that a test writes.
#include "monitors/web/timeline/timeline_desk.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>

#include "collectors/event_record.h"
#include "monitors/watching/recorded_session.h"
#include "pathmaps/pathmap.h"
#include "scopes/recordings/recording_writer.h"
#include "tests/tuplespace/temporary_directory.h"
#include "tests/tuplespace/variable.h"

namespace eventspace::web {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::SizeIs;

constexpr const char* pathmap = R"(pathmap: 1
name: market
cluster: {nodes: {n1: {}}}
application:
  threads: [w0, r0]
  elements: [{name: queue, tuple: [int], threshold: 50}]
  paths:
    - {thread: w0, name: put, element: queue, use: write}
    - {thread: r0, name: get, element: queue, use: read}
placement:
  processes:
    writers: {node: n1, threads: [w0]}
    readers: {node: n1, threads: [r0]}
  elements: [{elements: queue, process: readers}]
collect: {points: [{at: thread}]}
)";

constexpr std::int64_t ms = 1'000'000;

class TimelineDeskTest : public testing::Test {
 protected:
  TimelineDeskTest() : plan_(*parse_plan(pathmap, "market.yaml").plan) {}

  [[nodiscard]] std::uint32_t path(const std::string& name) const {
    for (const PathIndex index : plan_.paths.indices())
      if (plan_.paths[index].name == name) return index.number32();
    return 0;
  }
  /// An operation of w0 or r0; without an end it is in flight.
  [[nodiscard]] TraceTuple operation(Verb verb, std::uint64_t sequence, std::int64_t begin, std::int64_t end,
                                     std::uint64_t tuple = 0) const {
    EventRecord record;
    record.sequence = sequence;
    record.start = static_cast<std::uint64_t>(begin);
    record.end = static_cast<std::uint64_t>(end);
    record.thread = verb == Verb::write ? 0 : 1;
    record.path = path(verb == Verb::write ? "put" : "get");
    record.verb = verb;
    record.status = end == 0 ? Status::under_way : Status::ok;
    record.parameter = tuple;
    return encode(record);
  }
  static View view(std::vector<TraceTuple> records, std::int64_t now) {
    View made;
    made.records = Records(std::move(records));
    for (const std::uint32_t process : {0u, 1u}) {
      ProcessReport report;
      report.process = process;
      report.pid = 100 + static_cast<std::int32_t>(process);
      report.now_ticks = static_cast<std::uint64_t>(now);
      report.now_monotonic_ns = now;
      made.processes.push_back(report);
    }
    return made;
  }
  /// Ten writes from 10 ms on, each 5 ms long; records 4 and 5 are missing. A take waits at the end.
  void record() {
    const NamesOfPlan names(std::make_shared<const Plan>(plan_));
    RecordingWriter writer({.file = directory_.path() / "run.evs",
                            .session = {"market", pathmap, "n1", "0.1", 0, 5'000'000'000},
                            .names = &names,
                            .collects = std::chrono::nanoseconds(0)});
    std::vector<TraceTuple> writes;
    for (std::uint64_t i = 1; i <= 10; ++i) {
      const std::int64_t begin = 10 * ms * static_cast<std::int64_t>(i);
      if (i != 4 && i != 5) writes.push_back(operation(Verb::write, i, begin, begin + 5 * ms, i));
    }
    writes.push_back(operation(Verb::take, 1, 5 * ms, 18 * ms, 1));
    writer.add_events(view(writes, 110 * ms), 110 * ms);
    writer.add_state(view({operation(Verb::take, 2, 60 * ms, 0)}, 120 * ms), 120 * ms);
    writer.end({.reason = "end", .ended_ns = 120 * ms});
  }

  static Request request(std::vector<std::pair<std::string, std::string>> parameters) {
    Request made;
    made.parameters = std::move(parameters);
    return made;
  }
  /// Asks until the answer is there.
  static Answer await(TimelineDesk& desk, std::string_view question, const Request& asked) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (true) {
      const auto answer = desk.ask(question, asked);
      if (answer->status != 202 || std::chrono::steady_clock::now() > end) return *answer;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  static json parsed(const Answer& answer) { return json::parse(*answer.body); }
  [[nodiscard]] TimelineDesk::Open opener() const {
    return [file = directory_.path() / "run.evs"] { return open_recorded(file, ""); };
  }

  test::TemporaryDirectory directory_;
  Plan plan_;
};

TEST_F(TimelineDeskTest, RowsComeOnceTheRecordingIsRead) {
  record();
  TimelineDesk desk(opener());
  const json rows = parsed(await(desk, "timeline", request({})));
  EXPECT_EQ(rows["state"], "ready");
  EXPECT_EQ(rows["live"], false);
  EXPECT_EQ(rows["events"], 10);  // with the take in flight
  EXPECT_EQ(rows["lost"], 2);
  ASSERT_THAT(rows["rows"], SizeIs(2));
  EXPECT_EQ(rows["rows"][0]["thread"], "r0");
  EXPECT_EQ(rows["rows"][1]["thread"], "w0");
}

TEST_F(TimelineDeskTest, ATileHasTheOperationsTheGapAndTheMessage) {
  record();
  TimelineDesk desk(opener());
  const json rows = parsed(await(desk, "timeline", request({})));
  const std::string length = rows["length_ns"].dump();
  const json tile = parsed(
      await(desk, "timeline", request({{"from", "0"}, {"to", length}, {"rows", "0-1"}, {"pixels", "100"}})));
  EXPECT_EQ(tile["exact"], 1);
  EXPECT_EQ(tile["counts"], json::parse("[2,8]"));
  ASSERT_THAT(tile["gaps"], SizeIs(5));
  EXPECT_EQ(tile["gaps"][0], 1);
  EXPECT_EQ(tile["gaps"][2].get<std::int64_t>() - tile["gaps"][1].get<std::int64_t>(), 25 * ms);
  EXPECT_EQ(tile["gaps"][3], 2);
  ASSERT_THAT(tile["messages"], SizeIs(5));
  EXPECT_EQ(tile["messages"][0], 1);  // from w0
  EXPECT_EQ(tile["messages"][2], 0);  // to r0
  EXPECT_EQ(tile["messages"][3].get<std::int64_t>() - tile["messages"][1].get<std::int64_t>(), 8 * ms);
}

TEST_F(TimelineDeskTest, AnOperationHasAllItsFieldsAlsoInFlight) {
  record();
  TimelineDesk desk(opener());
  await(desk, "timeline", request({}));
  const auto fields_of = [&](const char* name, const char* sequence) {
    const json answer = parsed(
        await(desk, "event",
              request({{"path", std::to_string(path(name))}, {"point", "0"}, {"sequence", sequence}})));
    std::map<std::string, json> fields;
    for (const json& field : answer.value("fields", json::array())) fields[field["name"]] = field["value"];
    return fields;
  };
  auto fields = fields_of("put", "6");
  EXPECT_EQ(fields["verb"], "write");
  EXPECT_EQ(fields["status"], "ok");
  EXPECT_EQ(fields["duration"], 5.0 * ms);
  EXPECT_EQ(fields["parameter"], 6);
  EXPECT_EQ(fields["process"], "writers");
  EXPECT_EQ(fields_of("get", "2")["in_flight"], true);
  EXPECT_TRUE(fields_of("put", "4").empty());  // lost
}

TEST_F(TimelineDeskTest, ASearchGoesFromOneOperationToTheNext) {
  record();
  TimelineDesk desk(opener());
  await(desk, "timeline", request({}));
  const auto next = [&](const std::string& where, std::int64_t from) {
    return parsed(await(desk, "find", request({{"where", where}, {"from", std::to_string(from)}})));
  };
  std::vector<std::uint64_t> found;
  for (json answer = next("verb == 'write'", -1); answer["state"] == "found";
       answer = next("verb == 'write'", answer["operation"]["begin"].get<std::int64_t>()))
    found.push_back(answer["operation"]["sequence"].get<std::uint64_t>());
  EXPECT_THAT(found, testing::ElementsAre(1, 2, 3, 6, 7, 8, 9, 10));
  EXPECT_EQ(next("in_flight", -1)["operation"]["sequence"], 2);
  EXPECT_EQ(next("duration > 1h", -1)["state"], "none");
}

TEST_F(TimelineDeskTest, WrongQuestionsAreRefusedWithTheReason) {
  record();
  TimelineDesk desk(opener());
  await(desk, "timeline", request({}));
  const auto refused = [&](std::string_view question, const Request& asked) {
    const Answer answer = *desk.ask(question, asked);
    EXPECT_EQ(answer.status, 400u);
    return parsed(answer)["reason"].get<std::string>();
  };
  EXPECT_THAT(refused("find", request({{"where", "verb == 5"}, {"from", "0"}})), HasSubstr("one type"));
  EXPECT_THAT(refused("find", request({{"where", "verb =="}, {"from", "0"}})),
              testing::Not(testing::IsEmpty()));
  EXPECT_THAT(refused("find", request({{"where", std::string(1001, '(')}, {"from", "0"}})),
              HasSubstr("long"));
  EXPECT_THAT(refused("find", request({{"where", "in_flight"}, {"from", "-2"}})), HasSubstr("from"));
  EXPECT_THAT(refused("find", request({{"from", "0"}})), HasSubstr("where"));
  EXPECT_THAT(refused("event", request({{"path", "1"}, {"point", "70000"}, {"sequence", "1"}})),
              HasSubstr("point"));
  EXPECT_THAT(refused("timeline", request({{"from", "7"}})), HasSubstr("from < to"));
  EXPECT_EQ(desk.ask("timeline", request({{"from", "0"}, {"generation", "9"}}))->status, 409u);
  EXPECT_EQ(desk.ask("find", request({{"where", "in_flight"}, {"from", "0"}, {"generation", "9"}}))->status,
            409u);
  EXPECT_EQ(
      desk.ask("event", request({{"path", "1"}, {"point", "0"}, {"sequence", "1"}, {"generation", "9"}}))
          ->status,
      409u);
  EXPECT_FALSE(desk.ask("other", request({})).has_value());
}

TEST_F(TimelineDeskTest, ManyQuestionsAtOnceKeepABoundedNumber) {
  record();
  TimelineLimits limits;
  limits.jobs = 3;
  TimelineDesk desk(opener(), limits);
  await(desk, "timeline", request({}));
  for (int i = 0; i < 200; ++i)
    desk.ask("find", request({{"where", "sequence == " + std::to_string(i)}, {"from", "-1"}}));
  const Answer last = await(desk, "find", request({{"where", "sequence == 7"}, {"from", "-1"}}));
  EXPECT_EQ(parsed(last)["state"], "found");
}

TEST_F(TimelineDeskTest, AFileThatCannotBeReadIsSaid) {
  TimelineDesk desk(opener());
  const Answer answer = await(desk, "timeline", request({}));
  EXPECT_EQ(answer.status, 503u);
  EXPECT_THAT(parsed(answer)["reason"].get<std::string>(), HasSubstr("run.evs"));
}

TEST_F(TimelineDeskTest, AMissingFolderForTemporaryFilesIsSaid) {
  record();
  const test::Variable folder("TMPDIR", (directory_.path() / "none").string());
  TimelineDesk desk(opener());
  const Answer answer = await(desk, "timeline", request({}));
  EXPECT_EQ(answer.status, 503u);
  EXPECT_THAT(parsed(answer)["reason"].get<std::string>(), HasSubstr("set TMPDIR"));
}

TEST_F(TimelineDeskTest, AnyFaultOfTheSessionIsSaid) {
  TimelineDesk desk([]() -> Watched { throw std::runtime_error("a fault without advice"); });
  const Answer answer = await(desk, "timeline", request({}));
  EXPECT_EQ(answer.status, 503u);
  EXPECT_THAT(parsed(answer)["reason"].get<std::string>(), HasSubstr("without advice"));
}

TEST_F(TimelineDeskTest, AnswersBeforeTheRecordingIsReadSayHowFarItIs) {
  record();
  TimelineDesk desk(opener());
  EXPECT_EQ(desk.ask("find", request({{"where", "in_flight"}, {"from", "0"}}))->status, 409u);
  const Answer first = *desk.ask("timeline", request({}));
  EXPECT_TRUE(first.status == 202u || first.status == 200u);
  await(desk, "timeline", request({}));
}

}  // namespace
}  // namespace eventspace::web

#include <gmock/gmock.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "tests/monitors/archive/stuck_market.h"
#include "tests/monitors/top/terminal_program.h"

// Recordings of nodes, in parts, of a stall, and on the screen: `record --node`, `merge`, `--rotate-size`,
// `heartbeat --snapshot` and `top`.
namespace eventspace {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing_commands::Call;
using testing_commands::TerminalProgram;

class RecordingSets : public testing_commands::StuckMarket {
 protected:
  std::string events_of(const std::string& recording) {
    Call events = call({"events", file(recording), "--quiet"});
    EXPECT_EQ(events.status(), 0) << events.err();
    return events.out();
  }
};

TEST_F(RecordingSets, RecordingsOfTheNodesOfARunBecomeOne) {
  const auto pathmap = market("market.yaml", "n1: {}, n2: {}, n3: {}");
  Call application = start_market(pathmap);
  Call writers = start({"record", pathmap, "-o", file("n1.evs"), "--node", "n1", "--for", "500ms"});
  Call readers = start({"record", pathmap, "-o", file("n2.evs"), "--node", "n2", "--for", "500ms"});
  EXPECT_EQ(writers.status(), 0) << writers.err();
  EXPECT_EQ(readers.status(), 0) << readers.err();
  Call nothing = call({"record", pathmap, "-o", file("n3.evs"), "--node", "n3", "--for", "1ms"});
  Call unknown = call({"record", pathmap, "-o", file("n4.evs"), "--node", "n4"});
  EXPECT_EQ(unknown.status(), 2);
  EXPECT_THAT(unknown.err(), HasSubstr("n4"));
  stop(application, pathmap);

  Call merge = call({"merge", file("n1.evs"), file("n2.evs"), "-o", file("run.evs")});
  ASSERT_EQ(merge.status(), 0) << merge.err();
  EXPECT_EQ(events_of("n1.evs").find("r0"), std::string::npos);
  EXPECT_THAT(events_of("run.evs"), AllOf(HasSubstr("w0"), HasSubstr("r0")));
  EXPECT_THAT(call({"info", file("run.evs")}).out(),
              AllOf(HasSubstr("merged from n1.evs, n2.evs"), HasSubstr("writers"), HasSubstr("readers")));
  Call twice = call({"merge", file("n1.evs"), file("n1.evs"), "-o", file("twice.evs")});
  EXPECT_EQ(twice.status(), 2);
  EXPECT_THAT(twice.err(), HasSubstr("both have events of process writers"));
  EXPECT_FALSE(std::filesystem::exists(file("twice.evs"))) << "no half file";
  for (const auto& left : std::filesystem::directory_iterator(file("twice.evs").parent_path()))
    EXPECT_EQ(left.path().filename().string().find("twice.evs"), std::string::npos) << left.path();
  Call exists = call({"merge", file("n1.evs"), file("n2.evs"), "-o", file("run.evs")});
  EXPECT_EQ(exists.status(), 3);
  EXPECT_THAT(exists.err(), HasSubstr("run.evs already exists"));
}

TEST_F(RecordingSets, PartsAreReadAsOneRecording) {
  const auto pathmap = market();
  Call application = start_stuck(pathmap);
  Call record = call({"record", pathmap, "-o", file("run.evs"), "--rotate-size", "1KiB", "--state", "20ms",
                      "--for", "300ms"});
  ASSERT_EQ(record.status(), 0) << record.err();
  EXPECT_THAT(record.err(), HasSubstr("(in parts, the last is run.00"));
  stop(application, pathmap);
  EXPECT_FALSE(std::filesystem::exists(file("run.evs")));
  EXPECT_TRUE(std::filesystem::exists(file("run.0002.evs")));
  EXPECT_THAT(call({"info", file("run.evs")}).out(), HasSubstr("events           50"));
  EXPECT_EQ(call({"heartbeat", file("run.evs"), "--stall", "100ms", "--once"}).status(), 1);
  Call alone = call({"heartbeat", file("run.0002.evs"), "--stall", "1ms", "--once"});
  EXPECT_EQ(alone.status(), 1) << "a part begins with a state: " << alone.err();
  Call bad = call({"record", pathmap, "-o", file("x.evs"), "--rotate-size", "much"});
  EXPECT_EQ(bad.status(), 2);
  EXPECT_THAT(bad.err(), HasSubstr("--rotate-size: found 'much'; expected a number above 0 and a unit"));
  Call keep = call({"record", pathmap, "-o", file("x.evs"), "--keep", "2"});
  EXPECT_EQ(keep.status(), 2);
  EXPECT_THAT(keep.err(), HasSubstr("--keep is for a recording in parts"));
}

TEST_F(RecordingSets, AHeartbeatKeepsTheEventsBeforeAStall) {
  const auto pathmap = market();
  Call application = start_stuck(pathmap);
  Call heartbeat =
      call({"heartbeat", pathmap, "--until-stall", "--stall", "200ms", "--snapshot", file("hang.evs")});
  EXPECT_EQ(heartbeat.status(), 1) << heartbeat.err();
  EXPECT_THAT(heartbeat.err(), HasSubstr("snapshot of 50 events in "));
  Call exists = call({"heartbeat", pathmap, "--until-stall", "--snapshot", file("hang.evs")});
  EXPECT_EQ(exists.status(), 3) << "before it waits";
  EXPECT_THAT(exists.err(), HasSubstr("hang.evs exists"));
  stop(application, pathmap);
  EXPECT_EQ(call({"heartbeat", file("hang.evs"), "--once", "--stall", "200ms"}).status(), 1);
  Call recorded = call({"heartbeat", file("hang.evs"), "--until-stall", "--snapshot", file("x.evs")});
  EXPECT_EQ(recorded.status(), 2);
  EXPECT_THAT(recorded.err(), HasSubstr("needs a running session, not a recording"));
}

TEST_F(RecordingSets, TheScreenPlaysARecording) {
  const auto pathmap = market();
  Call application = start_stuck(pathmap);
  ASSERT_EQ(call({"record", pathmap, "-o", file("run.evs"), "--for", "1s"}).status(), 0);
  stop(application, pathmap);
  TerminalProgram program({EVENTSPACE_PROGRAM, "top", file("run.evs"), "--stall", "100ms"}, 24, 80);
  EXPECT_TRUE(program.sees("END ")) << "it plays to its end: " << program.seen().text();
  EXPECT_TRUE(program.sees("STALL"));
  EXPECT_TRUE(program.sees("write queue"));
  program.type("p{");
  EXPECT_TRUE(program.sees("PAUSED 0")) << program.seen().text();
  program.type("g500ms\r");
  EXPECT_TRUE(program.sees("PAUSED 500ms of")) << program.seen().text();
  EXPECT_TRUE(program.sees("4 threads"));
  program.type("++p");
  EXPECT_TRUE(program.sees("END ")) << program.seen().text();
  program.type("q");
  EXPECT_EQ(program.status(), 1);
}

TEST_F(RecordingSets, InfoChecksARecordingAndMonitorsReportItsDamage) {
  const auto pathmap = market();
  Call application = start_stuck(pathmap);
  ASSERT_EQ(call({"record", pathmap, "-o", file("run.evs"), "--for", "300ms"}).status(), 0);
  stop(application, pathmap);
  Call whole = call({"info", file("run.evs"), "--check"});
  EXPECT_EQ(whole.status(), 0) << whole.err();
  EXPECT_THAT(whole.err(), HasSubstr("are intact"));

  std::ifstream in(file("run.evs"), std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  const auto with = [&](std::size_t from, std::size_t length, const std::string& name) {
    std::string changed = bytes;
    for (std::size_t i = from; i < from + length; ++i) changed[i] = static_cast<char>(~changed[i]);
    std::ofstream(file(name), std::ios::binary) << changed;
  };
  with(bytes.size() / 2, 1, "byte.evs");
  Call repaired = call({"info", file("byte.evs"), "--check"});
  EXPECT_EQ(repaired.status(), 1);
  EXPECT_THAT(repaired.err(), HasSubstr("1 place was damaged and repaired"));
  EXPECT_EQ(events_of("byte.evs"), events_of("run.evs"));

  // Damages the first chunk of events, after the description: more than can be repaired.
  const std::size_t at = bytes.find("\xe5\x43\x48\x4b\x03");
  ASSERT_NE(at, std::string::npos);
  with(at + 90, 400, "lost.evs");
  for (const char* const monitor : {"heartbeat", "events", "values", "profile", "info"}) {
    Call said = call({monitor, file("lost.evs"), "--format", "json"});
    EXPECT_THAT(said.err(), HasSubstr("it is damaged, and cannot be read at 1 place")) << monitor;
    EXPECT_THAT(said.err(), HasSubstr("records were there")) << monitor;
    EXPECT_THAT(said.out(), HasSubstr("\"lost_records\":")) << monitor;
  }
  std::ofstream(file("cut.evs"), std::ios::binary) << bytes.substr(0, at);
  EXPECT_THAT(call({"heartbeat", file("cut.evs"), "--once"}).err(), HasSubstr("it has no end"))
      << "though it ends with a whole chunk";
}

// The number of events of a recording, from the output of `info`.
std::uint64_t events_in(const std::string& info) {
  const std::size_t at = info.find("\nevents ");
  return at == std::string::npos ? 0 : std::stoull(info.substr(at + 8));
}

TEST_F(RecordingSets, AShortRunIsRecordedCompletely) {
  for (const char* const times : {"1", "100", "190"}) {
    Call run = call({"run", "--session", "short", "--record", file("short.evs"), "--force", "--", DYNAMIC_APP,
                     "pass", times});
    EXPECT_EQ(run.status(), 0) << run.err();
    Call info = call({"info", file("short.evs")});
    EXPECT_EQ(events_in(info.out()), std::stoull(times)) << info.out() << run.err();
    EXPECT_THAT(info.out(), HasSubstr(" ended ")) << "the process is in it";
  }
  EXPECT_THAT(call({"segments", "--session", "short"}).out(), testing::Not(HasSubstr("segment")))
      << "nothing is left";
}

TEST_F(RecordingSets, AProgramAndItsSessionMayHaveOneName) {
  std::filesystem::copy_file(DYNAMIC_APP, file("short"));
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(file("short").parent_path());
  Call run = call({"run", "--session", "short", "--record", "short.evs", "--", "./short", "pass", "100"});
  std::filesystem::current_path(before);
  EXPECT_EQ(run.status(), 0) << run.err();
  EXPECT_EQ(events_in(call({"info", file("short.evs")}).out()), 100u);
}

TEST_F(RecordingSets, LossesOfTraceElementsAreReportedAndAllEventsAreAccountedFor) {
  Call run =
      call({"run", "--session", "fast", "--record", file("fast.evs"), "--", DYNAMIC_APP, "pass", "2000000"});
  EXPECT_EQ(run.status(), 0) << run.err();
  Call info = call({"info", file("fast.evs"), "--format", "csv"});
  std::istringstream lines(info.out());
  std::string names, values;
  std::getline(lines, names);
  std::getline(lines, values);
  std::map<std::string, std::string> of;
  std::istringstream of_names(names), of_values(values);
  for (std::string name, value; std::getline(of_names, name, ',') && std::getline(of_values, value, ',');)
    of[name] = value;
  EXPECT_EQ(std::stoull(of["events"]) + std::stoull(of["discarded"]) + std::stoull(of["earlier"]), 2'000'000u)
      << info.out();
  EXPECT_THAT(run.err(), HasSubstr("discarded before they were read"));
}

TEST_F(RecordingSets, ARunOfAPathmapAndItsProfile) {
  const auto pathmap = market();
  Call run = start({"run", pathmap, "--record", file("run.evs"), "--profile", "--", QUEUE_APP, "take"});
  ASSERT_TRUE(run.says("ready writers") && run.says("ready readers")) << run.err();
  run.signal(SIGTERM);
  (void)run.status();
  EXPECT_GT(events_in(call({"info", file("run.evs")}).out()), 0u);
  EXPECT_THAT(run.out(), HasSubstr("w0")) << "the profile";
}

TEST_F(RecordingSets, RecordWaitsForASessionToBegin) {
  Call record = start({"record", "later", "-o", file("later.evs"), "--wait", "--until-end"});
  ASSERT_TRUE(testing_commands::eventually([&] { return std::filesystem::exists(file("later.evs")); }));
  Call application = start({"run", "--session", "later", "--", DYNAMIC_APP});
  ASSERT_TRUE(application.says("ready")) << application.err();
  const auto events = [&] { return call({"events", file("later.evs"), "--quiet"}).out(); };
  ASSERT_TRUE(testing_commands::eventually([&] { return events().find("tick") != std::string::npos; }))
      << "a process that ends before the recorder sees it takes its segment with it";
  application.signal(SIGTERM);
  application.status();
  EXPECT_EQ(record.status(), 0) << record.err();
  EXPECT_THAT(events(), HasSubstr("tick"));
}

}  // namespace
}  // namespace eventspace

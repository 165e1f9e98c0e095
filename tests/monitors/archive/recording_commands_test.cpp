#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include "tests/lines.h"
#include "tests/monitors/archive/stuck_market.h"
#include "tests/tuplespace/stopped_process.h"

// `record`, `snapshot` and `info`, and the monitors, which read a recording like a session.
namespace eventspace {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;
using testing_commands::Call;

// The distinct rows of a table in CSV without quotes, reduced to the named columns.
std::set<std::string> columns_in(const std::string& csv, const std::vector<std::string>& wanted) {
  std::set<std::string> rows;
  std::vector<std::string> names;
  std::istringstream in(csv);
  for (std::string line; std::getline(in, line);) {
    std::vector<std::string> cells;
    std::istringstream of_line(line);
    for (std::string cell; std::getline(of_line, cell, ',');) cells.push_back(cell);
    if (names.empty()) {
      names = cells;
      continue;
    }
    std::string row;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (std::ranges::find(wanted, names.at(i)) != wanted.end()) row += cells[i] + ' ';
    }
    rows.insert(row);
  }
  return rows;
}

class RecordingCommands : public testing_commands::StuckMarket {
 protected:
  [[nodiscard]] std::filesystem::path recording(const std::string& name = "run.evs") const {
    return file(name);
  }
};

TEST_F(RecordingCommands, ARecordingAnswersAsTheSessionDid) {
  const auto pathmap = market();
  Call application = start_stuck(pathmap);
  const std::vector<std::vector<std::string>> questions{
      {"events", "--for", "100ms", "--quiet", "--format", "csv"},
      {"events", "--last", "7", "--quiet", "--format", "csv"},
      {"events", "--threads", "w*", "--where", "sequence > 3", "--for", "100ms", "--quiet", "--format",
       "csv"},
      {"values", "--of", "bytes", "--by", "path", "--as", "sum", "--total", "--for", "100ms", "--quiet",
       "--format", "csv"},
      {"heartbeat", "--stall", "200ms", "--once", "--format", "csv"},
      {"top", "--stall", "200ms", "--once"}};
  const auto ask = [&](std::vector<std::string> words, const std::string& what) {
    // A recording ends by itself.
    const auto limit = std::ranges::find(words, "--for");
    if (what == recording() && limit != words.end()) words.erase(limit, limit + 2);
    words.insert(words.begin() + 1, what);
    return call(words);
  };
  std::vector<std::string> live;
  std::vector<int> statuses;
  for (const auto& question : questions) {
    Call answer = ask(question, pathmap);
    statuses.push_back(answer.status());
    live.push_back(answer.out());
  }
  Call record = call({"record", pathmap, "-o", recording(), "--for", "300ms"});
  ASSERT_EQ(record.status(), 0) << record.err();
  stop(application, pathmap);

  const std::vector<std::string> steady{
      "thread", "process", "verdict",      "in_flight", "last",        "path",  "verb",  "sequence",
      "status", "bytes",   "virtual_time", "start",     "duration_ns", "group", "count", "sum"};
  for (std::size_t i = 0; i + 1 < questions.size(); ++i) {
    Call answer = ask(questions[i], recording());
    EXPECT_EQ(answer.status(), statuses[i]) << questions[i][0] << ": " << answer.err();
    EXPECT_EQ(columns_in(answer.out(), steady), columns_in(live[i], steady)) << questions[i][0] << ' ' << i;
    EXPECT_GT(columns_in(live[i], steady).size(), 0u) << questions[i][0] << ' ' << i;
  }
  Call top = ask(questions.back(), recording());
  EXPECT_EQ(top.status(), statuses.back());
  EXPECT_THAT(top.out(), AllOf(HasSubstr("w0"), HasSubstr("write queue")));
}

TEST_F(RecordingCommands, TimeCanBeSetBackToBeforeTheStall) {
  const auto pathmap = market();
  start_servers_of(pathmap);
  Call record =
      start({"record", pathmap, "-o", recording(), "--until-end", "--state", "20ms", "--interval", "5ms"});
  ASSERT_TRUE(testing_commands::eventually([&] { return std::filesystem::exists(recording()); }));
  Call application = start({"run", pathmap, "--", QUEUE_APP, "take"});
  ASSERT_TRUE(application.says("ready writers") && application.says("ready readers"));
  // The recording runs until the readers are gone; then the queue fills.
  for (const int process : processes_with(QUEUE_APP)) {
    if (testing_commands::read_text("/proc/" + std::to_string(process) + "/environ")
            .find("EVENTSPACE_PROCESS=readers") != std::string::npos)
      test::stop_whole(process);
  }
  EXPECT_TRUE(testing_commands::eventually([&] {
    return call({"heartbeat", pathmap, "--stall", "200ms", "--once"}).status() == 1;
  }));
  record.signal(SIGINT);
  EXPECT_EQ(record.status(), 0) << record.err();
  for (const int process : processes_with(QUEUE_APP)) ::kill(process, SIGCONT);
  stop(application, pathmap);

  EXPECT_EQ(call({"heartbeat", recording(), "--stall", "200ms", "--once"}).status(), 1);
  Call played = call({"heartbeat", recording(), "--stall", "200ms", "--until-stall"});
  EXPECT_EQ(played.status(), 1);
  EXPECT_THAT(played.out(), HasSubstr("STALL at"));
  Call beyond = call({"heartbeat", recording(), "--at", "1h"});
  EXPECT_EQ(beyond.status(), 2);
  EXPECT_THAT(beyond.err(), HasSubstr("--at 1h: the recording is"));
}

TEST_F(RecordingCommands, InfoDescribesTheRecording) {
  const auto pathmap = market();
  Call application = start_stuck(pathmap);
  ASSERT_EQ(call({"snapshot", pathmap, "-o", recording()}).status(), 0);
  stop(application, pathmap);
  Call info = call({"info", recording()});
  EXPECT_EQ(info.status(), 0) << info.err();
  EXPECT_THAT(info.out(),
              AllOf(HasSubstr("session          market"), HasSubstr("ended            a snapshot"),
                    HasSubstr("events           50"), HasSubstr("writers")));
  Call text = call({"info", recording(), "--pathmap"});
  const auto again = write("again.yaml", text.out());
  EXPECT_EQ(call({"check", again}).status(), 0) << text.out();
  Call json = call({"info", recording(), "--format", "json"});
  EXPECT_THAT(json.out(), AllOf(StartsWith("{\"file\":"), HasSubstr("\"events\":50")));
}

TEST_F(RecordingCommands, ASnapshotHasTheLastEventsOfAKilledProcess) {
  const auto pathmap = market();
  Call application = start_stuck(pathmap);
  for (const int process : processes_with(QUEUE_APP)) ::kill(process, SIGKILL);
  application.status();
  Call snapshot = call({"snapshot", pathmap, "-o", recording()});
  EXPECT_EQ(snapshot.status(), 0) << snapshot.err();
  call({"down", pathmap});
  EXPECT_THAT(call({"info", recording()}).out(), AllOf(HasSubstr("dead"), HasSubstr("events           50")));
  Call heartbeat = call({"heartbeat", recording(), "--once", "--list", "all"});
  EXPECT_EQ(heartbeat.status(), 1);
  EXPECT_THAT(heartbeat.out(), HasSubstr("process dead"));
}

TEST_F(RecordingCommands, ARunThatCrashesIsRecordedToItsEnd) {
  const auto pathmap = market();
  Call application = start_stuck(pathmap);
  Call record = start({"record", pathmap, "-o", recording(), "--until-end", "--state", "10ms"});
  ASSERT_TRUE(testing_commands::eventually([&] {
    return std::filesystem::exists(recording()) && std::filesystem::file_size(recording()) > 4000;
  }));
  for (const int process : processes_with(QUEUE_APP)) ::kill(process, SIGKILL);
  application.status();
  EXPECT_EQ(record.status(), 0) << record.err();
  call({"down", pathmap});
  EXPECT_THAT(call({"info", recording()}).out(), AllOf(HasSubstr("the processes have ended"),
                                                       HasSubstr("dead"), HasSubstr("events           50")));
  Call heartbeat = call({"heartbeat", recording(), "--once", "--list", "all"});
  EXPECT_EQ(heartbeat.status(), 1);
  EXPECT_THAT(heartbeat.out(), HasSubstr("process dead"));
}

TEST_F(RecordingCommands, ADirectRecorderReadsTheSameAndNeedsNoServer) {
  const auto pathmap = market();
  Call application = start_stuck(pathmap);
  ASSERT_EQ(call({"snapshot", pathmap, "-o", file("asked.evs")}).status(), 0);
  ASSERT_EQ(call({"down", pathmap}).status(), 0);
  Call record = call({"record", pathmap, "-o", recording(), "--direct", "--for", "50ms"});
  EXPECT_EQ(record.status(), 0) << record.err();
  stop(application, pathmap);
  const auto events = [this](const std::string& of) {
    return call({"events", of, "--quiet", "--apart", "--format", "csv"}).out();
  };
  EXPECT_EQ(test::lines_of(events(recording())).size(), 51u) << "a line of names, and 50 events";
  EXPECT_EQ(test::lines_of(events(file("asked.evs"))).size(), 51u);
  Call both = call({"record", pathmap, "-o", recording(), "--direct", "--node", "n1"});
  EXPECT_EQ(both.status(), 2);
  EXPECT_THAT(both.err(), AllOf(HasSubstr("--direct"), HasSubstr("--node")));
}

TEST_F(RecordingCommands, ASessionWithoutAPathmapIsRecordedUntilItsProcessEnds) {
  Call application = start({"run", "--session", "solver", "--", DYNAMIC_APP, "queue-again"});
  ASSERT_TRUE(application.says("tuple 1")) << application.err();
  Call direct = call({"record", "solver", "-o", file("direct.evs"), "--direct"});
  EXPECT_EQ(direct.status(), 2);
  EXPECT_THAT(direct.err(), HasSubstr("--direct needs a pathmap"));
  EXPECT_FALSE(std::filesystem::exists(file("direct.evs")));
  Call record = start({"record", "solver", "-o", recording(), "--until-end"});
  ASSERT_TRUE(testing_commands::eventually([&] {
    return std::filesystem::exists(recording()) && std::filesystem::file_size(recording()) > 1000;
  }));
  application.signal(SIGTERM);
  application.status();
  EXPECT_EQ(record.status(), 0) << record.err();
  Call info = call({"info", recording()});
  EXPECT_THAT(info.out(), HasSubstr("the processes have ended"));
  EXPECT_THAT(info.out(), testing::ContainsRegex("dynamic_app[^\n]* ended "))
      << "its segment is gone: " << info.out();
  Call events = call({"events", recording(), "--quiet"});
  EXPECT_THAT(events.out(), HasSubstr("/main")) << "names that the process gave itself";
}

TEST_F(RecordingCommands, AKilledRecorderLeavesTheWrittenEvents) {
  const auto pathmap = market();
  Call application = start_stuck(pathmap);
  Call record = start({"record", pathmap, "-o", recording(), "--state", "10ms"});
  ASSERT_TRUE(testing_commands::eventually([&] {
    return std::filesystem::exists(recording()) && std::filesystem::file_size(recording()) > 4000;
  }));
  EXPECT_THAT(call({"info", recording()}).out(), HasSubstr("it is still being written"));
  record.signal(SIGKILL);
  record.status();
  stop(application, pathmap);
  EXPECT_THAT(call({"info", recording()}).out(),
              AllOf(HasSubstr("the recorder was killed"), HasSubstr("events           50")));
}

TEST_F(RecordingCommands, AFullDiskEndsTheRecorderWithAMessageAndLeavesTheWrittenEvents) {
  const auto pathmap = market();
  Call application = start_stuck(pathmap);
  Call record = start({"record", pathmap, "-o", recording(), "--state", "10ms"});
  ASSERT_TRUE(testing_commands::eventually([&] {
    return std::filesystem::exists(recording()) && std::filesystem::file_size(recording()) > 4000;
  }));
  const rlimit limit{std::filesystem::file_size(recording()) + 100, RLIM_INFINITY};
  ASSERT_EQ(::prlimit(record.pid(), RLIMIT_FSIZE, &limit, nullptr), 0);
  EXPECT_EQ(record.status(), 3);
  EXPECT_THAT(record.err(),
              AllOf(HasSubstr("cannot write"), HasSubstr(recording()), HasSubstr("File too large")));
  stop(application, pathmap);
  EXPECT_THAT(call({"info", recording()}).out(), HasSubstr("events           50"));
}

TEST_F(RecordingCommands, FailuresSayWhatToDoAndLeaveNoFile) {
  const auto pathmap = market();
  Call no_servers = call({"record", pathmap, "-o", recording()});
  EXPECT_EQ(no_servers.status(), 3);
  EXPECT_THAT(no_servers.err(), HasSubstr("run `eventspace up"));
  EXPECT_FALSE(std::filesystem::exists(recording()));

  Call application = start_stuck(pathmap);
  write("mine.txt", "precious");
  Call exists = call({"snapshot", pathmap, "-o", file("mine.txt")});
  EXPECT_EQ(exists.status(), 3);
  EXPECT_THAT(exists.err(), HasSubstr("exists; name another file, or replace it with --force"));
  EXPECT_EQ(testing_commands::read_text(file("mine.txt")), "precious");
  EXPECT_EQ(call({"snapshot", pathmap, "-o", file("mine.txt"), "--force"}).status(), 0);
  Call no_directory = call({"snapshot", pathmap, "-o", file("none/run.evs")});
  EXPECT_EQ(no_directory.status(), 3);
  EXPECT_THAT(no_directory.err(), HasSubstr("cannot make"));
  stop(application, pathmap);

  for (const char* const command : {"elements", "switch", "share"}) {
    Call refused =
        call(std::string(command) == "switch" ? std::vector<std::string>{command, file("mine.txt"), "off"}
                                              : std::vector<std::string>{command, file("mine.txt")});
    EXPECT_EQ(refused.status(), 2) << command;
    EXPECT_THAT(refused.err(), HasSubstr("is a recording; this command needs a running session")) << command;
  }
  Call live = call({"heartbeat", pathmap, "--at", "1s"});
  EXPECT_EQ(live.status(), 2);
  EXPECT_THAT(live.err(), HasSubstr("--at needs a recording"));
}

}  // namespace
}  // namespace eventspace

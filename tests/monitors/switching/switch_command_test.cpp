#include <gmock/gmock.h>

#include <signal.h>

#include <fstream>

#include "tests/monitors/workplace.h"
#include "tuplespace/system/session_files.h"

// `eventspace switch` as a process, beside an application of two processes.
namespace eventspace {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing_commands::eventually;

class SwitchCommand : public testing_commands::Workplace {
 protected:
  /// Runs the command with further words, and returns the rows as CSV.
  std::string rows_of(std::vector<std::string> words, int status = 0) {
    std::vector<std::string> call_words{"switch", pathmap_, "--format", "csv", "--timeout", timeout_};
    call_words.insert(call_words.end(), words.begin(), words.end());
    auto done = call(call_words);
    EXPECT_EQ(done.status(), status) << done.out() << done.err();
    error_ = done.err();
    return done.out();
  }
  /// The fields of a process in the output of `segments` that do not change by themselves.
  std::string events_of(const std::string& process) {
    const std::string list = call({"segments", pathmap_, "--format", "csv"}).out();
    const std::size_t row = list.find("," + process + ",");
    std::string rest = list.substr(row, list.find('\n', row) - row);
    for (int comma = 0; comma < 6; ++comma) rest.erase(0, rest.find(',') + 1);
    return rest.substr(0, rest.find(','));
  }

  /// Kills the processes of the application, and waits for the end of `run`.
  void kill_all_of(testing_commands::Call& application) {
    for (const auto& segment : find_segments("tiny", "", file("shm")))
      ::kill(std::stoi(segment.extension().string().substr(1)), SIGKILL);
    application.status();
  }

  std::filesystem::path pathmap_{
      tiny(testing_commands::free_port(), testing_commands::free_port(), testing_commands::monitors_scopes)};
  std::string timeout_{"300ms"};  // for servers that do not run
  std::string error_;
};

TEST_F(SwitchCommand, SwitchesARunningApplicationDirectlyAndThroughItsServers) {
  auto application = start_application_of(pathmap_, {TINY_APP});
  EXPECT_THAT(rows_of({}),
              AllOf(HasSubstr("node,process,pid,collecting,by,refusal\n"), HasSubstr(",on,directly,")));
  EXPECT_THAT(rows_of({"off", "--process", "p0"}),
              AllOf(HasSubstr("n1,p0,"), HasSubstr(",off,directly,"), Not(HasSubstr("p1"))));
  const std::string before = events_of("p0");
  const std::string other = events_of("p1");
  EXPECT_TRUE(eventually([&] { return events_of("p1") != other; }));
  EXPECT_EQ(events_of("p0"), before);

  start_servers_of(pathmap_);
  timeout_ = "20s";
  EXPECT_THAT(rows_of({"on"}), AllOf(HasSubstr(",on,server,"), Not(HasSubstr("off"))));
  EXPECT_TRUE(eventually([&] { return events_of("p0") != before; }));
  EXPECT_THAT(rows_of({"1/50", "--kind", "operation", "--class", "write", "--node", "n2"}),
              HasSubstr(",\"on, but operation write 1/50\",server,"));
  application.signal(SIGINT);
  application.status();
}

TEST_F(SwitchCommand, AHeartbeatDoesNotCallAThreadStalledThatIsNotCollected) {
  auto application = start_application_of(pathmap_, {TINY_APP});
  start_servers_of(pathmap_);
  timeout_ = "20s";
  rows_of({"off", "--process", "p0"});
  auto heartbeat = call({"heartbeat", pathmap_, "--stall", "500ms", "--count", "6", "--list", "all"});
  EXPECT_EQ(heartbeat.status(), 0) << heartbeat.out() << heartbeat.err();
  EXPECT_THAT(heartbeat.out(),
              AllOf(HasSubstr("1 running, 1 not collected"), HasSubstr("collecting is off")));
}

TEST_F(SwitchCommand, ProcessesThatCannotBeSwitchedAreNamedGroupedByReason) {
  auto application = start_application_of(pathmap_, {TINY_APP});
  for (const auto& segment : find_segments("tiny", "", file("shm")))
    std::ofstream(control_file_of(segment), std::ios::trunc) << "junk";
  rows_of({"off"}, 3);
  EXPECT_THAT(error_, AllOf(HasSubstr("cannot switch p0 (pid "), HasSubstr("it is truncated: 4 bytes")));
  for (const auto& segment : find_segments("tiny", "", file("shm")))
    std::filesystem::remove(control_file_of(segment));
  EXPECT_THAT(rows_of({"off"}, 3), HasSubstr("its control file is missing"));
  EXPECT_THAT(error_,
              testing::ContainsRegex(
                  "cannot switch p0 \\(pid [0-9]+\\), p1 \\(pid [0-9]+\\): its control file is missing"));
}

TEST_F(SwitchCommand, WithoutAProcessItReportsSo) {
  rows_of({"off"}, 3);
  EXPECT_THAT(error_, HasSubstr("cannot reach the processes of n1..n2: none runs"));
}

TEST_F(SwitchCommand, MisspelledNamesAreUsageErrorsWithTheNearestName) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> slips{
      {{"50%"}, "allowed: on, off, or 1/N"},
      {{"off", "--kind", "operatoin"}, "did you mean 'operation'"},
      {{"off", "--class", "wirte"}, "did you mean 'write'"},
      {{"off", "--process", "p2"}, "--process: nothing matches 'p2'"},
      {{"off", "--node", "n["}, "--node: the pattern 'n['"},
      {{"--kind", "probe"}, "need a setting: on, off or 1/N"}};
  for (const auto& [words, text] : slips) {
    rows_of(words, 2);
    EXPECT_THAT(error_, HasSubstr(text));
  }
}

TEST_F(SwitchCommand, ControlFilesAreNotSegmentsAndAreRemovedWithThem) {
  auto application = start_application_of(pathmap_, {TINY_APP});
  EXPECT_THAT(call({"segments", pathmap_}).out(), Not(HasSubstr(".control")));
  kill_all_of(application);
  EXPECT_EQ(find_control_files("tiny", "", file("shm")).size(), 2u);
  EXPECT_THAT(call({"segments", pathmap_, "--remove"}).err(), HasSubstr("removed 2 files of dead processes"));
  EXPECT_TRUE(std::filesystem::is_empty(file("shm")));
}

TEST_F(SwitchCommand, AControlFileThatOutlivedItsSegmentIsListedAndRemoved) {
  auto application = start_application_of(pathmap_, {TINY_APP});
  kill_all_of(application);
  for (const auto& segment : find_segments("tiny", "", file("shm"))) std::filesystem::remove(segment);
  // A new file may belong to a process of another container.
  for (const auto& control : find_control_files("tiny", "", file("shm")))
    std::filesystem::last_write_time(control,
                                     std::filesystem::file_time_type::clock::now() - std::chrono::minutes(1));
  EXPECT_THAT(call({"segments", pathmap_, "--format", "csv"}).out(), HasSubstr(".control,,control,"));
  call({"segments", pathmap_, "--remove"});
  EXPECT_TRUE(std::filesystem::is_empty(file("shm")));
}

}  // namespace
}  // namespace eventspace

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "tests/monitors/json_lines.h"
#include "tests/monitors/workplace.h"
#include "tests/tuplespace/stopped_process.h"
#include "tuplespace/system/mapping.h"

// `eventspace heartbeat` and `eventspace events` beside a running application: threads a (process p0, node
// n1) and b (p1, n2), each writing to its path "log" about every millisecond.
namespace eventspace {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::SizeIs;
using testing::StartsWith;
using testing_commands::Call;
using Json = nlohmann::json;
using testing_commands::lines_of;
using testing_commands::objects_in;

class WatchCommands : public testing_commands::Workplace {
 protected:
  void start_application() { application_.emplace(start_application_of(pathmap_, {TINY_APP})); }
  void start_servers() { start_servers_of(pathmap_); }
  Call watch(const std::string& command, const std::vector<std::string>& options) {
    std::vector<std::string> arguments{command, pathmap_};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return call(arguments);
  }
  void stop_process(const std::string& name) {
    for (const int pid : processes_with(TINY_APP)) {
      const std::string environment =
          testing_commands::read_text("/proc/" + std::to_string(pid) + "/environ");
      if (environment.find("EVENTSPACE_PROCESS=" + name) != std::string::npos) test::stop_whole(pid);
    }
  }

  static std::set<std::string> names_in(const Json& object) {
    std::set<std::string> names;
    for (const auto& [name, value] : object.items()) names.insert(name);
    return names;
  }

  std::filesystem::path pathmap_ =
      tiny(testing_commands::free_port(), testing_commands::free_port(), testing_commands::monitors_scopes);
  std::optional<Call> application_;
};

using HeartbeatCommand = WatchCommands;

TEST_F(HeartbeatCommand, ListsEveryThreadInText) {
  start_servers();
  start_application();
  auto heartbeat = watch("heartbeat", {"--once", "--list", "all", "--stall", "30s"});
  EXPECT_EQ(heartbeat.status(), 0) << heartbeat.err();
  EXPECT_THAT(heartbeat.out(), HasSubstr("2 threads: 2 running"));
  EXPECT_THAT(heartbeat.out(), HasSubstr("write log"));
}

TEST_F(HeartbeatCommand, IsAnObjectAPullAndAThreadInJson) {
  start_servers();
  start_application();
  auto heartbeat = watch("heartbeat", {"--once", "--format", "json", "--stall", "30s"});
  const auto objects = objects_in(heartbeat.out());
  ASSERT_THAT(objects, SizeIs(3)) << heartbeat.err();
  EXPECT_EQ(
      names_in(objects[0]),
      (std::set<std::string>{"type", "time_s", "threads", "stalled", "ended", "delays", "missing", "culprits",
                             "element_waits", "mpi_jobs", "mpi_stalls", "mpi_unfollowed", "stacks"}));
  EXPECT_THAT(names_in(objects[1]),
              IsSupersetOf({"type", "time_s", "thread", "verdict", "stalled", "silent_s", "in_flight_s",
                            "in_flight", "last", "last_ended_ns", "absent_from"}));
  EXPECT_EQ(objects[1]["thread"], "a");
  EXPECT_EQ(objects[2]["thread"], "b");
  EXPECT_EQ(objects[2]["verdict"], "running");
  EXPECT_EQ(objects[2]["last"]["verb"], "write");
}

TEST_F(HeartbeatCommand, HasItsNamesFirstInCsv) {
  start_servers();
  start_application();
  auto heartbeat = watch("heartbeat", {"--once", "--format", "csv", "--stall", "30s"});
  const auto lines = lines_of(heartbeat.out());
  ASSERT_THAT(lines, SizeIs(3)) << heartbeat.err();
  EXPECT_EQ(lines[0],
            "time,thread,verdict,stalled,silent_s,in_flight_s,operation,last,waiting,absent_from,waits_at,"
            "kept,capacity,mpi_stall,held_up_s");
  EXPECT_THAT(lines[1], HasSubstr(",a,running,0,"));
}

TEST_F(HeartbeatCommand, PrintsItsOwnCost) {
  start_servers();
  start_application();
  auto heartbeat = watch("heartbeat", {"--count", "3", "--interval", "10ms", "--verbose", "--stall", "30s"});
  EXPECT_EQ(heartbeat.status(), 0);
  const auto lines = lines_of(heartbeat.err());
  ASSERT_THAT(lines, SizeIs(4)) << heartbeat.err();
  EXPECT_THAT(lines[1],
              testing::MatchesRegex("cost of watching: .+ of processor time in .+ \\(.+ %\\); 3 pulls of "
                                    ".+; [1-9][0-9.]* (B|KiB) received in [1-9][0-9]* messages, "
                                    "[1-9][0-9.]* (B|KiB) sent in [1-9][0-9]* messages"));
  EXPECT_THAT(lines[2], testing::MatchesRegex("  level all: .+ per pull"));
  EXPECT_THAT(lines[3],
              testing::MatchesRegex("  level node: .+ per pull \\(mean of 2; slowest: .+, node n[12]\\)"));
}

TEST_F(HeartbeatCommand, AStallIsStatus1AndNamed) {
  start_servers();
  start_application();
  stop_process("p1");
  auto heartbeat = watch("heartbeat", {"--until-stall", "--stall", "300ms", "--interval", "50ms"});
  EXPECT_EQ(heartbeat.status(), 1) << heartbeat.err();
  EXPECT_THAT(heartbeat.out(), HasSubstr("STALL at b: process stopped"));
  EXPECT_EQ(heartbeat.err(), "") << "nothing was lost that changes the answer";
}

TEST_F(HeartbeatCommand, AServerThatDoesNotRunIsNamedIfAnotherDoes) {
  start_servers();
  Call down = start({"down", pathmap_, "--node", "n2"}, ground().launch("n2"));  // its files are there
  ASSERT_EQ(down.status(), 0);
  ASSERT_THAT(down.out(), HasSubstr("n2: stopped"));
  auto heartbeat = watch("heartbeat", {"--count", "1", "--timeout", "200ms"});
  EXPECT_THAT(heartbeat.out(), HasSubstr("missing: server of node n2"));
}

using EventsCommand = WatchCommands;

TEST_F(EventsCommand, ShowsSoManyEventsAndASummary) {
  start_servers();
  start_application();
  auto events = watch("events", {"--count", "20", "--verbose"});
  EXPECT_EQ(events.status(), 0) << events.err();
  const auto lines = lines_of(events.out());
  EXPECT_THAT(lines, SizeIs(20));
  EXPECT_THAT(lines, Each(HasSubstr(" write log")));
  EXPECT_THAT(events.err(), StartsWith("20 events in "));
}

TEST_F(EventsCommand, AreObjectsInJsonInTheOrderOfTheirNumbers) {
  start_servers();
  start_application();
  auto events = watch("events", {"--count", "50", "--threads", "b", "--format", "json", "--quiet"});
  const auto objects = objects_in(events.out());
  ASSERT_THAT(objects, SizeIs(50)) << events.err();
  EXPECT_EQ(names_in(objects[0]), (std::set<std::string>{"start_ns",
                                                         "duration_ns",
                                                         "kind",
                                                         "thread",
                                                         "path",
                                                         "point",
                                                         "verb",
                                                         "from",
                                                         "status",
                                                         "process",
                                                         "node",
                                                         "peer",
                                                         "bytes",
                                                         "missed",
                                                         "sequence",
                                                         "parameter",
                                                         "virtual_time",
                                                         "start_here_ns",
                                                         "error_ns",
                                                         "element_start_ns",
                                                         "element_duration_ns",
                                                         "element_start_here_ns",
                                                         "element_error_ns",
                                                         "element_process",
                                                         "element_sequence"}));
  for (std::size_t i = 1; i < objects.size(); ++i) {
    EXPECT_EQ(objects[i]["thread"], "b");
    EXPECT_EQ(objects[i]["sequence"], objects[i - 1]["sequence"].get<int>() + 1);
    EXPECT_NEAR(objects[i]["start_here_ns"].get<double>(), objects[i]["start_ns"].get<double>(), 1e9);
    EXPECT_GT(objects[i]["error_ns"], 0);  // a rounding error
  }
  EXPECT_EQ(events.err(), "");
}

TEST_F(EventsCommand, HaveTheirNamesFirstInCsv) {
  start_servers();
  start_application();
  auto events = watch("events", {"--count", "3", "--format", "csv"});
  const auto lines = lines_of(events.out());
  ASSERT_THAT(lines, SizeIs(4)) << events.err();
  EXPECT_EQ(
      lines[0],
      "start_ns,duration_ns,kind,thread,path,point,verb,from,status,process,node,peer,bytes,missed,sequence,"
      "parameter,virtual_time,passage,probe,value1,value2,value3,value4,value5,value6,value7,value8,"
      "call,communicator,partner,tag,ordinal,request,requests,calls,site,error,task,tasks,group,encoding,"
      "nested,"
      "start_here_ns,error_ns,"
      "element_start_ns,element_duration_ns,element_start_here_ns,element_error_ns,element_process,"
      "element_sequence");
}

TEST_F(EventsCommand, AnOperationThatWasRecordedAtBothEndsIsOneRowWithTheTimesAtEachEnd) {
  pathmap_ = tiny(testing_commands::free_port(), testing_commands::free_port(),
                  "  both:\n    at: [thread, element]\n    read: next\n    timeout: 5s\n"
                  "    levels: [{group: all, wrapper: gather}, {group: node, wrapper: gather}]\n",
                  "thread, element");
  start_servers();
  start_application();
  auto events = watch("events", {"--scope", "both", "--count", "200", "--format", "json", "--quiet"});
  const auto objects = objects_in(events.out());
  ASSERT_THAT(objects, SizeIs(200)) << events.err();
  int joined = 0;
  for (const Json& row : objects) {
    if (row["element_start_ns"].is_null()) continue;
    ++joined;
    EXPECT_EQ(row["point"], "thread");
    EXPECT_GE(row["element_start_ns"], row["start_ns"]);
    EXPECT_LE(row["element_duration_ns"], row["duration_ns"]);
    EXPECT_TRUE(row["duration_ns"].is_number_integer());
  }
  EXPECT_GT(joined, 150) << "records at the borders of a trace element's history may be alone";
  auto apart =
      watch("events", {"--scope", "both", "--count", "200", "--format", "json", "--quiet", "--apart"});
  for (const Json& row : objects_in(apart.out())) {
    EXPECT_TRUE(row["element_start_ns"].is_null());
    EXPECT_EQ(row["virtual_time"].is_null(), row["point"] == "element");
  }
}

/// Reads a named pipe only at the end, so that the writer must wait until then.
class SlowReader {
 public:
  explicit SlowReader(const std::filesystem::path& pipe) {
    EXPECT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    end_ = FileHandle(::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    EXPECT_TRUE(end_.valid());
  }
  [[nodiscard]] bool has_input() const {
    pollfd input{end_.get(), POLLIN, 0};
    return ::poll(&input, 1, 60'000) == 1;
  }
  /// All output until the writer has ended.
  [[nodiscard]] std::string read() const {
    std::string text;
    std::array<char, 4096> part{};
    while (has_input()) {
      const ssize_t length = ::read(end_.get(), part.data(), part.size());
      if (length <= 0) break;
      text.append(part.data(), static_cast<std::size_t>(length));
    }
    return text;
  }

 private:
  FileHandle end_;
};

TEST_F(EventsCommand, EndSoonAfterASignalThoughMuchIsLeftToShow) {
  start_servers();
  start_application();
  auto enough = watch("events", {"--count", "2000", "--quiet"});
  ASSERT_EQ(enough.status(), 0) << enough.err();
  const SlowReader reader(file("pipe"));
  auto events = start({"events", pathmap_, "--format", "json"},
                      {"/bin/sh", "-c", "exec \"$@\" > \"$0\"", file("pipe")});
  ASSERT_TRUE(reader.has_input());
  events.signal(SIGINT);
  EXPECT_THAT(objects_in(reader.read()), SizeIs(256));
  EXPECT_EQ(events.status(), 0);
  EXPECT_THAT(events.err(),
              testing::ContainsRegex("incomplete: .*[1-9][0-9]* more events of the last view are not shown"));
}

TEST_F(EventsCommand, WithoutAnyAnswerItIsStatus3) {
  auto events = watch("events", {"--for", "300ms", "--timeout", "200ms", "--interval", "10ms"});
  EXPECT_EQ(events.status(), 3);
  EXPECT_THAT(events.err(), HasSubstr("no server of session 'tiny' answers"));
}

TEST_F(EventsCommand, InvalidOptionsAreStatus2) {
  auto unknown = watch("events", {"--scope", "evnts"});
  EXPECT_EQ(unknown.status(), 2);
  EXPECT_THAT(unknown.err(), HasSubstr("no scope 'evnts'; it has all, heartbeat, events"));
  auto glob = watch("events", {"--threads", "a{"});
  EXPECT_EQ(glob.status(), 2);
  EXPECT_THAT(glob.err(), HasSubstr("--threads 'a{'"));
}

using ValuesCommand = WatchCommands;

TEST_F(ValuesCommand, ShowsTheValuesOfAScope) {
  start_servers();
  start_application();
  auto values = watch("values", {"--count", "1", "--verbose"});
  EXPECT_EQ(values.status(), 0);
  const auto lines = lines_of(values.out());
  ASSERT_THAT(lines, SizeIs(2)) << values.err();
  EXPECT_THAT(lines[0],
              testing::MatchesRegex(" *[0-9.]+.?s  histogram bytes a +[0-9.]+  of [0-9]+, .* to .*, p50 .*"));
  EXPECT_THAT(lines[1], HasSubstr("bytes b "));
  EXPECT_THAT(values.err(), testing::ContainsRegex("[1-9][0-9]* events in .*\n"));
}

TEST_F(ValuesCommand, CountsEachEventOnceInItsTotals) {
  start_servers();
  start_application();
  auto values =
      watch("values", {"--count", "20", "--interval", "5ms", "--total", "--verbose", "--format", "json"});
  const auto objects = objects_in(values.out());
  ASSERT_THAT(objects, SizeIs(40)) << values.err();
  EXPECT_EQ(names_in(objects[0]), (std::set<std::string>{"time_s", "name", "group", "reduction", "unit",
                                                         "value", "count", "min", "max", "buckets", "lost"}));
  const std::uint64_t a = objects[38]["count"];
  const std::uint64_t b = objects[39]["count"];
  EXPECT_THAT(values.err(), StartsWith(std::to_string(a + b) + " events in "));
  EXPECT_GE(a, objects[36]["count"].get<std::uint64_t>());
}

TEST_F(ValuesCommand, HaveTheirNamesFirstInCsv) {
  start_servers();
  start_application();
  auto values = watch("values", {"--count", "1", "--format", "csv", "--quiet"});
  const auto lines = lines_of(values.out());
  ASSERT_THAT(lines, SizeIs(3)) << values.err();
  EXPECT_EQ(lines[0], "time_s,name,group,reduction,unit,value,count,min,max,p50,p90,p99,lost");
  EXPECT_THAT(lines[1], HasSubstr(",bytes,a,histogram,,"));
  EXPECT_EQ(values.err(), "");
}

TEST_F(ValuesCommand, AScopeWithoutValuesIsStatus2WithAHint) {
  auto values = watch("values", {"--scope", "events"});
  EXPECT_EQ(values.status(), 2);
  EXPECT_THAT(values.err(),
              HasSubstr("scope events computes no values; put the wrapper `aggregate` on one of its levels"));
}

TEST_F(ValuesCommand, WithoutAnyAnswerItIsStatus3) {
  auto values = watch("values", {"--count", "1"});
  EXPECT_EQ(values.status(), 3);
  EXPECT_THAT(values.err(), HasSubstr("no server of session 'tiny' answers"));
}

}  // namespace
}  // namespace eventspace

#include <fmt/format.h>
#include <signal.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "tests/monitors/delays/ring.h"
#include "tests/monitors/json_lines.h"

// Which threads delay the others, as reported by the commands for running programs and for their recordings:
// a ring of eight threads, and the wind tunnel.
namespace eventspace {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing_commands::Call;
using testing_commands::eventually;
using testing_commands::objects_in;
using Json = nlohmann::json;

class DelayCommands : public testing_commands::Ring {};

constexpr const char* of_t3 = "FIRST CAUSE t3: ";

TEST_F(DelayCommands, TheSlowedThreadOfARingIsNamedByEachCommandThatWatchesIt) {
  begin_ring({"t3", "4"});
  using Question = std::pair<std::string, std::vector<std::string>>;
  for (const Question& question :
       std::vector<Question>{{"heartbeat", {"--count", "3", "--interval", "500ms", "--stall", "30s"}},
                             {"heartbeat", {"--once", "--stall", "30s"}},
                             {"collectives", {"--total", "--for", "2s"}},
                             {"profile", {"--for", "2s"}},
                             {"top", {"--lines", "--count", "4", "--interval", "500ms", "--stall", "30s"}}}) {
    std::string said;  // an overloaded machine sometimes gives it too few operations
    const auto names_it = [&] {
      said = ask(question.first, question.second).out();
      return said.find(of_t3) != std::string::npos;
    };
    EXPECT_TRUE(eventually(names_it)) << question.first << ": " << said;
  }
}

TEST_F(DelayCommands, TheSlowedThreadOfARingIsNamedInJsonAndCsv) {
  begin_ring({"t3", "4"});
  const auto pulls = objects_in(
      ask("heartbeat", {"--count", "4", "--interval", "500ms", "--stall", "30s", "--format", "json"}).out());
  Json delays;
  for (const Json& object : pulls)
    if (object["type"] == "pull") delays = object["delays"];
  EXPECT_EQ(delays["finding"], "first cause");
  EXPECT_EQ(delays["causes"], Json::array({"t3"}));
  EXPECT_GT(delays["waited_s"], 0);
  const auto rows =
      objects_in(ask("profile", {"--for", "2s", "--format", "json", "--table", "delays"}).out());
  ASSERT_EQ(rows.size(), 8U);
  EXPECT_EQ(rows[0]["thread"], "t3");
  EXPECT_EQ(rows[0]["first_cause"], true);
  EXPECT_EQ(rows[1]["first_cause"], false);
  EXPECT_THAT(ask("profile", {"--for", "2s", "--format", "csv", "--table", "delays"}).out(),
              HasSubstr("thread,held_up_s,share,waited_s,unknown_s,first_cause\nt3,"));
  EXPECT_THAT(ask("collectives", {"--total", "--for", "2s", "--format", "csv"}).out(),
              HasSubstr(",delay,t3,,first_cause,"));
}

TEST_F(DelayCommands, ARecordingNamesTheSlowedThreadAsTheLiveProgramDoes) {
  begin_ring({"t3", "4"});
  const auto recording = file("ring.evs");
  Call record = call({"record", pathmap_, "--for", "4s", "-o", recording});
  ASSERT_EQ(record.status(), 0) << record.err();
  pathmap_ = recording;
  for (const auto& [command, options] :
       std::vector<std::pair<std::string, std::vector<std::string>>>{{"heartbeat", {"--stall", "30s"}},
                                                                     {"collectives", {"--total"}},
                                                                     {"profile", {}},
                                                                     {"top", {"--lines", "--stall", "30s"}}})
    EXPECT_THAT(ask(command, options).out(), HasSubstr(of_t3)) << command;
}

TEST_F(DelayCommands, NoThreadOfABalancedRingIsNamed) {
  begin_ring({});
  for (const auto& [command, options] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {"heartbeat", {"--count", "6", "--interval", "500ms", "--stall", "30s"}},
           {"collectives", {"--total", "--for", "3s"}},
           {"profile", {"--for", "3s"}}})
    EXPECT_THAT(ask(command, options).out(), Not(HasSubstr("FIRST CAUSE"))) << command;
}

// One thread of the wind tunnel is slowed by a stage on one of its paths.
TEST_F(DelayCommands, TheSlowedThreadOfTheWindTunnelIsNamed) {
  pathmap_ = write("tunnel.yaml", R"(pathmap: 1
name: tunnel
cluster: {nodes: {n1: {}}}
application:
  threads: ["t[0-7]", main]
  elements: [{name: results, tuple: [int, int, bytes], threshold: 280},
             {name: "progress/{thread}", for: "t*", tuple: [int, int], threshold: 200, when_full: discard}]
  generate:
    - neighbour-exchange: {threads: "t*", wrap: true, north: [n, ne, nw], south: [s, se, sw],
                           tuple: [int, bytes], threshold: 2}
  paths:
    - {thread: "t*", name: progress, element: "progress/{thread}", use: write}
    - {thread: "t*", name: result, element: results, use: write}
    - {thread: main, name: results, element: results, use: read}
  stages: [{threads: t5, paths: send/north/n, wrappers: [{delay: {for: 4ms}}]}]
placement:
  processes: {p0: {node: n1, threads: ["t[0-3]", main]}, p1: {node: n1, threads: "t[4-7]"}}
  elements: [{elements: "border/**", with: reader, shared: 32KiB}, {elements: results, with: reader}]
collect: {points: [{threads: "t*", at: thread, threshold: 1000}]}
scopes:
  heartbeat: {threads: "t*", timeout: 5s, levels: [{group: all, wrapper: gather}]}
  events: {threads: "t*", read: next, timeout: 5s, levels: [{group: all, wrapper: gather}]}
)");
  start_servers_of(pathmap_);
  application_.emplace(
      start({"run", pathmap_, "--", WINDTUNNEL_PROGRAM, "--n", "64", "--steps", "1000000000"}));
  const auto profile = [&] { return ask("profile", {"--for", "2s", "--table", "delays"}).out(); };
  std::string said;
  EXPECT_TRUE(eventually([&] { return (said = profile()).find("FIRST CAUSE t5: ") != std::string::npos; }))
      << said << application_->err();
  EXPECT_TRUE(eventually([&] {
    said = ask("heartbeat", {"--count", "4", "--interval", "500ms", "--stall", "30s"}).out();
    return said.find("FIRST CAUSE t5: ") != std::string::npos;
  })) << said;
}

}  // namespace
}  // namespace eventspace

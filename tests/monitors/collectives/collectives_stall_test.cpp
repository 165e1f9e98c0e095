#include <signal.h>

#include <nlohmann/json.hpp>

#include "tests/monitors/collectives/collectives_workplace.h"
#include "tests/monitors/json_lines.h"
#include "tests/monitors/top/terminal_program.h"

// The heartbeat of a thread that does not come to a collective operation: t3, of process p1 on n2, for which
// t2 waits in its own process and t0 and t1 on another node.
namespace eventspace {
namespace {

using testing::HasSubstr;
using testing::SizeIs;
using testing_commands::lines_of;
using testing_commands::objects_in;
using testing_commands::TerminalProgram;
using Json = nlohmann::json;

class StalledCollective : public testing_commands::CollectivesWorkplace {
 protected:
  StalledCollective() {
    pathmap_ = pathmap(
        "scopes:\n"
        "  heartbeat:\n"
        "    levels: [{group: all, wrapper: gather}, {group: node, wrapper: gather},\n"
        "             {group: thread, wrapper: {reduce: {keep: latest}}}]\n");
  }
  /// Watches until all threads that can stall are stalled. Returns the output until then.
  std::string stall() {
    begin({"absent", "t3", "40"});
    auto heartbeat =
        start({"heartbeat", pathmap_, "--stall", "500ms", "--interval", "50ms", "--timeout", "30s"});
    EXPECT_TRUE(heartbeat.says(found)) << heartbeat.out() << heartbeat.err();
    heartbeat.signal(SIGINT);
    EXPECT_EQ(heartbeat.status(), 1);
    return heartbeat.out();
  }
  std::string once(const std::string& command, const std::string& format) {
    std::vector<std::string> arguments{command, pathmap_, "--once", "--stall", "500ms", "--timeout", "30s"};
    if (!format.empty()) arguments.insert(arguments.end(), {"--format", format});
    auto call = this->call(arguments);
    EXPECT_EQ(call.status(), 1) << call.err();
    return command == "top" ? call.err() : call.out();
  }

  static constexpr const char* found = "3 threads wait for it; it has not come to sum";
};

TEST_F(StalledCollective, NamesTheThreadThatHasNotComeAndHowManyWaitForIt) {
  const std::string text = stall();
  const std::string last = text.substr(text.rfind("6 threads:"));
  EXPECT_THAT(last, HasSubstr("STALL at t3: "));
  EXPECT_THAT(last, HasSubstr(found));
  EXPECT_EQ(last.find("STALL at"), last.rfind("STALL at")) << last << "the others and the joints wait for it";
  EXPECT_THAT(last, HasSubstr("; has not come to sum\n"));
}

TEST_F(StalledCollective, AllFormatsAndTheScreenAgree) {
  stall();
  const auto objects = objects_in(once("heartbeat", "json"));
  ASSERT_FALSE(objects.empty());
  ASSERT_THAT(objects[0]["culprits"], SizeIs(1)) << objects[0].dump();
  EXPECT_EQ(objects[0]["culprits"][0]["thread"], "t3");
  EXPECT_EQ(objects[0]["culprits"][0]["waiting"], 3);
  EXPECT_EQ(objects[0]["culprits"][0]["absent_from"], Json::array({"sum"}));
  for (std::size_t i = 1; i < objects.size(); ++i) {
    EXPECT_EQ(objects[i]["absent_from"], objects[i]["thread"] == "t3" ? Json::array({"sum"}) : Json::array())
        << objects[i].dump();
  }
  std::vector<std::string> blamed;  // "waiting" to "mpi_stall" are not empty; "held_up_s" follows them
  for (const std::string& line : lines_of(once("heartbeat", "csv"))) {
    const std::string before = line.substr(0, line.rfind(','));
    if (!before.ends_with(",,,,,,")) blamed.push_back(before);
  }
  ASSERT_THAT(blamed, SizeIs(2));
  EXPECT_THAT(blamed[1], HasSubstr(",t3,"));
  EXPECT_TRUE(blamed[1].ends_with(",3,sum,,,,")) << blamed[1];
  EXPECT_THAT(once("top", ""), HasSubstr(found));
  TerminalProgram top({EVENTSPACE_PROGRAM, "top", pathmap_, "--stall", "500ms", "--timeout", "30s"}, 24, 160);
  EXPECT_TRUE(top.sees("STALL at t3: ")) << top.seen().text();
  EXPECT_TRUE(top.sees(found)) << top.seen().text();
  top.type("q");
  EXPECT_EQ(top.status(), 1);
}

}  // namespace
}  // namespace eventspace

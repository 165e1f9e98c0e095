#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include <eventspace/probe.h>
#include <eventspace/session.h>
#include "tests/monitors/json_lines.h"
#include "tests/monitors/workplace.h"
#include "tests/paths/remote/raw_server.h"
#include "tests/tuplespace/trace/segment_talk.h"
#include "tuplespace/system/plain_text.h"

// Names of sessions, processes, threads and probes, texts of pathmaps, replies of servers, file names and
// arguments contain control sequences for terminals. No command may output them, in any format.

namespace eventspace {
namespace {

using namespace std::string_literals;
using testing::HasSubstr;
using testing::Not;
using testing_commands::Call;
using testing_commands::eventually;
using testing_commands::objects_in;
using Arguments = std::vector<std::string>;

/// Sets the title of a terminal, clears it, begins a line, and reverses text; with C1 characters and invalid
/// UTF-8.
const std::string hostile =
    "\x1b]0;x\a\x1b[2J\r\n\xc2\x9b"
    "31m\x7f\u202e\u2066\xff";
/// The part of this that a name may contain (is_plain_text).
const std::string hostile_name = "rtl\u202e\u2066\u200f";

class CleanOutput : public testing_commands::Workplace {
 protected:
  CleanOutput() {
    ::unsetenv("EVENTSPACE_SESSION");
    ::setenv("EVENTSPACE_NODE", "desk", 1);
  }
  ~CleanOutput() override { ::unsetenv("EVENTSPACE_NODE"); }

  static void expect_clean(const std::string& text, const std::string& of) {
    for (const char c : text) EXPECT_TRUE(c == '\n' || (c != '\x7f' && (c < 0 || c >= ' '))) << of;
    EXPECT_EQ(escaped(text, Newlines::kept), text) << of;
    EXPECT_THAT(text, Not(HasSubstr("\n\\u009b31m"))) << of << ": a name has begun a line";
  }
  /// Runs a command to its end and returns its whole output, which must be clean.
  std::string output_of(const Arguments& arguments) {
    Call call = this->call(arguments);
    const std::string text = call.out() + call.err();
    expect_clean(text, "eventspace " + testing::PrintToString(arguments));
    return text;
  }
  /// A segment of this process in a session. Its names were not checked.
  Segment segment_of(const std::string& session) const {
    Segment::Config config = test::small_segment(file("shm"));
    config.identity = {session, hostile, hostile, 0};
    return Segment(config);
  }
};

/// Every command, with a pathmap or the name of a session where possible, and such that it ends soon.
std::vector<Arguments> commands_on(const std::string& what) {
  std::vector<Arguments> all{
      {"check", what},
      {"draw", what},
      {"draw", what, "--scope", "all"},
      {"draw", what, "--scope", "all", "--live", "--for", "10ms", "--timeout", "300ms"},
      {"up", what},
      {"serve", what, "--node", "nowhere"},
      {"run", what, "--", "/bin/true"},
      {"top", what, "--once", "--timeout", "300ms"},
      {"tune", what, "--scope", "all", "--max-slowdown", "1.1"},
      {"switch", what, "off", "--timeout", "300ms"},
      {"ls", what},
      {"down", what}};
  for (const char* format : {"text", "json", "csv"}) {
    all.push_back({"check", what, "--format", format});
    all.push_back({"heartbeat", what, "--once", "--list", "all", "--timeout", "300ms", "--format", format});
    for (const char* command : {"events", "values", "collectives"})
      all.push_back({command, what, "--for", "10ms", "--timeout", "300ms", "--format", format});
    all.push_back({"segments", what, "--format", format});
  }
  return all;
}

TEST_F(CleanOutput, OfSegmentsAndSessionsWhateverTheyAreCalled) {
  const std::string session = "evil" + hostile;
  const Segment segment = segment_of(session);
  write("shm/eventspace." + std::to_string(::geteuid()) + "." + hostile + ".n.p.1", "junk");
  for (const Arguments& command :
       {Arguments{"ls"}, {"segments"}, {"ls", "--format", "csv"}, {"segments", "--format", "csv"}}) {
    EXPECT_THAT(output_of(command), HasSubstr("\\u001b]0;x\\u0007\\u001b[2J\\u000d\\n\\u009b31m\\u007f"));
  }
  std::size_t found = 0;
  for (const auto& object : objects_in(output_of({"segments", "--format", "json"}))) {
    if (object.at("state") == "alive") ++found;
  }
  EXPECT_EQ(found, 1u);
}

TEST_F(CleanOutput, OfJsonIsTheSameText) {
  const std::string session = "evil\x1b]0;x\a\r\n\x7f\u009b\u202e";
  const Segment segment = segment_of(session);
  const auto objects = objects_in(output_of({"ls", "--format", "json"}));
  ASSERT_EQ(objects.size(), 1u);
  EXPECT_EQ(objects[0].at("session"), session);
}

TEST_F(CleanOutput, OfEveryCommandOnASessionWithHostileNames) {
  std::atomic<bool> is_over{false};
  std::atomic<int> passed{0};
  std::thread thread([&] {
    auto session = Session::open("s1", {.process = "p" + hostile_name});
    session.thread("t" + hostile_name);
    while (!is_over) {
      EVENTSPACE_PROBE("probertl\u202e\u2066\u200f", 1);
      ++passed;
    }
  });
  ASSERT_TRUE(eventually([&] { return passed > 1; }));
  std::string all;
  for (const Arguments& command : commands_on("s1")) all += output_of(command);
  is_over = true;
  thread.join();
  for (const char* name :
       {"prtl\\u202e\\u2066\\u200f", "trtl\\u202e\\u2066\\u200f", "probertl\\u202e\\u2066\\u200f"})
    EXPECT_THAT(all, HasSubstr(name));
}

TEST_F(CleanOutput, OfEveryCommandOnAFaultyPathmapInAHostileFile) {
  const auto map =
      write("a\x1b[2J\n\xff.yaml",
            "pathmap: 1\nname: \"\\e[2J\\n\\x7f\\x9b\\u202e\"\n\"\\e[31m\": \"\\r\"\ncluster: {nodes: "
            "{\"\\e\": {host: \"\\e\", launch: \"\\e\"}}}\nscopes: {\"\\e\": \"\\a\"}\n");
  for (const Arguments& command : commands_on(map)) {
    // JSON shows invalid UTF-8 as U+FFFD, and the name of a session is printed without all such characters.
    const bool is_name = command[0] == "ls";
    EXPECT_THAT(output_of(command), HasSubstr(is_name ? "a?[2J?" : "a\\u001b[2J\\n")) << command[0];
  }
  for (const auto& object : objects_in(output_of({"check", map, "--format", "json"})))
    EXPECT_THAT(object.at("file").get<std::string>(), HasSubstr("a\x1b[2J\n"));
}

TEST_F(CleanOutput, OfEveryCommandOnAPathmapWithHostileTexts) {
  const auto map = tiny(
      1, 2,
      "  odd: {levels: [{group: all, wrapper: gather}, {group: node, wrappers: [gather, {filter: {where: "
      "\"path == '\\e[2J\\a\\u202e'\"}}]}]}\n");
  EXPECT_THAT(output_of({"draw", map, "--scope", "odd"}), HasSubstr("\\u001b[2J"));
  for (const Arguments& command : commands_on(map)) output_of(command);
}

TEST_F(CleanOutput, OfPicturesToo) {
  const auto map = tiny(
      1, 2,
      "  odd: {levels: [{group: all, wrapper: gather}, {group: node, wrappers: [gather, {filter: {where: "
      "\"path == '\\e[2J\\a\\u202e&#27;[2J&#x9b;'\"}}]}]}\n");
  for (const char* extension : {".dot", ".svg"}) {
    const std::string name = std::string("picture") + extension;
    auto draw = call({"draw", map, "--scope", "odd", "-o", file(name)});
    if (draw.err().find("need Graphviz") != std::string::npos) GTEST_SKIP() << draw.err();
    ASSERT_EQ(draw.status(), 0) << draw.err();
    expect_clean(testing_commands::read_text(file(name)), name);
    EXPECT_THAT(testing_commands::read_text(file(name)), HasSubstr("u001b[2J")) << name;
  }
}

TEST_F(CleanOutput, OfEveryCommandWithHostileArguments) {
  for (const Arguments& command : commands_on(hostile)) {
    EXPECT_THAT(output_of(command), Not(HasSubstr("\x1b")));
    output_of({command[0], "--" + hostile, hostile});
    output_of({command[0], "--session", hostile, "--format", hostile});
  }
  EXPECT_THAT(output_of({"ls", hostile}), HasSubstr("cannot be the name of a session"));
}

TEST_F(CleanOutput, OfServersAndTheirLogsInASessionWithAHostileName) {
  ::setenv("EVENTSPACE_SESSION", ("evil" + hostile).c_str(), 1);
  const auto map =
      tiny(testing_commands::free_port(), testing_commands::free_port(), testing_commands::monitors_scopes);
  for (const Arguments& command : commands_on(map)) {
    if (command[0] != "down") output_of(command);
  }
  auto serve = start({"serve", map, "--node", "n1"});
  serve.status();  // a server already runs
  expect_clean(serve.out() + serve.err(), "serve");
  std::size_t logs = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(file(""))) {
    if (entry.path().extension() != ".log") continue;
    ++logs;
    expect_clean(testing_commands::read_text(entry.path()), entry.path().string());
  }
  EXPECT_EQ(logs, 2u);
  output_of({"down", map});
  ::unsetenv("EVENTSPACE_SESSION");
}

TEST_F(CleanOutput, OfEveryCommandThatAsksAHostileServer) {
  const auto port = static_cast<std::uint16_t>(testing_commands::free_port());
  test::RawServer server(port);
  const auto map = tiny(port, port + 1, testing_commands::monitors_scopes);
  std::ofstream(map, std::ios::app) << "security: none\n";  // it does not have the session's keys
  std::atomic<bool> is_over{false};
  std::thread answering([&] {
    while (!is_over) {
      test::RawServer::wait_for_any({&server});
      while (const auto heard = server.hear()) {
        if (*heard == wire::Kind::ping) {
          wire::ServerReport report;
          report.name = report.session = hostile;
          server.say(wire::encode(server.id(), report, wire::Timing::untimed));
        } else {
          server.answer(wire::Failure{wire::Fault::target, hostile});
        }
      }
    }
  });
  for (const Arguments& command : commands_on(map)) {
    if (command[0] != "up" && command[0] != "run") output_of(command);
  }
  output_of({"up", map, "--node", "n1"});
  is_over = true;
  answering.join();
}

}  // namespace
}  // namespace eventspace

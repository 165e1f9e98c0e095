#include <fcntl.h>
#include <signal.h>

#include <optional>

#include "tests/monitors/top/terminal_program.h"
#include "tests/monitors/workplace.h"
#include "tests/tuplespace/stopped_process.h"

// `eventspace top` on a terminal of its own, beside a running application: threads a (process p0, node n1)
// and b (p1, n2), each writing to its path "log" about every millisecond.
namespace eventspace {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing_commands::Call;
using testing_commands::TerminalEmulator;
using testing_commands::TerminalProgram;

class TopCommand : public testing_commands::Workplace {
 protected:
  void start_all() {
    start_servers_of(pathmap_);
    application_.emplace(start_application_of(pathmap_, {TINY_APP}));
  }
  [[nodiscard]] std::vector<std::string> top(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> command{EVENTSPACE_PROGRAM, "top", pathmap_, "--interval", "50ms",
                                     "--stall",          "30s"};
    command.insert(command.end(), more.begin(), more.end());
    return command;
  }
  // The table and the rates of both threads.
  static bool shows_threads(const TerminalEmulator& seen) {
    return seen.text().find("2 threads: 2 running") != std::string::npos &&
           seen.text().find(" a ") != std::string::npos &&
           seen.text().find("write log") != std::string::npos &&
           seen.text().find(" - events/s") == std::string::npos;
  }
  static bool same_modes(const termios& a, const termios& b) {
    return a.c_iflag == b.c_iflag && a.c_oflag == b.c_oflag && a.c_lflag == b.c_lflag &&
           a.c_cflag == b.c_cflag;
  }
  // The state in which a program must leave the terminal.
  static void expect_restored(const TerminalProgram& program, const termios& before) {
    EXPECT_FALSE(program.seen().is_on_second_page());
    EXPECT_TRUE(program.seen().has_cursor());
    EXPECT_TRUE(same_modes(program.modes(), before));
    EXPECT_THAT(program.seen().faults(), testing::IsEmpty());
  }

  std::filesystem::path pathmap_ =
      tiny(testing_commands::free_port(), testing_commands::free_port(), testing_commands::monitors_scopes);
  std::optional<Call> application_;
};

TEST_F(TopCommand, ShowsTheThreadsTakesKeysAndLeavesTheTerminalAsItWas) {
  start_all();
  TerminalProgram program(top(), 24, 80);
  const termios before = program.modes();
  ASSERT_TRUE(program.sees(shows_threads)) << program.seen().text();
  EXPECT_TRUE(program.seen().is_on_second_page());
  EXPECT_FALSE(program.seen().has_cursor());
  EXPECT_THAT(program.seen().row(0), HasSubstr("[1:threads]"));
  EXPECT_THAT(program.seen().row(23), HasSubstr("q quit"));

  const std::size_t first = program.seen().reversed_row();
  program.type("\x1b[B");
  EXPECT_TRUE(program.sees([&](const auto& seen) { return seen.reversed_row() == first + 1; }));
  program.type("\r");
  EXPECT_TRUE(program.sees("thread b of process p1 on node n2"));
  program.type("\x1b");
  EXPECT_TRUE(program.sees("[1:threads]"));
  EXPECT_TRUE(program.sees("OPERATION"));
  program.type("2");
  EXPECT_TRUE(program.sees("answers"));
  EXPECT_TRUE(program.sees([](const auto& seen) { return seen.text().find("PING") != std::string::npos; }));
  program.type("3");
  EXPECT_TRUE(program.sees("node n2"));
  program.type("1/b\r");
  EXPECT_TRUE(program.sees("filter: b"));
  EXPECT_TRUE(program.sees("1-1 of 1"));
  program.type("p");
  EXPECT_TRUE(program.sees("PAUSED"));
  program.type("?");
  EXPECT_TRUE(program.sees("pause or resume"));
  program.type("xq");
  EXPECT_EQ(program.status(), 0);
  expect_restored(program, before);
  EXPECT_THAT(program.seen().text(), HasSubstr("at the last pull, "));
}

TEST_F(TopCommand, DrawsOnlyWhatChanges) {
  start_all();
  TerminalProgram program(top(), 24, 80);
  ASSERT_TRUE(program.sees(shows_threads)) << program.seen().text();
  const std::size_t before = program.seen().characters();
  std::string clock = program.seen().row(1);
  for (int changes = 0; changes < 10; ++changes) {
    ASSERT_TRUE(program.sees([&](const auto& seen) { return seen.row(1) != clock; }));
    clock = program.seen().row(1);
  }
  // Ten frames or more; a whole one has 1920 characters.
  EXPECT_LT(program.seen().characters() - before, 10U * 1920 / 2);
  program.type("q");
  EXPECT_EQ(program.status(), 0);
}

TEST_F(TopCommand, FollowsTheSizeOfTheTerminal) {
  start_all();
  TerminalProgram program(top(), 24, 80);
  ASSERT_TRUE(program.sees(shows_threads)) << program.seen().text();
  program.resize(40, 140);
  EXPECT_TRUE(program.sees([](const auto& seen) {
    return seen.row(39).find("q quit") != std::string::npos &&
           seen.row(5).find("PROCESS") != std::string::npos;
  })) << program.seen().text();
  program.resize(10, 40);
  EXPECT_TRUE(program.sees([](const auto& seen) { return seen.row(0) == "too small: 40x10"; }))
      << program.seen().text();
  program.resize(24, 80);
  EXPECT_TRUE(program.sees([](const auto& seen) {
    return shows_threads(seen) && seen.row(23).find("q quit") != std::string::npos;
  })) << program.seen().text();
  program.type("q");
  EXPECT_EQ(program.status(), 0);
}

TEST_F(TopCommand, EndsCleanlyWithCtrlCAndSigterm) {
  start_all();
  for (const bool by_key : {true, false}) {
    TerminalProgram program(top(), 24, 80);
    const termios before = program.modes();
    ASSERT_TRUE(program.sees(shows_threads)) << program.seen().text();
    if (by_key) {
      program.type("\x03");
    } else {
      program.signal(SIGTERM);
    }
    EXPECT_EQ(program.status(), 0);
    expect_restored(program, before);
    EXPECT_THAT(program.seen().text(), HasSubstr("at the last pull, 2 threads: 2 running"));
  }
}

TEST_F(TopCommand, EndsWhenTheTerminalGoesAway) {
  start_all();
  TerminalProgram program(top(), 24, 80);
  ASSERT_TRUE(program.sees(shows_threads)) << program.seen().text();
  program.hang_up();
  EXPECT_EQ(program.status(), 0);
}

TEST_F(TopCommand, EndsWhenTheTerminalGoesAwayEvenIfHangUpsAreIgnored) {
  start_all();
  std::vector<std::string> command{"/bin/sh", "-c", "trap '' HUP; exec \"$@\"", "sh"};
  const auto words = top();
  command.insert(command.end(), words.begin(), words.end());
  TerminalProgram program(command, 24, 80);
  ASSERT_TRUE(program.sees(shows_threads)) << program.seen().text();
  program.hang_up();
  EXPECT_EQ(program.status(), 0);
}

TEST_F(TopCommand, LeavesTheTerminalAsItWasWhenItDiesOfAFault) {
  start_all();
  for (const int fault : {SIGSEGV, SIGABRT, SIGQUIT}) {
    TerminalProgram program({"/bin/sh", "-c", "ulimit -c 0; exec \"$@\"", "sh", EVENTSPACE_PROGRAM, "top",
                             pathmap_, "--interval", "50ms", "--stall", "30s"},
                            24, 80);
    const termios before = program.modes();
    ASSERT_TRUE(program.sees(shows_threads)) << program.seen().text();
    program.signal(fault);
    EXPECT_NE(program.status(), 0);
    EXPECT_FALSE(program.seen().is_on_second_page());
    EXPECT_TRUE(same_modes(program.modes(), before));
  }
}

TEST_F(TopCommand, GivesTheTerminalToTheShellAndTakesItBack) {
  start_all();
  TerminalProgram shell({"/bin/sh", "-i"}, 24, 80, {{"PS1", "ready> "}});
  ASSERT_TRUE(shell.sees("ready>"));
  std::string line;
  for (const std::string& word : top()) line += word + " ";
  shell.type(line + "\r");
  ASSERT_TRUE(shell.sees(shows_threads)) << shell.seen().text();
  shell.type("\x1a");
  ASSERT_TRUE(shell.sees([](const auto& seen) { return !seen.is_on_second_page() && seen.has_cursor(); }));
  ASSERT_TRUE(shell.sees("Stopped")) << shell.seen().text();
  shell.type("fg\r");
  ASSERT_TRUE(shell.sees([](const auto& seen) { return seen.is_on_second_page() && shows_threads(seen); }))
      << shell.seen().text();
  shell.type("q");
  ASSERT_TRUE(shell.sees([](const auto& seen) {  // input before the shell has the terminal again is lost
    const std::size_t last_words = seen.text().rfind("at the last");
    return last_words != std::string::npos && seen.text().find("ready>", last_words) != std::string::npos;
  })) << shell.seen().text();
  shell.type("exit 7\r");
  EXPECT_EQ(shell.status(), 7);
}

TEST_F(TopCommand, AStallIsShownFirstAndIsStatus1) {
  start_all();
  for (const int pid : processes_with(TINY_APP)) {
    const std::string environment = testing_commands::read_text("/proc/" + std::to_string(pid) + "/environ");
    if (environment.find("EVENTSPACE_PROCESS=p1") != std::string::npos) test::stop_whole(pid);
  }
  TerminalProgram program(top(), 24, 80);
  ASSERT_TRUE(program.sees("STALL at b: process stopped")) << program.seen().text();
  EXPECT_TRUE(
      program.sees([](const auto& seen) { return seen.row(seen.reversed_row()).starts_with("! b"); }));
  program.type("q");
  EXPECT_EQ(program.status(), 1);
  EXPECT_THAT(program.seen().text(), HasSubstr("STALL at b"));
}

TEST_F(TopCommand, AnswersKeysWhileServersDoNotAnswer) {
  start_all();
  TerminalProgram program(top({"--timeout", "2s"}), 24, 80);
  ASSERT_TRUE(program.sees(shows_threads)) << program.seen().text();
  for (const int server : processes_with("serve")) test::stop_whole(server);
  ASSERT_TRUE(program.sees("servers 0/2")) << program.seen().text();
  program.type("?");
  EXPECT_TRUE(program.sees("pause or resume"));
  program.type("xq");
  program.status();
  for (const int server : processes_with("serve")) ::kill(server, SIGCONT);
}

TEST_F(TopCommand, HasNoColourUnderNoColor) {
  start_all();
  TerminalProgram plain(top(), 24, 80, {{"NO_COLOR", "1"}});
  ASSERT_TRUE(plain.sees(shows_threads)) << plain.seen().text();
  EXPECT_FALSE(plain.seen().has_colour());
  TerminalProgram coloured(top(), 24, 80);
  EXPECT_TRUE(coloured.sees([](const auto& seen) { return seen.has_colour(); }));
}

TEST_F(TopCommand, UsesAsciiWhereTheLocaleDoes) {
  start_all();
  TerminalProgram program(top(), 24, 80, {{"LC_ALL", "C"}});
  ASSERT_TRUE(program.sees(shows_threads)) << program.seen().text();
  EXPECT_TRUE(std::all_of(program.bytes().begin(), program.bytes().end(), [](char c) { return c > 0; }));
  EXPECT_THAT(program.seen().text(), HasSubstr("^STATE"));
}

TEST_F(TopCommand, WritesPlainLinesWithoutATerminal) {
  start_all();
  auto top = call({"top", pathmap_, "--interval", "20ms", "--count", "2", "--stall", "30s", "--verbose"});
  EXPECT_EQ(top.status(), 0) << top.err();
  EXPECT_THAT(top.out(), Not(HasSubstr("\x1b")));
  EXPECT_THAT(top.out(), HasSubstr("2 threads: 2 running"));
  const std::string lines = top.out();
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 2 * 7);
  EXPECT_THAT(top.err(), HasSubstr("3 pulls in "));
}

TEST_F(TopCommand, StoppedServersAreStatus3WithAHintHowToResumeThem) {
  start_servers_of(pathmap_);
  for (const int server : processes_with("serve")) test::stop_whole(server);
  auto top = call({"top", pathmap_, "--once", "--timeout", "200ms"});
  EXPECT_EQ(top.status(), 3);
  EXPECT_THAT(top.err(), HasSubstr("the servers of session 'tiny' are stopped (nodes n1..n2): `kill -CONT "));
  for (const int server : processes_with("serve")) ::kill(server, SIGCONT);
}

TEST_F(TopCommand, EndsAfterTheGivenTimeOnAScreenAndAsLines) {
  start_all();
  TerminalProgram program(top({"--for", "300ms"}), 24, 80);
  EXPECT_EQ(program.status(), 0) << program.seen().text();
  EXPECT_THAT(program.seen().text(), HasSubstr("at the last pull, "));
  auto lines = call({"top", pathmap_, "--interval", "20ms", "--for", "100ms", "--stall", "30s"});
  EXPECT_EQ(lines.status(), 0) << lines.err();
  EXPECT_THAT(lines.out(), HasSubstr("2 threads: 2 running"));
  EXPECT_EQ(call({"top", pathmap_, "--once", "--for", "1s"}).status(), 2);
}

TEST_F(TopCommand, DrawOnATerminalPrintsHowToGetAPicture) {
  TerminalProgram drawing({EVENTSPACE_PROGRAM, "draw", pathmap_}, 24, 200);
  EXPECT_EQ(drawing.status(), 0);
  EXPECT_THAT(drawing.bytes(), HasSubstr("-o FILE.svg, .png or .pdf makes a picture of it"));
  EXPECT_THAT(call({"draw", pathmap_}).err(), testing::IsEmpty()) << "not on a terminal";
}

TEST_F(TopCommand, WarnsOfAnIntervalTooLongToShowStallsInTime) {
  const std::string complaint = "a stall may be reported more than ";
  auto slow = call({"top", pathmap_, "--lines", "--count", "1", "--stall", "100ms", "--interval", "60ms"});
  EXPECT_THAT(slow.err(), HasSubstr("top: with one pull every 60ms, " + complaint));
  auto own = call({"top", pathmap_, "--lines", "--count", "1", "--stall", "100ms"});
  EXPECT_THAT(own.err(), Not(HasSubstr(complaint)));
}

TEST_F(TopCommand, OnceSortsAndFilters) {
  start_all();
  auto top = call({"top", pathmap_, "--once", "--sort", "thread", "--reverse", "--filter", "path == 'log'",
                   "--stall", "30s", "--verbose"});
  EXPECT_EQ(top.status(), 0) << top.err();
  EXPECT_LT(top.out().find("\n  b "), top.out().find("\n  a ")) << top.out();
  EXPECT_THAT(top.err(), HasSubstr("cost of watching: "));
}

TEST_F(TopCommand, CountsAllEventsEvenIfFewAreKept) {
  start_all();
  auto top = call({"top", pathmap_, "--once", "--scope", "values", "--stall", "30s"});
  EXPECT_EQ(top.status(), 0) << top.err();
  EXPECT_THAT(top.out(), Not(HasSubstr(" - events/s")));
}

TEST_F(TopCommand, InvalidOptionsAreStatus2) {
  const auto fails = [this](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"top", pathmap_, "--once"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    auto top = call(arguments);
    EXPECT_EQ(top.status(), 2);
    return top.err();
  };
  EXPECT_THAT(fails({"--scope", "heartbat"}), HasSubstr("no scope 'heartbat'"));
  EXPECT_THAT(fails({"--sort", "colour"}),
              HasSubstr("cannot sort by 'colour'; known: thread, state, events/s"));
  EXPECT_THAT(fails({"--filter", "age > 3"}), HasSubstr("column"));
}

TEST_F(TopCommand, WithoutAnyAnswerItIsStatus3) {
  auto top = call({"top", pathmap_, "--once", "--timeout", "200ms"});
  EXPECT_EQ(top.status(), 3);
  EXPECT_EQ(top.out(), "");
  EXPECT_THAT(top.err(), HasSubstr("no server of session 'tiny' answers (nodes n1..n2)"));
}

}  // namespace
}  // namespace eventspace

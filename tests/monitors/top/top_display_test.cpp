#include "monitors/top/display.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>

#include "pathmaps/pathmap.h"
#include "tests/monitors/top/top_story.h"

// The frames of the screen and the effects of keys, with made-up samples of 140 threads of the wind tunnel.
// The expected frames are in top_frames/; EVENTSPACE_WRITE_FRAMES=1 rewrites them. Check them before you
// commit.
namespace eventspace::top {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using testing_commands::TopStory;
using namespace std::chrono_literals;

class TopDisplay : public testing::Test {
 protected:
  TopDisplay() {
    tell(0);
    story_.look();
    tell(1000);
    story_.look();
  }

  // Thread tN had 100 + N events on each of two paths in a second, and has been waiting for a moment.
  void tell(std::int64_t ms) {
    story_.at(ms);
    for (int i = 0; i < 140; ++i) {
      const std::string thread = "t" + std::to_string(i);
      const auto events = static_cast<std::uint64_t>((100 + i) * (ms + 1000) / 1000);
      story_.counted(thread, "send/north/n", events, ms - 4 - i)
          .counted(thread, "receive/north/s", events, ms - 3 - i);
      story_.in_flight(thread, "receive/south/n", ms - 2 - i).used(thread, i * ms / 1000);
    }
    story_.took("node n1", 1800us).took("node n2", 2ms).took("all", 3ms);
  }
  // Thread t17 computes, and the others wait for it.
  void tell_stall() {
    story_.no_more_in_flight().at(5000);
    for (int i = 0; i < 140; ++i) {
      if (i != 17)
        story_.in_flight("t" + std::to_string(i), i < 17 ? "receive/south/n" : "receive/north/s", 1500);
    }
    story_.used("t17", 4017, 'R').look();
  }

  std::string shown(Size size = {24, 80}) { return display_.draw(story_.state(), size).text(); }
  void press(const std::string& letters) {
    for (const char c : letters) display_.press({KeyName::character, {c}}, story_.state());
  }
  void press(KeyName name, int times = 1) {
    for (int i = 0; i < times; ++i) display_.press({name}, story_.state());
  }
  // The text of the row where the cursor is.
  std::string chosen(Size size = {24, 80}) {
    const Frame frame = display_.draw(story_.state(), size);
    for (std::size_t row = 0; row < size.rows; ++row) {
      if (frame.at(row, 0).is_chosen) return frame.line(row);
    }
    return "";
  }

  static void expect_frame(const std::string& shown, const std::string& name) {
    const std::string file = std::string(TOP_FRAMES) + "/" + name + ".txt";
    if (std::getenv("EVENTSPACE_WRITE_FRAMES") != nullptr) std::ofstream(file) << shown;
    std::ifstream in(file);
    const std::string expected{std::istreambuf_iterator<char>(in), {}};
    EXPECT_EQ(shown, expected) << file;
  }

  TopStory story_{require_plan(EVENTSPACE_EXAMPLES "/windtunnel-four-nodes.yaml"), "heartbeat"};
  Display display_{story_.plan(), story_.names(), "eventspace top windtunnel", Charset::utf8};
};

TEST_F(TopDisplay, ShowsThreadsAt80By24) { expect_frame(shown(), "threads-80x24"); }

TEST_F(TopDisplay, ShowsMoreColumnsAt200By60) { expect_frame(shown({60, 200}), "threads-200x60"); }

TEST_F(TopDisplay, ShowsTheStallFirst) {
  tell_stall();
  expect_frame(shown(), "stall-80x24");
  EXPECT_THAT(chosen(), StartsWith("! t17"));
}

TEST_F(TopDisplay, ReportsThatItIsTooSmall) { expect_frame(shown({10, 40}), "too-small-40x10"); }

TEST_F(TopDisplay, DrawsIntoAnySize) {
  for (std::size_t rows = 1; rows < 40; ++rows) {
    for (std::size_t columns = 1; columns < 130; columns += 3) {
      const Frame frame = display_.draw(story_.state(), {rows, columns});
      ASSERT_EQ(frame.size(), (Size{rows, columns}));
    }
  }
}

TEST_F(TopDisplay, ShowsTheStateOfEachPathOfAThread) {
  tell_stall();
  press(KeyName::down, 3);
  press(KeyName::enter);
  expect_frame(shown(), "thread-80x24");
}

TEST_F(TopDisplay, GoesFromAPathToThePeerAndBack) {
  tell_stall();
  display_.filter_by("t18");
  press(KeyName::enter);
  EXPECT_THAT(shown(), HasSubstr("thread t18 of process p0 on node n1 (pid 100, running)"));
  EXPECT_THAT(chosen(), HasSubstr("t17"));
  press(KeyName::enter);
  EXPECT_THAT(shown(), HasSubstr("thread t17 of process p0"));
  EXPECT_THAT(shown(), HasSubstr("139 threads wait for it"));
  press(KeyName::escape);
  EXPECT_THAT(shown(), HasSubstr("thread t18 of process"));
  press(KeyName::escape);
  EXPECT_THAT(shown(), Not(HasSubstr("of process")));
}

wire::ServerReport report_with(std::uint64_t requests, std::uint64_t refused) {
  wire::ServerReport report;
  report.pid = 4711;
  report.requests = requests;
  report.open_targets = 7;
  report.connections = 3;
  report.refused.assign(wire::fault_count, 0);
  report.refused[2] = refused;
  return report;
}

TEST_F(TopDisplay, ShowsServers) {
  EXPECT_FALSE(display_.needs_servers());
  press("2");
  EXPECT_TRUE(display_.needs_servers());
  EXPECT_THAT(shown(), HasSubstr("polling the servers"));
  for (const std::int64_t ms : {2000, 3000}) {
    tell(ms);
    const auto requests = static_cast<std::uint64_t>(1000 * ms);
    story_.server("n1", {Answer::answered, report_with(requests, 0), 93us}).server("n2", {});
    story_.server("n3", {Answer::answered, report_with(17, 5), 2ms}).server("n4", {});
    story_.silent("n2").silent("n4").look();
  }
  expect_frame(shown(), "servers-80x24");
}

TEST(TopDisplayServers, BehindAGatewayAreNotAsked) {
  TopStory story(require_plan(EVENTSPACE_EXAMPLES "/windtunnel-two-clusters.yaml"), "clusters");
  Display display(story.plan(), story.names(), "eventspace top windtunnel", Charset::utf8);
  story.server("ga", {Answer::answered, report_with(1, 0), 93us})
      .server("a1", {Answer::behind_gateway, {}, {}})
      .look();
  display.press({KeyName::tab}, story.state());
  EXPECT_THAT(display.draw(story.state(), {24, 120}).text(), HasSubstr("local://node/a1 behind ga"));
}

TEST_F(TopDisplay, ShowsTheCostOfWatchingAndMissingParts) {
  tell(2000);
  story_.lost(3).silent("n2").look();
  press("3");
  expect_frame(shown(), "watching-80x24");
}

TEST_F(TopDisplay, Helps) {
  press("?");
  expect_frame(shown(), "help-80x24");
  press("x");
  EXPECT_THAT(shown(), HasSubstr("OPERATION"));
  press("hq");
  EXPECT_TRUE(display_.is_over());
}

TEST_F(TopDisplay, ScrollsThroughAllThreads) {
  EXPECT_THAT(chosen(), HasSubstr(" t0 "));
  press(KeyName::page_down);
  EXPECT_THAT(chosen(), HasSubstr(" t17 "));
  press(KeyName::end);
  EXPECT_THAT(chosen(), HasSubstr(" t139 "));
  EXPECT_THAT(shown(), HasSubstr("124-140 of 140"));
  press(KeyName::down);
  EXPECT_THAT(chosen(), HasSubstr(" t139 "));
  press(KeyName::up);
  press("k");
  EXPECT_THAT(chosen(), HasSubstr(" t137 "));
  press(KeyName::home);
  EXPECT_THAT(chosen(), HasSubstr(" t0 "));
}

TEST_F(TopDisplay, SortsByEachColumnInBothDirections) {
  press("s");  // by state at first, then by events
  EXPECT_THAT(chosen(), HasSubstr(" t139 "));
  press("r");
  EXPECT_THAT(chosen(), HasSubstr(" t0 "));
  EXPECT_THAT(shown(), HasSubstr("▲EVENTS/S"));
  press("s");
  EXPECT_THAT(shown(), HasSubstr("▼SILENT"));
  EXPECT_THAT(chosen(), HasSubstr(" t139 "));
  press("sssss");
  EXPECT_THAT(shown(), HasSubstr("▲STATE"));
}

TEST_F(TopDisplay, TheCursorStaysOnItsThreadOnceItWasMoved) {
  press(KeyName::down, 5);
  EXPECT_THAT(chosen(), HasSubstr(" t5 "));
  tell_stall();
  EXPECT_THAT(chosen(), HasSubstr(" t5 "));
  press("s");
  EXPECT_THAT(chosen(), HasSubstr(" t5 "));
  press(KeyName::home);
  EXPECT_THAT(chosen(), Not(HasSubstr(" t5 ")));
}

TEST_F(TopDisplay, FiltersByTheTypedText) {
  press("/t13");
  press(KeyName::backspace);
  press("[3-5]x");
  press(KeyName::clear_line);
  press("t1[3-5]");
  EXPECT_THAT(shown(), HasSubstr("filter: t1[3-5]_"));
  press(KeyName::enter);
  EXPECT_THAT(shown(), HasSubstr("filter: t1[3-5]  1-3 of 3"));
  press(KeyName::end);
  EXPECT_THAT(chosen(), HasSubstr(" t15 "));
  press(KeyName::escape);
  EXPECT_THAT(shown(), HasSubstr("of 140"));
}

TEST_F(TopDisplay, ReportsAFaultyFilterAndKeepsThePreviousOne) {
  display_.filter_by("t1");
  press("/");
  press(KeyName::clear_line);
  press("age > 3");
  press(KeyName::enter);
  EXPECT_THAT(shown({24, 160}), HasSubstr("column"));
  press(KeyName::escape);
  EXPECT_THAT(shown(), HasSubstr("filter: t1 "));
}

TEST_F(TopDisplay, AFilterThatMatchesNoThreadIsReported) {
  display_.filter_by("x*");
  EXPECT_THAT(shown(), HasSubstr("no thread matches the filter x*"));
  press(KeyName::enter);
  press(KeyName::down);
  EXPECT_EQ(chosen(), "");
}

TEST_F(TopDisplay, PausesAndShowsIt) {
  press("p");
  EXPECT_TRUE(display_.is_paused());
  EXPECT_THAT(shown(), HasSubstr("PAUSED"));
  press(" ");
  EXPECT_FALSE(display_.is_paused());
}

TEST_F(TopDisplay, RefusesToSortByAnUnknownColumn) {
  EXPECT_THROW(display_.sort_by("colour", false), ConfigurationError);
  display_.sort_by("events/s", true);
  EXPECT_THAT(chosen(), HasSubstr(" t0 "));
}

TEST_F(TopDisplay, AsLinesHasEveryThreadAndNoCursor) {
  const std::string lines = display_.lines(story_.state(), 0);
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 145);
  EXPECT_THAT(lines, HasSubstr("t139"));
  EXPECT_THAT(lines, Not(HasSubstr("\x1b")));
}

TEST_F(TopDisplay, AsFewLinesShowsHowManyThreadsAreLeftOutAndHowToShowThem) {
  const std::string lines = display_.lines(story_.state(), 20);
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 26);
  EXPECT_THAT(lines, HasSubstr("  and 120 more threads (--limit 0 shows all, --filter chooses)\n"));
}

TEST_F(TopDisplay, TheHelpNamesEveryScreenAndItsKey) {
  press("?");
  EXPECT_THAT(shown(), HasSubstr("Tab, 1 to 4                 threads, servers, watching, streams"));
}

TEST_F(TopDisplay, AnyKeysDoNoHarm) {
  const std::string letters = "qsrp/?h123jk x[]t*\x7f";
  for (unsigned i = 0; i < 3000; ++i) {
    const unsigned n = i * 2654435761U >> 16U;
    if (n % 3 == 0) {
      press(static_cast<KeyName>(1 + n % 14));
    } else {
      press(std::string(1, letters[n % letters.size()]));
    }
    if (i % 50 == 0) shown({12 + n % 30, 60 + n % 90});
  }
}

TEST(TopDisplayNames, ThatAreLongAreCutSoThatColumnsStayInLine) {
  const std::string name = "a-thread-with-a-name-of-thirty-2";
  LoadResult loaded = parse_plan(R"(
pathmap: 1
name: wide
cluster: {nodes: {node-with-a-rather-long-name-too: {host: 127.0.0.1, port: 7101}}}
application:
  threads: [)" + name + R"(, b]
  elements: [{name: "log/{thread}", for: "*", tuple: [int], threshold: 10, when_full: discard}]
  paths: [{thread: "*", name: a/path/with/many/parts/and/all/of/them/long, element: "log/{thread}", use: write}]
placement: {processes: {p0: {node: node-with-a-rather-long-name-too, threads: "*"}}}
collect: {points: [{at: thread}]}
scopes: {heartbeat: {levels: [{group: all, wrapper: gather}, {group: node, wrapper: gather}]}}
)",
                                 "wide.yaml");
  ASSERT_TRUE(loaded.plan) << to_string(loaded.faults.at(0));
  TopStory story(std::move(*loaded.plan), "heartbeat");
  story.at(0).counted(name, "a/path/with/many/parts/and/all/of/them/long", 17, 0).look();
  Display display(story.plan(), story.names(), "eventspace top wide", Charset::ascii);
  const std::string shown = display.draw(story.state(), {12, 80}).text();
  EXPECT_THAT(shown, HasSubstr("  a-thread-with-a-name-of~ running"));
  EXPECT_THAT(shown, HasSubstr("  b                        "));
}

}  // namespace
}  // namespace eventspace::top

// The command: programs of actions and traces of SMPI on networks, and messages on wrong ones.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "monitors/cli/command.h"
#include "tests/monitors/cli/program_call.h"
#include "tests/monitors/json_lines.h"
#include "tests/tuplespace/temporary_directory.h"

namespace eventspace {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing_commands::call_program;

class WhatifCommand : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) const {
    const auto file = directory_.path() / name;
    std::ofstream(file) << text;
    return file.string();
  }
  [[nodiscard]] std::string place(const std::string& name) const {
    return (directory_.path() / name).string();
  }
  [[nodiscard]] static std::string text_of(const std::string& file) {
    std::ifstream in(file);
    return {(std::istreambuf_iterator<char>(in)), {}};
  }
  [[nodiscard]] std::string ring() const {
    return write("ring.actions",
                 "eventspace-actions 1\ntasks 2\n0 compute 10ms\n0 send 1 4032B in send\n0 recv 1 4032B in "
                 "recv\n0 end\n"
                 "1 recv 0 4032B in recv\n1 send 0 4032B in send\n1 end\n");
  }

 private:
  test::TemporaryDirectory directory_;
};

TEST_F(WhatifCommand, AnswersForEachNetworkAndFactor) {
  const auto call =
      call_program({"whatif", ring(), "--network", "infinite", "--network", "ethernet10", "--compute", "x1",
                    "--compute", "x0.5", "--table", "summary", "--format", "csv"});
  EXPECT_EQ(call.status, exit_fine) << call.err;
  EXPECT_THAT(call.out,
              AllOf(HasSubstr("answer,infinite,1.0,1.0,0.01,"), HasSubstr("answer,infinite,0.5,1.0,0.005,"),
                    HasSubstr("answer,ethernet10,1.0,1.0,0.0")));
}

TEST_F(WhatifCommand, TheTableOfTasksHasBlockedTimeAndTheMean) {
  const auto call = call_program({"whatif", ring(), "--network", "infinite"});
  EXPECT_EQ(call.status, exit_fine) << call.err;
  EXPECT_THAT(call.out, AllOf(HasSubstr("answer: infinite: 0.01 s"), HasSubstr("mean of 1"),
                              HasSubstr("1          0.010000   0.010000  0.000000  0.010000")));
}

TEST_F(WhatifCommand, JsonHasALineForEachRowOfEachTable) {
  const auto call = call_program({"whatif", ring(), "--network", "ethernet100", "--format", "json"});
  EXPECT_EQ(call.status, exit_fine) << call.err;
  EXPECT_THAT(call.out, AllOf(HasSubstr("\"predicted_s\":"), HasSubstr("\"algorithmic_s\":")));
  const auto functions = call_program(
      {"whatif", ring(), "--network", "ethernet100", "--table", "functions", "--format", "json"});
  EXPECT_THAT(functions.out, HasSubstr("\"function\":\"recv\""));
}

TEST_F(WhatifCommand, ABaselineThatIsNamedComesFirst) {
  const auto call = call_program(
      {"whatif", ring(), "--baseline", "ethernet10", "--network", "infinite", "--table", "summary"});
  EXPECT_EQ(call.status, exit_fine) << call.err;
  EXPECT_THAT(call.out, testing::StartsWith("baseline: ethernet10: "));
  EXPECT_THAT(call.out, HasSubstr("times the baseline"));
}

TEST_F(WhatifCommand, WritesActionsAndATraceThatGiveTheSameAnswer) {
  const auto first =
      call_program({"whatif", ring(), "--network", "ethernet10", "--table", "summary", "--write-actions",
                    place("again.actions"), "--write-trace", place("again.ti")});
  EXPECT_EQ(first.status, exit_fine) << first.err;
  for (const char* const name : {"again.actions", "again.ti"}) {
    const auto again = call_program({"whatif", place(name), "--network", "ethernet10", "--table", "summary"});
    EXPECT_EQ(again.out, first.out) << name;
  }
}

TEST_F(WhatifCommand, TasksOfOneStationNeedNoNetwork) {
  const auto call = call_program(
      {"whatif", ring(), "--network", "ethernet10", "--tasks-per-node", "2", "--table", "summary"});
  EXPECT_THAT(call.out, HasSubstr("answer: ethernet10: 0.01 s"));
}

TEST_F(WhatifCommand, WrongProgramsAreRefusedWithFileAndLine) {
  const auto refused = [&](const std::string& lines, const std::string& what) {
    const std::string file = write("wrong.actions", "eventspace-actions 1\n" + lines);
    const auto call = call_program({"whatif", file, "--network", "infinite"});
    EXPECT_EQ(call.status, exit_usage);
    EXPECT_EQ(call.out, "");
    EXPECT_THAT(call.err, HasSubstr(what));
  };
  refused("tasks 2\n0 recv 1 5B\n0 end\n1 end\n",
          "wrong.actions:3: task 0 receives 1 message and task 1 sends 0 messages");
  refused("tasks 2\n0 recv 1 5B\n0 send 1 5B\n0 end\n1 recv 0 5B\n1 send 0 5B\n1 end\n",
          "2 tasks wait for each other");
  refused("tasks 1000000\n0 end\n", "found no actions of tasks 1, 2, 3, 4, 5 and 999994 others");
  refused("tasks 2\n0 compute 1s\n", "truncated");
  refused("tasks 1\n0 compute 1200h\n0 compute 1200h\n0 end\n", "exceeds 53 days");
}

TEST_F(WhatifCommand, UnreceivedMessagesAreNamed) {
  const std::string file =
      write("left.actions", "eventspace-actions 1\ntasks 2\n0 send 1 5B\n0 end\n1 end\n");
  const auto call = call_program({"whatif", file, "--network", "infinite"});
  EXPECT_EQ(call.status, exit_fine);
  EXPECT_THAT(call.err, HasSubstr("task 1 receives 0 messages and task 0 sends 1 message"));
}

TEST_F(WhatifCommand, WrongNetworksAreRefusedWithAllFaults) {
  const std::string network = write("n.yaml", "network: ethernet\nrate: 0b/s\nhand_over: -1us\n");
  const auto call = call_program({"whatif", ring(), "--network", network});
  EXPECT_EQ(call.status, exit_usage);
  EXPECT_THAT(call.err, AllOf(HasSubstr("n.yaml:2:7: error:"), HasSubstr("n.yaml:3:12: error:"),
                              HasSubstr("2 faults in network")));
  EXPECT_EQ(call_program({"whatif", ring(), "--network", "fitted"}).status, exit_usage);
  EXPECT_EQ(call_program({"whatif", ring(), "--network", "infinite", "--compute", "fast"}).status,
            exit_usage);
  EXPECT_EQ(call_program({"whatif", ring(), "--network", "infinite", "--place", "0,0,1"}).status, exit_usage);
  EXPECT_EQ(call_program({"whatif", ring()}).status, exit_usage);
  EXPECT_EQ(call_program({"whatif", place("none"), "--network", "infinite"}).status, exit_unreachable);
  EXPECT_EQ(call_program({"whatif", place(""), "--network", "infinite"}).status, exit_unreachable);
}

TEST_F(WhatifCommand, EqualSeedsGiveEqualOutputAndOthersDoNot) {
  std::string lines = "eventspace-actions 1\ntasks 8\n";
  for (int i = 0; i < 8; ++i) lines += std::to_string(i) + " alltoall 3000B\n" + std::to_string(i) + " end\n";
  const std::string file = write("a.actions", lines);
  const auto with_seed = [&](const char* seed) {
    return call_program({"whatif", file, "--network", "ethernet10", "--seed", seed}).out;
  };
  EXPECT_EQ(with_seed("1"), with_seed("1"));
  EXPECT_NE(with_seed("1"), with_seed("2"));
}

TEST_F(WhatifCommand, TestsAndWildcardsAreReportedAsLimits) {
  const std::string file = write("marks.actions",
                                 "eventspace-actions 1\ntasks 2\n0 send 1 5B\n0 end\n"
                                 "1 overhead 1us test\n1 recv 0 5B wildcard\n1 end\n");
  EXPECT_THAT(call_program({"whatif", file, "--network", "infinite"}).err, HasSubstr("1 test, 1 wildcard"));
}

TEST_F(WhatifCommand, TheCriticalPathHasSharesThatAddUp) {
  const auto call =
      call_program({"whatif", ring(), "--network", "ethernet10", "--table", "path", "--format", "json"});
  EXPECT_EQ(call.status, exit_fine) << call.err;
  double percent = 0;
  std::size_t links = 0;
  for (const auto& row : testing_commands::objects_in(call.out)) {
    percent += row["percent"].get<double>();
    if (row["part"] == "link") {
      ++links;
      EXPECT_EQ(row["messages"], 1);
    }
  }
  EXPECT_NEAR(percent, 100, 0.05) << call.out;
  EXPECT_EQ(links, 2u) << call.out;
}

TEST_F(WhatifCommand, ProfilesHaveAllMessages) {
  const auto flows =
      call_program({"whatif", ring(), "--network", "infinite", "--table", "flows", "--format", "csv"});
  EXPECT_EQ(flows.out,
            "row,network,compute,overhead,from,to,messages,bytes\n"
            "answer,infinite,1.0,1.0,0,1,1,4032\nanswer,infinite,1.0,1.0,1,0,1,4032\n");
  const auto course =
      call_program({"whatif", ring(), "--network", "infinite", "--table", "course", "--format", "json"});
  std::uint64_t messages = 0;
  for (const auto& row : testing_commands::objects_in(course.out)) {
    messages += row["messages"].get<std::uint64_t>();
    if (row["messages"] == 2) {
      EXPECT_NEAR(row["from_s"].get<double>(), 0.01, 0.0002);
    }
  }
  EXPECT_EQ(messages, 2u);
}

TEST_F(WhatifCommand, BarsAreDrawnForEachAnswer) {
  const std::string dot = place("bars.dot");
  const auto call = call_program({"whatif", ring(), "--network", "ethernet10", "--network", "infinite",
                                  "--overhead", "x1", "--overhead", "x0.1", "--plot", dot});
  EXPECT_EQ(call.status, exit_fine) << call.err;
  EXPECT_THAT(text_of(dot), AllOf(HasSubstr("ethernet10"), HasSubstr("infinite"), HasSubstr("library x0.1"),
                                  HasSubstr("algorithmic"), HasSubstr("seconds")));
  EXPECT_EQ(call_program({"whatif", ring(), "--network", "infinite", "--plot", place("bars.txt")}).status,
            exit_usage);
}

TEST_F(WhatifCommand, CommunicationProfilesAreDrawn) {
  const std::string flows = place("flows.dot");
  const std::string course = place("course.dot");
  const auto call = call_program({"whatif", ring(), "--network", "ethernet10", "--network", "infinite",
                                  "--plot-flows", flows, "--plot-course", course});
  EXPECT_EQ(call.status, exit_fine) << call.err;
  EXPECT_THAT(text_of(flows), AllOf(HasSubstr("bytes from each task to each other task"),
                                    HasSubstr("messages from each task"), HasSubstr("from 1")));
  EXPECT_THAT(text_of(course), AllOf(HasSubstr("bytes sent in each "), HasSubstr("ms, ethernet10"),
                                     HasSubstr("ms, infinite"), HasSubstr("seconds")));
  EXPECT_THAT(call_program({"whatif", ring(), "--network", "infinite", "--plot-flows", place("a.gif")}).err,
              HasSubstr("--plot-flows '"));
}

TEST_F(WhatifCommand, ProfilesOfManyTasksAreAMatrixAndOfNoMessagesEmpty) {
  std::string lines = "eventspace-actions 1\ntasks 9\n";
  for (int i = 0; i < 9; ++i) lines += std::to_string(i) + " alltoall 100B\n" + std::to_string(i) + " end\n";
  const std::string flows = place("flows.dot");
  EXPECT_EQ(
      call_program({"whatif", write("m.actions", lines), "--network", "infinite", "--plot-flows", flows})
          .status,
      exit_fine);
  EXPECT_THAT(text_of(flows),
              AllOf(HasSubstr("bytes: rows to columns, in B"), HasSubstr("messages: rows to")));
  const std::string alone = write("n.actions", "eventspace-actions 1\ntasks 1\n0 compute 1ms\n0 end\n");
  EXPECT_EQ(call_program({"whatif", alone, "--network", "infinite", "--plot-flows", flows, "--plot-course",
                          place("course.dot")})
                .status,
            exit_fine);
  EXPECT_THAT(text_of(flows), HasSubstr("no bytes were sent"));
}

// Each of them is a row of the matrix.
TEST_F(WhatifCommand, TasksWhoseNamesEndAlikeHaveWholeNamesInProfiles) {
  std::string lines = "eventspace-actions 1\ntasks 9\n";
  for (int i = 0; i < 9; ++i) {
    const std::string task = std::to_string(i);
    lines += "name " + task + " n" + task + ".w0\n" + task + " alltoall 100B\n" + task + " end\n";
  }
  const std::string flows = place("flows.dot");
  EXPECT_EQ(
      call_program({"whatif", write("m.actions", lines), "--network", "infinite", "--plot-flows", flows})
          .status,
      exit_fine);
  EXPECT_THAT(text_of(flows), AllOf(HasSubstr("n0.w0"), HasSubstr("n8.w0")));
}

TEST_F(WhatifCommand, TheFilesForSimGridAreWritten) {
  const std::string network = write("s.yaml", "network: switch\nrate: 1Gb/s\nlatency: 10us\n");
  const std::string xml = place("s.xml");
  EXPECT_EQ(call_program({"whatif", ring(), "--network", "infinite", "--write-platform", xml}).status,
            exit_usage);
  // With or without SimGrid, the files are there.
  (void)call_program({"whatif", ring(), "--network", network, "--write-platform", xml});
  EXPECT_THAT(text_of(xml), HasSubstr("radical=\"0-1\""));
}

// The recording of a simulated run is a program again, which takes the same time.
TEST_F(WhatifCommand, TheSimulatedRunIsARecordingThatMonitorsRead) {
  const std::string file =
      write("many.actions",
            "eventspace-actions 1\ntasks 3\n"
            "0 compute 10ms\n0 isend 1 4032B request 0\n0 mcast 1,2 100B\n0 wait 0\n0 barrier\n0 end\n"
            "1 irecv 0 4032B request 0\n1 compute 2ms\n1 wait 0\n1 recv 0 100B\n1 barrier\n1 end\n"
            "2 recv 0 100B\n2 barrier\n2 end\n");
  const std::string recording = place("sim.evs");
  const auto call = call_program({"whatif", file, "--network", "ethernet10", "--write-recording", recording,
                                  "--table", "summary", "--format", "json"});
  ASSERT_EQ(call.status, exit_fine) << call.err;
  const double predicted = testing_commands::objects_in(call.out).at(0)["predicted_s"];
  const auto info = call_program({"info", recording});
  EXPECT_THAT(info.out, HasSubstr("the simulation ended")) << info.err;
  // Two sends, a multicast to two, three receives and three barriers.
  const auto events = call_program({"events", recording, "--quiet", "--format", "json"});
  EXPECT_EQ(testing_commands::objects_in(events.out).size(), 9u) << events.out << events.err;
  EXPECT_EQ(call_program({"profile", recording, "--quiet"}).status, exit_fine);
  const auto again =
      call_program({"whatif", recording, "--network", "infinite", "--table", "summary", "--format", "json"});
  ASSERT_EQ(again.status, exit_fine) << again.err;
  // It begins with the first event.
  EXPECT_NEAR(testing_commands::objects_in(again.out).at(0)["recorded_s"].get<double>(), predicted, 0.011);
}

TEST_F(WhatifCommand, ARunOfTooManyPairsCannotBeARecording) {
  std::string lines = "eventspace-actions 1\ntasks 5000\n";
  for (int i = 0; i < 5000; ++i) lines += std::to_string(i) + " barrier\n" + std::to_string(i) + " end\n";
  const auto call = call_program({"whatif", write("m.actions", lines), "--network", "infinite",
                                  "--write-recording", place("sim.evs"), "--table", "summary"});
  EXPECT_EQ(call.status, exit_usage);
  EXPECT_THAT(call.err, HasSubstr("at most 4000 of each are possible"));
}

TEST_F(WhatifCommand, AFailedWriteLeavesNoFileAndKeepsAnOlderOne) {
  const std::string file = write("partial.actions",
                                 "eventspace-actions 1\ntasks 2\n0 send 1 8B\n0 end\n"
                                 "1 recv 0 8B partial\n1 end\n");
  const auto refused = call_program({"whatif", file, "--write-trace", place("p.ti")});
  EXPECT_EQ(refused.status, exit_usage);
  EXPECT_THAT(refused.err, HasSubstr("contains partial receives"));
  EXPECT_FALSE(std::filesystem::exists(place("p.ti")));
  const std::string older = write("older.ti", "older");
  EXPECT_EQ(call_program({"whatif", file, "--write-trace", older}).status, exit_usage);
  EXPECT_EQ(text_of(older), "older");
  EXPECT_EQ(call_program({"whatif", ring(), "--write-trace", older}).status, exit_fine);
  EXPECT_THAT(text_of(older), HasSubstr("finalize"));
}

TEST_F(WhatifCommand, ABaselineThatIsFarOffIsAWarningAndNoAnswerIsReliable) {
  const auto with_recorded = [this](const char* time) {
    std::string text = text_of(ring());
    text.insert(text.find("0 compute"), std::string("recorded ") + time + "\n");
    const std::string file = write("recorded.actions", text);
    return call_program({"whatif", file, "--baseline", "infinite", "--network", "ethernet10", "--table",
                         "summary", "--format", "json"});
  };
  const auto far = with_recorded("20ms");
  EXPECT_EQ(far.status, exit_fine);
  EXPECT_THAT(far.err, HasSubstr("eventspace: WARNING: the baseline is -50.0 % off the recorded run"));
  for (const auto& row : testing_commands::objects_in(far.out)) EXPECT_EQ(row["reliable"], false) << far.out;
  const auto near = with_recorded("10.5ms");
  EXPECT_THAT(near.err, testing::Not(HasSubstr("WARNING")));
  for (const auto& row : testing_commands::objects_in(near.out)) EXPECT_EQ(row["reliable"], true) << near.out;
  const auto none =
      call_program({"whatif", ring(), "--network", "infinite", "--table", "summary", "--format", "json"});
  EXPECT_TRUE(testing_commands::objects_in(none.out).at(0)["reliable"].is_null());
}

TEST_F(WhatifCommand, FunctionsAreATableOnlyOnRequest) {
  EXPECT_THAT(call_program({"whatif", ring(), "--network", "infinite"}).out,
              testing::Not(HasSubstr("function")));
  EXPECT_THAT(call_program({"whatif", ring(), "--network", "infinite", "--table", "functions"}).out,
              AllOf(HasSubstr("function"), HasSubstr("recv")));
}

}  // namespace
}  // namespace eventspace

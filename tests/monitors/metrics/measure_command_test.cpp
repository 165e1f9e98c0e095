#include <fmt/format.h>
#include <gmock/gmock.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/lines.h"
#include "tests/monitors/sessions/market.h"
#include "tests/monitors/top/terminal_program.h"
#include "tests/tuplespace/stopped_process.h"

// `measure`, while a program runs and on a recording of it.
namespace eventspace {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing_commands::Call;
using testing_commands::TerminalProgram;

class MeasureCommand : public testing_commands::Market {
 protected:
  /// Runs writers and readers, and makes a recording of three seconds.
  void record(const std::filesystem::path& pathmap) {
    Call application = start_market(pathmap);
    Call record = call({"record", pathmap, "-o", file("run.evs"), "--for", "3s"});
    ASSERT_EQ(record.status(), 0) << record.err();
    live_ = call({"measure", pathmap, "Send_count", "--count", "2", "--timeout", "20s", "--quiet"}).out();
    application.signal(SIGTERM);
    application.status();
    call({"down", pathmap});
  }

  /// The value in the last line of CSV with this metric and object.
  static std::string last_value(const std::string& csv, const std::string& metric_and_object) {
    std::string value;
    for (const std::string& line : test::lines_of(csv)) {
      const std::size_t begin = line.find(',') + 1;
      if (line.compare(begin, metric_and_object.size(), metric_and_object) != 0) continue;
      const std::size_t at = begin + metric_and_object.size() + 2;  // the virtual time is empty
      value = line.substr(at, line.find(',', at) - at);
    }
    return value;
  }

  std::string live_;
};

TEST_F(MeasureCommand, CountsWhatTheEventsOfARecordingSay) {
  const auto pathmap = market();
  record(pathmap);
  EXPECT_THAT(live_, AllOf(HasSubstr("Send_count  writers  "), HasSubstr("Send_count  readers  0")));

  Call measured =
      call({"measure", file("run.evs"), "Send_count", "Receive_count", "--format", "csv", "--quiet"});
  ASSERT_EQ(measured.status(), 0) << measured.err();
  const std::string out = measured.out();
  std::set<std::string> written;
  for (const std::string& line : test::lines_of(call({"events", file("run.evs"), "--quiet", "--format", "csv",
                                                      "--where", "verb == 'write' and point == 'thread'"})
                                                    .out())) {
    if (line.find(",write,") != std::string::npos) written.insert(line);
  }
  const int sent = std::stoi("0" + last_value(out, "Send_count,writers"));
  EXPECT_GT(sent, 0) << out;
  EXPECT_LE(sent, static_cast<int>(written.size()));  // earlier events are recorded, too
  EXPECT_EQ(last_value(out, "Send_count,readers"), "0");
  EXPECT_GT(std::stoi("0" + last_value(out, "Receive_count,readers")), 0);
}

// The receiver of a tuple is unknown, because any reader may take it.
TEST_F(MeasureCommand, HasOneValueOverPartnersOrOneForEach) {
  const auto pathmap = market();
  record(pathmap);
  const auto sent = [&](const std::vector<std::string>& more) {
    std::vector<std::string> command{"measure", file("run.evs"), "Send_count", "--format", "csv", "--quiet"};
    command.insert(command.end(), more.begin(), more.end());
    Call measured = call(command);
    EXPECT_EQ(measured.status(), 0) << measured.err();
    return measured.out();
  };
  EXPECT_EQ(last_value(sent({"--each", "partners"}), "Send_count,writers readers"), "0");
  EXPECT_EQ(last_value(sent({"--each", "partners"}), "Send_count,readers writers"), "0");
  EXPECT_EQ(last_value(sent({"--partners", "readers"}), "Send_count,writers"), "0");
  const auto fault = [&](const std::vector<std::string>& more) {
    std::vector<std::string> command{"measure", file("run.evs")};
    command.insert(command.end(), more.begin(), more.end());
    return call(command).err();
  };
  EXPECT_THAT(fault({"Communication_share", "--each", "partners"}),
              HasSubstr("--each partners: the metric Communication_share has no parameter for that"));
  EXPECT_THAT(fault({"Send_count", "--each", "partner"}), HasSubstr("did you mean 'partners'?"));
}

TEST_F(MeasureCommand, ServersEvaluateAndEventsTravelOnlyIfThatIsWanted) {
  const auto pathmap = market();
  Call application = start_market(pathmap);
  const std::vector<std::string> call_of{"measure", pathmap,     "Send_count", "--count",  "4",  "--interval",
                                         "300ms",   "--timeout", "20s",        "--format", "csv"};
  for (const bool is_centralised : {false, true}) {
    std::vector<std::string> arguments = call_of;
    if (is_centralised) arguments.emplace_back("--centralised");
    Call measured = call(arguments);
    ASSERT_EQ(measured.status(), 0) << measured.err();
    const std::string out = measured.out();
    EXPECT_GT(std::stoi("0" + last_value(out, "Send_count,writers")), 0) << out << measured.err();
    EXPECT_EQ(last_value(out, "Send_count,readers"), "0") << out;
  }
  Call partners =
      call({"measure", pathmap, "Send_volume_for_interaction", "--count", "1", "--timeout", "20s"});
  EXPECT_THAT(partners.err(), HasSubstr("Send_volume_for_interaction is evaluated here: it has partners"));
}

/// How often the threads of a process have waited.
long waits_of(int process) {
  long all = 0;
  for (const auto& thread : std::filesystem::directory_iterator(fmt::format("/proc/{}/task", process))) {
    const std::string status = testing_commands::read_text(thread.path() / "status");
    const std::string name = "\nvoluntary_ctxt_switches:";
    const auto at = status.find(name);
    if (at != std::string::npos) all += std::stol(status.substr(at + name.size()));
  }
  return all;
}

TEST_F(MeasureCommand, ServersPushWhatIsNew) {
  const auto pathmap = market();
  Call application = start_market(pathmap);
  for (const bool is_centralised : {false, true}) {
    std::vector<std::string> arguments{"measure",    pathmap, "Send_count", "--push",
                                       "--interval", "50ms",  "--format",   "csv"};
    if (is_centralised) arguments.emplace_back("--centralised");
    Call measured = start(arguments);
    // On a busy machine, one server may answer later than the other.
    EXPECT_TRUE(measured.says("Send_count,readers,,0,")) << measured.err();
    EXPECT_TRUE(testing_commands::eventually([&] {
      return std::stoi("0" + last_value(measured.out(), "Send_count,writers")) > 0;
    })) << measured.out();
    measured.signal(SIGINT);
    EXPECT_EQ(measured.status(), 0) << measured.err();
  }
}

TEST_F(MeasureCommand, WhatIsPushedIsTheSameAsWhatIsPulled) {
  const auto pathmap =
      write("roomy.yaml", std::regex_replace(testing_commands::read_text(market()), std::regex("at: thread"),
                                             "at: thread, threshold: 100000"));
  Call application = start_market(pathmap);
  const auto stop = [&] {
    for (const int process : processes_with(QUEUE_APP)) test::stop_whole(process);
  };
  stop();
  std::vector<Call> measuring;
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"--push", "--interval", "20ms"},
        std::vector<std::string>{"--push", "--centralised", "--interval", "20ms"},
        std::vector<std::string>{"--interval", "100ms"}}) {
    std::vector<std::string> arguments{"measure", pathmap,    "Send_count", "Receive_count", "Memory_size",
                                       "--quiet", "--format", "csv",        "--timeout",     "20s"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    measuring.push_back(start(arguments));
    ASSERT_TRUE(measuring.back().says("Send_count,writers,,0")) << measuring.back().err();
  }
  for (const int process : processes_with(QUEUE_APP)) ::kill(process, SIGCONT);
  const auto count = [&](int which, const char* metric_and_object) {
    return std::stol("0" + last_value(measuring[static_cast<std::size_t>(which)].out(), metric_and_object));
  };
  EXPECT_TRUE(testing_commands::eventually([&] { return count(0, "Send_count,writers") > 100; }));
  stop();
  for (const char* const what : {"Send_count,writers", "Receive_count,readers"}) {
    EXPECT_TRUE(testing_commands::eventually([&] {
      return count(0, what) > 0 && count(0, what) == count(1, what) && count(1, what) == count(2, what);
    })) << what
        << ' ' << count(0, what) << ' ' << count(1, what) << ' ' << count(2, what);
  }
  for (Call& each : measuring) {
    each.signal(SIGINT);
    EXPECT_EQ(each.status(), 0) << each.err();
  }
}

// Recording does not wake servers, and without a measurement they do not poll.
TEST_F(MeasureCommand, ServersLookOnlyWhileAMeasurementStands) {
  const auto pathmap = market();
  Call application = start_market(pathmap);
  const auto servers = processes_with("serve");
  ASSERT_EQ(servers.size(), 2U);
  const auto waits = [&] { return waits_of(servers[0]) + waits_of(servers[1]); };
  const auto waits_in_a_second = [&] {
    const long before = waits();
    std::this_thread::sleep_for(std::chrono::seconds(1));
    return waits() - before;
  };
  long idle = 0;
  // They may still be busy with starting.
  EXPECT_TRUE(testing_commands::eventually([&] { return (idle = waits_in_a_second()) < 100; })) << idle;
  {
    Call measured = start({"measure", pathmap, "Send_count", "--push", "--interval", "2ms", "--quiet"});
    ASSERT_TRUE(measured.says("Send_count  writers")) << measured.err();
    EXPECT_TRUE(testing_commands::eventually([&] { return waits_in_a_second() > 2 * idle + 50; }));
    measured.signal(SIGKILL);  // it cannot take its leave
    (void)measured.status();
  }
  long after = 0;
  EXPECT_TRUE(testing_commands::eventually([&] { return (after = waits_in_a_second()) <= idle + 50; }))
      << after << " instead of " << idle;
}

TEST_F(MeasureCommand, RefusesToPushWhereThatHasNoMeaning) {
  const auto pathmap = market();
  Call often = call({"measure", pathmap, "Send_count", "--push", "--interval", "10us"});
  EXPECT_EQ(often.status(), 2);
  EXPECT_THAT(often.err(), HasSubstr("--interval: with --push, expected 1 ms to 1 h"));
  record(pathmap);
  Call recorded = call({"measure", file("run.evs"), "Send_count", "--push"});
  EXPECT_EQ(recorded.status(), 2);
  EXPECT_THAT(recorded.err(), HasSubstr("--push: a recording has no servers"));
}

TEST_F(MeasureCommand, SaysWhyThereIsNoValue) {
  const auto pathmap = market();
  record(pathmap);
  Call measured = call({"measure", file("run.evs"), "Loop_Counter", "--objects", "writers"});
  EXPECT_EQ(measured.status(), 0);
  EXPECT_THAT(measured.err(), HasSubstr("Loop_Counter: the probe iteration_end was not passed"));
}

TEST_F(MeasureCommand, NamesNearMetricsAndFaultsOfFiles) {
  const auto pathmap = market();
  Call unknown = call({"measure", pathmap, "Send_volum"});
  EXPECT_EQ(unknown.status(), 2);
  EXPECT_THAT(unknown.err(), HasSubstr("there is no metric Send_volum; did you mean Send_volume?"));
  Call faulty = call({"measure", pathmap, "M", "--file", write("m.pmsl", "M(TimePoint t) { RETURN x; }")});
  EXPECT_EQ(faulty.status(), 2);
  EXPECT_THAT(faulty.err(), HasSubstr("m.pmsl:1:25: unknown variable 'x'"));
  Call partners = call({"measure", pathmap, "Loop_Counter", "--partners", "p*"});
  EXPECT_EQ(partners.status(), 2);
  EXPECT_THAT(partners.err(), HasSubstr("--partners: the metric Loop_Counter has no parameter for that"));
  Call now = call({"measure", pathmap, "S", "--file",
                   write("s.pmsl", "S(Site s, TimeInterval t) { RETURN Send_count(s, [NOW, NOW]); }")});
  EXPECT_EQ(now.status(), 2);
  EXPECT_THAT(now.err(), HasSubstr("metric S: a measured interval must begin with START or LAST"));
  Call regions = call({"measure", pathmap, "Loop_Counter", "--regions", "solve"});
  EXPECT_EQ(regions.status(), 2);
  EXPECT_THAT(regions.err(), HasSubstr("--regions: the metric Loop_Counter has no parameter for that"));
}

TEST_F(MeasureCommand, AnAlertEndsItWithStatusOne) {
  const auto pathmap = market();
  Call application = start_market(pathmap);
  Call measured = call({"measure", pathmap, "--alert", "Send_count > 10 for 100ms", "--interval", "100ms",
                        "--for", "60s", "--quiet"});
  EXPECT_EQ(measured.status(), 1);
  EXPECT_THAT(measured.err(), HasSubstr("alert: Send_count > 10 for 100ms: writers "));
  EXPECT_THAT(measured.out(), HasSubstr("Send_count  writers  "));
  Call calm = call({"measure", pathmap, "Send_count", "--alert", "Receive_delay > 1h", "--interval", "50ms",
                    "--count", "3", "--quiet"});
  EXPECT_EQ(calm.status(), 0) << calm.err();
  EXPECT_THAT(calm.out(), AllOf(HasSubstr("Send_count"), HasSubstr("Receive_delay")));
}

TEST_F(MeasureCommand, AnAlertRunsACommandAndTheMeasurementGoesOn) {
  const auto pathmap = market();
  Call application = start_market(pathmap);
  const std::string out = file("alerts").string();
  Call measured = call({"measure", pathmap, "Send_count", "--objects", "writers", "--alert", "Send_count > 0",
                        "--alert-run", "echo $EVENTSPACE_ALERT, $EVENTSPACE_OBJECTS >> " + out, "--interval",
                        "50ms", "--count", "5", "--timeout", "30s", "--quiet"});
  EXPECT_EQ(measured.status(), 1) << measured.err();
  EXPECT_EQ(testing_commands::read_text(out), "Send_count > 0, writers\n");
  EXPECT_THAT(test::lines_of(measured.out()), testing::SizeIs(5));
}

TEST_F(MeasureCommand, AnAlertPutsProcessesIntoAGroup) {
  const auto pathmap = market();
  Call application = start_market(pathmap);
  const auto measured = [&](const std::string& alert) {
    return call({"measure", pathmap, "--alert", alert, "--alert-group", "busy", "--interval", "50ms",
                 "--count", "3", "--timeout", "30s"});
  };
  Call busy = measured("Send_count > 0");
  EXPECT_EQ(busy.status(), 1) << busy.err();
  EXPECT_THAT(busy.err(), HasSubstr("the group 'busy' has 1 process"));
  Call switched = call({"group", "busy", "--switch", "off", "--kind", "operation", "--class", "write"});
  EXPECT_EQ(switched.status(), 0) << switched.err();
  EXPECT_THAT(switched.err(), HasSubstr("1 of 1 process switched to off for operation write events"));
  const std::string state = call({"switch", pathmap, "--format", "csv"}).out();
  EXPECT_THAT(state, testing::ContainsRegex(",writers,[0-9]+,\"?on, but operation write off"));
  EXPECT_THAT(state, testing::ContainsRegex(",readers,[0-9]+,on,"));
  Call calm = measured("Receive_delay > 1h");
  EXPECT_EQ(calm.status(), 0) << calm.err();
  EXPECT_THAT(call({"group", "busy"}).err(), HasSubstr("has no process"));
  EXPECT_THAT(call({"measure", pathmap, "--alert", "Imbalance > 0.3", "--alert-group", "busy"}).err(),
              HasSubstr("--alert-group: the metric Imbalance has no value for each process"));
  EXPECT_EQ(call({"group", "busy", "--remove"}).status(), 0);
  EXPECT_EQ(call({"group", "busy", "--name", "windtunnel"}).status(), 0);
  Call taken = measured("Send_count > 0");
  EXPECT_EQ(taken.status(), 2);
  EXPECT_THAT(taken.err(), HasSubstr("the group 'busy' exists and was not made by --alert-group"));
  EXPECT_THAT(call({"group"}).out(), HasSubstr("--name windtunnel")) << "it is as it was";
}

TEST_F(MeasureCommand, RefusesAlertsThatCannotBeJudged) {
  const auto pathmap = market();
  Call unit = call({"measure", pathmap, "--alert", "Send_delay > 3"});
  EXPECT_EQ(unit.status(), 2);
  EXPECT_THAT(unit.err(),
              HasSubstr("Send_delay is a value in s, which cannot be compared with a plain number"));
  Call unknown = call({"measure", pathmap, "--alert", "Imbalnce > 3"});
  EXPECT_EQ(unknown.status(), 2);
  EXPECT_THAT(unknown.err(), HasSubstr("did you mean Imbalance?"));
  EXPECT_EQ(call({"measure", pathmap, "Imbalance", "--alert-run", "true"}).status(), 2);
}

TEST_F(MeasureCommand, ARecordingRaisesAlertsToo) {
  const auto pathmap = market();
  record(pathmap);
  Call measured =
      call({"measure", file("run.evs"), "--alert", "Send_count > 10", "--interval", "100ms", "--quiet"});
  EXPECT_EQ(measured.status(), 1) << measured.err();
  EXPECT_THAT(measured.err(), HasSubstr("alert: Send_count > 10: writers "));
}

TEST_F(MeasureCommand, ListsWhatCanBeMeasuredNow) {
  const auto pathmap = market();
  record(pathmap);
  Call application = start_market(pathmap);
  // The threads may not have written yet.
  ASSERT_TRUE(testing_commands::eventually([&] {
    return call({"measure", pathmap, "--format", "csv"}).out().find("Receive_count,yes") != std::string::npos;
  }));
  for (const std::string& watched : {pathmap.string(), file("run.evs").string()}) {
    Call list = call({"measure", watched, "--format", "csv", "--quiet"});
    ASSERT_EQ(list.status(), 0) << list.err();
    EXPECT_THAT(
        list.out(),
        AllOf(HasSubstr("metric,Send_count,yes,"), HasSubstr("metric,Imbalance,yes,%\n"),
              HasSubstr("metric,Barrier_count,no: there were no barriers of MPI,"),
              HasSubstr("metric,Loop_Counter,no: the probe iteration_end was not passed,iterations\n"),
              HasSubstr("\nsite,-,,"), HasSubstr("\nnode,n1,in -,"), HasSubstr("process,writers,on n1,"),
              HasSubstr(",of writers,"), Not(HasSubstr("\nprobe,"))))
        << watched;
    Call some = call({"measure", watched, "--list", "--objects", "n*", "--format", "csv", "--quiet"});
    EXPECT_THAT(some.out(), AllOf(HasSubstr("\nnode,n1,"), Not(HasSubstr("\nprocess,"))));
  }
}

// The kernel counts processor time in steps of 10 ms, and the writers mostly wait.
TEST_F(MeasureCommand, SamplesWhatProcessesUse) {
  const auto pathmap = market();
  Call application = start_market(pathmap);
  std::string out;
  double used = 0.0;
  for (int attempts = 0; attempts < 20 && used == 0.0; ++attempts) {
    Call measured = call({"measure", pathmap, "CPU_usage", "Memory_size", "Oversubscription", "--interval",
                          "500ms", "--count", "4", "--timeout", "20s", "--format", "csv", "--quiet"});
    ASSERT_EQ(measured.status(), 0) << measured.err();
    out = measured.out();
    used = std::stod("0" + last_value(out, "CPU_usage,writers"));
  }
  EXPECT_GT(used, 0.0) << out;
  EXPECT_GT(std::stod("0" + last_value(out, "Memory_size,readers")), 1e5) << out;
  EXPECT_THAT(out, HasSubstr(",Oversubscription,n1,,"));
}

TEST_F(MeasureCommand, WritesTheUnitOfTheMode) {
  const auto pathmap = market();
  record(pathmap);
  const auto units = [&](const std::string& mode) {
    return call({"measure", file("run.evs"), "Send_volume", "Send_count", "Oversubscription", "--mode", mode,
                 "--format", "csv", "--quiet"})
        .out();
  };
  EXPECT_THAT(units("since-last"), AllOf(HasSubstr(",B,"), Not(HasSubstr("/s,"))));
  // Oversubscription is momentary, so it cannot be divided by a time.
  EXPECT_THAT(units("since-last-per-second"), AllOf(HasSubstr(",B/s,"), HasSubstr(",1/s,"),
                                                    Not(HasSubstr(",B,")), HasSubstr(",threads/processor,")));
  EXPECT_THAT(call({"measure", file("run.evs"), "--mode", "since-start-per-second", "--alert",
                    "Send_volume > 1GiB", "--quiet"})
                  .err(),
              HasSubstr("Send_volume is a value in B/s"));
}

TEST_F(MeasureCommand, DrawsAPlot) {
  const auto pathmap = market();
  record(pathmap);
  const auto plot = file("plot.dot");
  Call measured =
      call({"measure", file("run.evs"), "Send_count", "--interval", "50ms", "--plot", plot, "--quiet"});
  ASSERT_EQ(measured.status(), 0) << measured.err();
  EXPECT_THAT(testing_commands::read_text(plot), AllOf(HasSubstr("-writers "), HasSubstr("-seconds since")));
  EXPECT_THAT(call({"measure", file("run.evs"), "Send_count", "--plot", "x.gif"}).err(),
              HasSubstr("--plot 'x.gif': expected a file name that ends with .svg, .png, .pdf or .dot"));
  EXPECT_THAT(call({"measure", file("run.evs"), "Send_count", "--plot", "/nowhere/x.png"}).err(),
              HasSubstr("--plot '/nowhere/x.png': there is no directory /nowhere"));
  EXPECT_THAT(call({"measure", file("run.evs"), "Send_count", "--plot", plot, "--plot-as", "matrix"}).err(),
              HasSubstr("--plot-as matrix: Send_count has values of 1 object; a matrix needs"));
}

TEST_F(MeasureCommand, ShowsALiveTableOnATerminalAndLeavesTheLastValues) {
  const auto pathmap = market();
  Call application = start_market(pathmap);
  TerminalProgram program({EVENTSPACE_PROGRAM, "measure", pathmap, "Send_count", "Receive_count",
                           "--interval", "50ms", "--mode", "since-last", "--quiet"},
                          12, 90, {{"NO_COLOR", "1"}});
  EXPECT_TRUE(program.sees([](const auto& seen) {
    const std::string text = seen.text();
    return seen.is_on_second_page() && text.find("writers") != std::string::npos &&
           text.find("all 2") != std::string::npos && text.find("last values") != std::string::npos;
  })) << program.seen().text();
  EXPECT_FALSE(program.seen().has_colour());
  program.resize(5, 32);
  EXPECT_TRUE(program.sees([](const auto& seen) {
    return seen.text().find("writers") != std::string::npos && seen.text().find("unit") == std::string::npos;
  })) << program.seen().text();
  program.type("q");
  EXPECT_EQ(program.status(), 0);
  EXPECT_FALSE(program.seen().is_on_second_page());
  EXPECT_THAT(program.seen().faults(), testing::IsEmpty());
}

}  // namespace
}  // namespace eventspace

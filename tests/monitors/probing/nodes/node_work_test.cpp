#include "monitors/probing/nodes/node_work.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <sstream>

#include <eventspace/error.h>
#include <eventspace/stream_filter.h>
#include "collectors/clock.h"
#include "monitors/probing/groups/group_packets.h"
#include "monitors/probing/nodes/group_filter.h"
#include "monitors/probing/nodes/new_problems.h"
#include "monitors/probing/probes/probe_area.h"
#include "monitors/probing/processes/process_modules.h"
#include "monitors/servers/segment_list.h"
#include "tests/error_text.h"
#include "tests/monitors/probing/target.h"

#ifdef EVENTSPACE_HAS_ZYDIS

// Groups of processes on several machines. Loopback addresses stand for machines: a launcher like ssh starts
// the agents "there", connected over TCP, and gives them separate machine names if it may.

namespace eventspace {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing_probing::eventually;
using testing_probing::state_of;
using testing_probing::Target;
using testing_probing::text_of;

class OnMachines : public testing::Test {
 protected:
  OnMachines() {
    fs::create_directory(folder_);
    std::ofstream(launcher_)
        << "#!/bin/sh\nhost=$1; shift\necho $$ > \"$(dirname \"$0\")/pid-$host\"\n"
           "[ \"$host\" = 127.0.0.9 ] && { echo 'no route to host' >&2; exit 255; }\n"
           "if unshare -u true 2>/dev/null; then\n"
           "  exec unshare -u sh -c \"hostname $host; exec $*\"\nfi\nexec sh -c \"exec $*\"\n";
    ::chmod(launcher_.c_str(), 0700);
  }
  ~OnMachines() override { fs::remove_all(folder_); }
  OnMachines(const OnMachines&) = delete;
  OnMachines& operator=(const OnMachines&) = delete;

  [[nodiscard]] NodeChoice machines(const std::string& hosts) const {
    return {.hosts = hosts, .launcher = launcher_.string() + " {host}", .program = EVENTSPACE_PROGRAM};
  }
  /// Whether agents have separate machine names.
  static bool have_names() { return std::system("unshare -u true 2>/dev/null") == 0; }

  [[nodiscard]] std::vector<std::string> command(std::vector<std::string> words,
                                                 const std::string& hosts) const {
    words.insert(words.begin(), EVENTSPACE_PROGRAM);
    words.insert(words.end(), {"--hosts", hosts, "--launcher", launcher_.string() + " {host}"});
    return words;
  }
  std::string output_of(const std::vector<std::string>& words, int status = 0) {
    const fs::path out = folder_ / "out";
    Target tool(words, out);
    EXPECT_EQ(tool.process().wait().status, status) << words[1] << ": " << text_of(out);
    return text_of(out);
  }
  [[nodiscard]] ProcessChoice marked() const { return {.where = "env_PART == '" + mark_ + "'"}; }
  /// The agent of a machine: the child of the process that the launcher has started there.
  [[nodiscard]] pid_t agent_of(const std::string& host) const {
    const std::string server = text_of(folder_ / ("pid-" + host));
    const std::string pid = server.substr(0, server.find('\n'));
    return std::atoi(text_of("/proc/" + pid + "/task/" + pid + "/children").c_str());
  }
  static bool has_probes(std::int32_t pid) {
    return !areas_in(ProcessMemory(pid), mapped_ranges(pid)).empty();
  }
  [[nodiscard]] Target hot(const std::string& rank) const {
    return Target({"env", "PART=" + mark_, "PMI_RANK=" + rank, HOT_APP}, "/dev/null");
  }
  /// The process never forks.
  [[nodiscard]] Target uneven(const std::string& rank) const {
    return Target({"env", "PART=" + mark_, "PMI_RANK=" + rank, UNEVEN_APP, "1"}, "/dev/null");
  }
  static bool runs(const Target& target, const std::string& program = "hot_app") {
    return eventually(
        [&] { return text_of("/proc/" + std::to_string(target.pid()) + "/comm") == program + "\n"; });
  }

  const std::string mark_ = "nodes-" + std::to_string(::getpid());
  const fs::path folder_ = fs::temp_directory_path() / ("eventspace-" + mark_);
  const fs::path launcher_ = folder_ / "launcher";
};

TEST_F(OnMachines, AnOrderIsAnsweredByAllTogether) {
  const Target target = hot("0");
  ASSERT_TRUE(runs(target));
  GroupWorkOnNodes work(machines("127.0.0.2 127.0.0.3 127.0.0.4"));
  EXPECT_EQ(work.network().nodes(), 3U);
  const GroupAnswer answer = work.carry_out({.choice = marked()});
  EXPECT_EQ(answer.processes, 3U) << "each agent sees the process";
  EXPECT_EQ(answer.members.size(), 3U);
  EXPECT_TRUE(answer.silent.empty());
  if (have_names()) {
    const GroupAnswer one =
        work.carry_out({.choice = {.where = marked().where + " and host == '127.0.0.3'"}});
    ASSERT_EQ(one.members.size(), 1U);
    EXPECT_EQ(one.members[0].host, "127.0.0.3");
    EXPECT_EQ(one.members[0].rank, "0");
  }
  EXPECT_EQ(work.carry_out({.choice = {.names = {"no-such-program"}}}).processes, 0U);
}

TEST_F(OnMachines, FunctionsAreProbedInTheProcessesOfAll) {
  if (!have_names()) GTEST_SKIP() << "agents cannot have names of machines of their own here";
  const Target first = hot("0");
  const Target second = hot("1");
  ASSERT_TRUE(runs(first) && runs(second));
  const std::string each = "(rank == 0 and host == '127.0.0.2') or (rank == 1 and host == '127.0.0.3')";
  const std::string out = output_of(
      command({"probe", "hot_real", "--module", "hot_app", "--where", marked().where + " and (" + each + ")",
               "--for", "500ms", "--time", "--format", "csv"},
              "127.0.0.[2-3]"));
  EXPECT_THAT(out, AllOf(HasSubstr("2 of 2 processes have probes (2 probes)"), HasSubstr("\n2,"),
                         HasSubstr("127.0.0.2:rank0"), HasSubstr("127.0.0.3:rank1"), HasSubstr("hot_real")));
  EXPECT_FALSE(has_probes(first.pid()));
  EXPECT_FALSE(has_probes(second.pid()));
}

TEST_F(OnMachines, RefusalsAreGroupedByReason) {
  const Target target = hot("0");
  ASSERT_TRUE(runs(target));
  // Both agents compete for the same process: only one can have it.
  const std::string out = output_of(
      command({"probe", "hot_real", "--module", "hot_app", "--where", marked().where, "--for", "1ms"},
              "127.0.0.[2-3]"),
      3);
  EXPECT_THAT(out, HasSubstr("1 of 2 processes have probes"));
  EXPECT_FALSE(has_probes(target.pid()));
  EXPECT_THAT(
      output_of(command({"probe", "no_such", "--where", marked().where, "--for", "1ms"}, "127.0.0.[2-4]"), 3),
      AllOf(HasSubstr("3 processes ("), HasSubstr("has no function 'no_such'"),
            HasSubstr("0 of 3 processes")));
}

TEST_F(OnMachines, AMachineThatCannotBeReachedIsNamedAndTheOthersDoIt) {
  const Target target = hot("0");
  ASSERT_TRUE(runs(target));
  const std::string out = output_of(
      command({"probe", "hot_real", "--where", marked().where, "--for", "1ms"}, "127.0.0.2,127.0.0.9"), 0);
  EXPECT_THAT(out, AllOf(HasSubstr("127.0.0.9"), HasSubstr("1 of 1 process have probes")));
  EXPECT_THAT(output_of(command({"probe", "hot_real", "--name", "hot_app"}, "127.0.0.9"), 3),
              HasSubstr("127.0.0.9"));
}

TEST_F(OnMachines, ProbesAreGoneWhenTheCommandIsKilled) {
  const Target target = hot("0");
  ASSERT_TRUE(runs(target));
  {
    Target tool(command({"probe", "hot_*", "--module", "hot_app", "--where", marked().where}, "127.0.0.2"),
                folder_ / "killed");
    ASSERT_TRUE(eventually([&] { return has_probes(target.pid()); })) << text_of(folder_ / "killed");
  }
  EXPECT_TRUE(eventually([&] { return !has_probes(target.pid()); })) << "its agent has removed them";
}

TEST_F(OnMachines, AnAgentThatIsKilledIsNamedTheOthersAnswerAndTheNextOneCleansUp) {
  if (!have_names()) GTEST_SKIP() << "agents cannot have names of machines of their own here";
  const Target first = uneven("0");
  const Target second = uneven("1");
  ASSERT_TRUE(runs(first, "uneven_app") && runs(second, "uneven_app"));
  GroupOrder order{.command = PlaceProbes{{{"uneven_norm"}, "uneven_app"}}};
  order.choice.where =
      marked().where + " and ((rank == 0 and host == '127.0.0.2') or (rank == 1 and host == '127.0.0.3'))";
  {
    GroupWorkOnNodes work(machines("127.0.0.[2-3]"));
    ASSERT_EQ(work.carry_out(order).done, 2U);
    const pid_t agent = agent_of("127.0.0.3");
    ASSERT_GT(agent, 1);
    // It does not answer the next order, which has been sent to it when it is killed.
    ASSERT_EQ(::kill(agent, SIGSTOP), 0);
    auto answered = std::async(std::launch::async, [&] {
      return work.carry_out({.choice = order.choice, .command = RemoveProbes()});
    });
    EXPECT_TRUE(eventually([&] { return !has_probes(first.pid()); })) << "the other one does it";
    ASSERT_EQ(::kill(agent, SIGKILL), 0);
    const GroupAnswer answer = answered.get();
    EXPECT_EQ(answer.done, 1U);
    EXPECT_THAT(answer.silent, testing::ElementsAre("127.0.0.3"));
    EXPECT_TRUE(has_probes(second.pid()));
    EXPECT_THAT(std::string("RS"), HasSubstr(std::string(1, state_of(second.pid())))) << "it goes on";
  }
  GroupWorkOnNodes next(machines("127.0.0.[2-3]"));
  const GroupAnswer placed = next.carry_out(order);
  EXPECT_EQ(placed.done, 2U) << "what was left is removed: "
                             << testing::PrintToString(placed.refusals.lines());
  order.command = RemoveProbes();
  EXPECT_EQ(next.carry_out(order).done, 2U);
  EXPECT_FALSE(has_probes(first.pid()) || has_probes(second.pid()));
}

TEST_F(OnMachines, GroupsAreStoppedAndContinued) {
  const Target target = hot("0");
  ASSERT_TRUE(runs(target));
  GroupWorkOnNodes work(machines("127.0.0.2"));
  EXPECT_EQ(work.carry_out({.choice = marked(), .command = StopProcesses()}).done, 1U);
  EXPECT_TRUE(eventually([&] { return state_of(target.pid()) == 'T'; }));
  EXPECT_EQ(work.carry_out({.choice = marked(), .command = ContinueProcesses()}).done, 1U);
  EXPECT_TRUE(eventually([&] { return state_of(target.pid()) != 'T'; }));
}

TEST_F(OnMachines, ProcessesThatComeLaterAndCannotHaveProbesAreReportedAtTheEnd) {
  const Target first = uneven("0");
  ASSERT_TRUE(runs(first, "uneven_app"));
  Target tool(
      command({"probe", "uneven_norm", "--module", "uneven_app", "--where", marked().where}, "127.0.0.2"),
      folder_ / "later");
  ASSERT_TRUE(eventually([&] { return has_probes(first.pid()); })) << text_of(folder_ / "later");
  // The second process does not have the function, and is followed every two seconds: then its modules are
  // listed.
  const Target second = hot("1");
  ASSERT_TRUE(runs(second));
  const Target third = uneven("2");
  ASSERT_TRUE(eventually([&] { return has_probes(third.pid()); })) << "the one before was looked at, too";
  tool.process().signal(SIGINT);
  EXPECT_EQ(tool.process().wait().status, 3);
  EXPECT_THAT(
      text_of(folder_ / "later"),
      AllOf(HasSubstr("1 of 1 process have probes"), HasSubstr("2 of 3 processes were measured to the end"),
            HasSubstr(":rank1 has no function 'uneven_norm' that can have a probe")));
}

TEST_F(OnMachines, SingleProbesAreSwitchedAndRemovedInTheProcessesOfAll) {
  if (!have_names()) GTEST_SKIP() << "agents cannot have names of machines of their own here";
  const Target first = hot("0");
  const Target second = hot("1");
  ASSERT_TRUE(runs(first) && runs(second));
  const std::string where =
      marked().where + " and ((rank == 0 and host == '127.0.0.2') or (rank == 1 and host == '127.0.0.3'))";
  const auto words = [&](const std::string& pattern, const std::vector<std::string>& more) {
    std::vector<std::string> all{"probe", pattern, "--module", "hot_app", "--where", where};
    all.insert(all.end(), more.begin(), more.end());
    return command(all, "127.0.0.[2-3]");
  };
  Target tool(words("hot_*", {}), folder_ / "owner");
  ASSERT_TRUE(eventually([&] { return has_probes(first.pid()) && has_probes(second.pid()); }));
  EXPECT_THAT(
      output_of(words("hot_real", {"--off"})),
      HasSubstr(
          "2 of 2 processes have the probes switched off (2 probes); threads were stopped for at most "));
  EXPECT_THAT(output_of(words("hot_real", {"--on"})), HasSubstr("switched on (2 probes)"));
  EXPECT_THAT(output_of(words("hot_real", {"--remove"})),
              HasSubstr("2 processes have the probes removed (2 probes)"));
  EXPECT_THAT(output_of(words("main", {"--off"}), 3),
              AllOf(HasSubstr("2 processes ("), HasSubstr("has no probe at 'main'"), HasSubstr("0 of 2")));
  EXPECT_TRUE(has_probes(first.pid())) << "the others stay";
  tool.process().signal(SIGINT);
  EXPECT_EQ(tool.process().wait().status, 0) << text_of(folder_ / "owner");
  EXPECT_FALSE(has_probes(first.pid()) || has_probes(second.pid()));
}

TEST_F(OnMachines, VariablesAreReadInTheProcessesOfAll) {
  const Target first = uneven("0");
  const Target second = uneven("1");
  ASSERT_TRUE(runs(first, "uneven_app") && runs(second, "uneven_app"));
  const std::string sink = "_ZN12_GLOBAL__N_14sinkE:ulong";
  const auto words = [&](const std::string& variable, const std::vector<std::string>& more) {
    std::vector<std::string> all{"probe", "--variable", variable, "--where", marked().where};
    all.insert(all.end(), more.begin(), more.end());
    return command(all, "127.0.0.[2-3]");
  };
  const std::string once = output_of(words(sink, {"--format", "csv"}));
  EXPECT_EQ(std::ranges::count(once, '\n'), 1 + 1 + 4) << "each agent sees both: " << once;
  EXPECT_THAT(
      once, AllOf(HasSubstr("time_s,process,variable,value\n"), HasSubstr(":rank1,_ZN12_GLOBAL__N_14sinkE,"),
                  HasSubstr("4 of 4 processes can be read")));
  EXPECT_THAT(output_of(words("nowhere", {}), 3),
              AllOf(HasSubstr("has no variable 'nowhere'"), HasSubstr("0 of 4 processes can be read")));
  Target tool(words(sink, {"--format", "csv", "--phase", "20ms"}), folder_ / "phases");
  const auto lines = [&] { return std::ranges::count(text_of(folder_ / "phases"), '\n'); };
  EXPECT_TRUE(eventually([&] { return lines() >= 1 + 1 + 2 * 4; })) << text_of(folder_ / "phases");
  ::kill(first.pid(), SIGKILL);
  ::kill(second.pid(), SIGKILL);
  EXPECT_EQ(tool.process().wait().status, 0) << "it ends with the processes";
  const std::string again = text_of(folder_ / "phases");
  EXPECT_EQ(again.find("time_s"), again.rfind("time_s")) << "one head";
}

TEST_F(OnMachines, AMachineThatDiesWhileVariablesAreWatchedIsReportedOnceAndTheOthersContinue) {
  if (!have_names()) GTEST_SKIP() << "agents cannot have names of machines of their own here";
  const Target target = uneven("0");
  ASSERT_TRUE(runs(target, "uneven_app"));
  const std::string sink = "_ZN12_GLOBAL__N_14sinkE";
  const fs::path out = folder_ / "watched";
  Target tool(command({"probe", "--variable", sink + ":ulong", "--where", marked().where, "--format", "csv",
                       "--phase", "20ms"},
                      "127.0.0.[2-3]"),
              out);
  const auto rows_of = [&](const std::string& host) {
    const std::string text = text_of(out);
    std::size_t rows = 0;
    for (std::size_t at = 0; (at = text.find("," + host + ":rank0," + sink, at)) != std::string::npos; ++at)
      ++rows;
    return rows;
  };
  ASSERT_TRUE(eventually([&] { return rows_of("127.0.0.2") > 1 && rows_of("127.0.0.3") > 1; }))
      << text_of(out);
  ASSERT_EQ(::kill(agent_of("127.0.0.3"), SIGKILL), 0);
  const std::size_t before = rows_of("127.0.0.2");
  EXPECT_TRUE(eventually([&] { return rows_of("127.0.0.2") > before + 4; })) << text_of(out);
  ::kill(target.pid(), SIGKILL);
  EXPECT_EQ(tool.process().wait().status, 3) << text_of(out);
  const std::string said = "machine 127.0.0.3 has not answered";
  const std::string text = text_of(out);
  EXPECT_THAT(text, HasSubstr(said));
  EXPECT_EQ(text.find(said), text.rfind(said)) << "once";
}

TEST(NewProblems, AreReportedOnceEach) {
  NewProblems problems;
  GroupAnswer answer;
  answer.processes = 3;
  EXPECT_THAT(problems.lines_of(answer), IsEmpty());
  EXPECT_FALSE(problems.were_any());
  answer.left_out = 7;
  EXPECT_THAT(problems.lines_of(answer), ElementsAre(HasSubstr("7 more functions, processes or values")));
  EXPECT_FALSE(problems.were_any());
  answer.refusals.add(5, "process 5 has no memory now", "n1:5");
  answer.silent = {"n2"};
  EXPECT_THAT(problems.lines_of(answer),
              ElementsAre("process n1:5 has no memory now", "machine n2 has not answered"));
  answer.refusals.add(6, "process 6 has no memory now", "n1:6");
  answer.refusals.add(6, "it is of another user", "n1:6");
  answer.silent = {"n2", "n3"};
  EXPECT_THAT(problems.lines_of(answer),
              ElementsAre("process n1:6: it is of another user", "machine n3 has not answered"));
  EXPECT_THAT(problems.lines_of(answer), IsEmpty());
  EXPECT_THAT(problems.lines_of({}), IsEmpty());
  EXPECT_TRUE(problems.were_any());
}

TEST(GroupWorkHere, KeepsAsManyReadingsAsAnAnswerMayHave) {
  const Target target({UNEVEN_APP, "1"}, "/dev/null");
  GroupOrder order;
  order.choice.pids = {target.pid()};
  const std::string variable = "_ZN12_GLOBAL__N_14sinkE:ulong";
  order.command = ReadVariables{{variable}};
  GroupWorkHere work;
  ASSERT_TRUE(eventually([&] { return work.carry_out(order).done == 1; }));
  order.command = ReadVariables{std::vector(GroupAnswer::max_readings + 3, variable)};
  const GroupAnswer answer = work.carry_out(order);
  EXPECT_EQ(answer.left_out, 3U);
  EXPECT_EQ(answer_in(packet_of(answer)).readings.size(), GroupAnswer::max_readings) << "it can be sent";
}

TEST_F(OnMachines, FunctionsAreListedOnceForEachModuleWithTheNumberOfItsProcesses) {
  const Target first = uneven("0");
  const Target second = uneven("1");
  ASSERT_TRUE(runs(first, "uneven_app") && runs(second, "uneven_app"));
  const std::vector<std::string> words{"functions", "uneven_*",     "--module", "uneven_app",
                                       "--where",   marked().where, "--format", "csv"};
  const std::string three = "127.0.0.[2-4]";  // each of the agents sees both processes
  const std::string out = output_of(command(words, three));
  EXPECT_THAT(out, AllOf(HasSubstr("uneven_app,0x"), HasSubstr(",6,possible,"), HasSubstr("uneven_norm"),
                         Not(HasSubstr("libc"))));
  EXPECT_EQ(out.find("uneven_norm"), out.rfind("uneven_norm")) << "a row for each function of a class";
  std::vector<std::string> apart = words;
  apart.emplace_back("--no-classes");
  EXPECT_EQ(output_of(command(apart, three)), out) << "the result is the same";
  EXPECT_THAT(output_of(command({"functions", "no_such", "--where", marked().where}, three), 3),
              HasSubstr("no function matches; searched "));
  EXPECT_THAT(output_of(command({"functions", "--summary", "--module", "uneven_app", "--where",
                                 marked().where, "--format", "json"},
                                "127.0.0.2,127.0.0.9")),
              AllOf(HasSubstr("127.0.0.9"), HasSubstr(R"("processes":2)"), HasSubstr(R"("build_id":")")));
}

const FunctionSpread& function_in(const GroupAnswer& answer, const std::string& name) {
  static const FunctionSpread none;
  const auto found = std::ranges::find(answer.functions, name, &FunctionSpread::function);
  return found == answer.functions.end() ? none : *found;
}

/// One process on each of two machines, with measuring probes.
class MeasuredOnMachines : public OnMachines {
 protected:
  void SetUp() override {
    if (!have_names()) GTEST_SKIP() << "agents cannot have names of machines of their own here";
    if (!Clock::instance().uses_tsc()) GTEST_SKIP() << "this machine's time stamp counter is not trustworthy";
    ASSERT_TRUE(runs(first_, "uneven_app") && runs(second_, "uneven_app"));
    probes_.functions.modules = "uneven_app";
  }
  void TearDown() override { EXPECT_FALSE(has_probes(first_.pid()) || has_probes(second_.pid())); }
  /// Puts the probes in, reads them until `condition` holds, and takes them out. Returns the last reading.
  GroupAnswer measured(const std::function<bool(const GroupAnswer&)>& condition) {
    GroupWorkOnNodes work(machines("127.0.0.[2-3]"));
    const GroupAnswer placed = work.carry_out(order(probes_));
    EXPECT_EQ(placed.done, 2U) << testing::PrintToString(placed.refusals.lines());
    GroupAnswer seen;
    EXPECT_TRUE(eventually([&] { return condition(seen = work.carry_out(order(ReadProbes()))); }));
    return work.carry_out(order(RemoveProbes()));
  }
  [[nodiscard]] GroupOrder order(const GroupCommand& command) const {
    return {.choice = {.where = where_}, .command = command};
  }
  std::string output_of_probe(std::vector<std::string> words) {
    words.insert(words.begin(), "probe");
    words.insert(words.end(), {"--module", "uneven_app", "--where", where_, "--format", "csv"});
    return output_of(command(words, "127.0.0.[2-3]"));
  }

  const Target first_ = uneven("0");
  const Target second_ = uneven("1");
  const std::string where_ =
      marked().where + " and ((rank == 0 and host == '127.0.0.2') or (rank == 1 and host == '127.0.0.3'))";
  PlaceProbes probes_;
};

TEST_F(MeasuredOnMachines, ProcessesHaveVariablesThatTheirFunctionsShare) {
  probes_.functions.patterns = {"uneven_{norm,exchange}"};
  // Not += 1 and -1: a call in progress when the probes are put in has an exit, but no entry.
  probes_.task.lets = {"inside = 1 at =uneven_sweep", "inside = 0 after =uneven_sweep",
                       "seen += 0.5 at =uneven_norm"};
  probes_.task.when = "inside > 0";
  const GroupAnswer answer = measured([](const GroupAnswer& seen) {
    return function_in(seen, "uneven_exchange").calls.least > 10 &&
           function_in(seen, "uneven_norm").calls.least > 10;
  });
  const FunctionSpread& norm = function_in(answer, "uneven_norm");
  const FunctionSpread& exchange = function_in(answer, "uneven_exchange");
  EXPECT_LE(norm.left_out, 4U) << "it is called by uneven_sweep";
  EXPECT_GE(exchange.left_out + 4, exchange.calls.sum) << "it is not";
  EXPECT_THAT(answer.functions, testing::SizeIs(2)) << "functions with a let only are not shown";
  ASSERT_THAT(answer.variables, testing::SizeIs(2));
  const auto& [name, inside] = answer.variables[0];
  EXPECT_EQ(name, "inside");
  EXPECT_EQ(inside.count, 2U);
  EXPECT_THAT(std::get<std::int64_t>(inside.greatest), AllOf(testing::Ge(0), testing::Le(1)));
  const NumberSpread& seen = answer.variables[1].numbers;
  EXPECT_GE(std::get<double>(seen.least), 5);
  EXPECT_TRUE(seen.least == seen.greatest || seen.least_at != seen.greatest_at)
      << "both at " << seen.least_at;
  EXPECT_THAT(seen.least_at, HasSubstr(":rank"));
}

TEST_F(MeasuredOnMachines, OneCallOfEachFunctionCountsInEachPhaseOfAProcess) {
  const std::string out = output_of_probe(
      {"uneven_norm", "--phase", "1h", "--set", "calls += 1 at =uneven_norm", "--for", "300ms"});
  std::istringstream rows(out.substr(std::min(out.find("\n2,") + 1, out.size())));
  std::uint64_t calls = 0;
  std::uint64_t left_out = 0;
  rows.ignore(2) >> calls;
  rows.ignore(64, ',').ignore(64, ',') >> left_out;
  EXPECT_THAT(out, HasSubstr("processes,calls,calls_per_s,left_out,"));
  EXPECT_GT(left_out, 0U) << out;
  EXPECT_LE(left_out, calls);
  EXPECT_GE(left_out + 4, calls);
  EXPECT_THAT(out, testing::ContainsRegex("calls: mean [0-9.]+ over 2 processes, minimum [0-9]+ "
                                          "\\(127.0.0.[23]:rank[01]\\), maximum [0-9]+ "));
}

TEST_F(MeasuredOnMachines, CallsByOneFunctionAreCountedAndSwitched) {
  probes_.functions.patterns = {"uneven_kernel"};
  probes_.functions.callers = "uneven_sweep";
  GroupWorkOnNodes work(machines("127.0.0.[2-3]"));
  ASSERT_EQ(work.carry_out(order(probes_)).done, 2U);
  const auto look = [&](const GroupCommand& command) {
    const GroupAnswer answer = work.carry_out(order(command));
    EXPECT_THAT(answer.functions, testing::SizeIs(1)) << "the call by uneven_exchange has no probe";
    return answer.functions.empty() ? FunctionSpread() : answer.functions.front();
  };
  ASSERT_TRUE(eventually([&] { return look(ReadProbes()).calls.least > 10; }));
  const auto with = [&](const std::string& caller, const std::string& action) {
    return command({"probe", "uneven_kernel", "--calls-from", caller, "--module", "uneven_app", "--where",
                    where_, action},
                   "127.0.0.[2-3]");
  };
  EXPECT_THAT(output_of(with("uneven_sweep", "--off")),
              HasSubstr("2 of 2 processes have the probes switched off (2 probes)"));
  const std::uint64_t calls = look(ReadProbes()).calls.sum;
  EXPECT_THAT(output_of(with("uneven_exchange", "--on"), 3), HasSubstr("has no probe at 'uneven_kernel'"));
  EXPECT_EQ(look(ReadProbes()).calls.sum, calls) << "they are off";
  EXPECT_THAT(output_of(with("uneven_sweep", "--on")), HasSubstr("switched on (2 probes)"));
  EXPECT_TRUE(eventually([&] { return look(ReadProbes()).calls.sum > calls; }));
  EXPECT_THAT(output_of(with("uneven_sweep", "--remove")), HasSubstr("have the probes removed (2 probes)"));
  const FunctionSpread last = look(RemoveProbes());
  EXPECT_THAT(last.function, testing::StartsWith("uneven_kernel from uneven_sweep+0x"));
  EXPECT_EQ(last.calls.count, 2U);
}

TEST_F(MeasuredOnMachines, ValuesAndHistogramsOfAllProcessesAreOne) {
  probes_.functions.patterns = {"uneven_{kernel,exchange}"};
  probes_.task.values = {"int0 - 5", "duration", "1.5"};
  probes_.task.when = "int0 < 2";  // undefined for uneven_exchange, which does not have arguments
  probes_.has_histogram = true;
  const GroupAnswer answer =
      measured([](const GroupAnswer& seen) { return function_in(seen, "uneven_kernel").calls.least > 10; });
  const FunctionSpread& kernel = function_in(answer, "uneven_kernel");
  ASSERT_THAT(kernel.values, testing::SizeIs(3));
  const NumberSpread& parts = kernel.values[0];
  EXPECT_GE(parts.count + kernel.left_out + 4, kernel.calls.sum) << "but those under way";
  EXPECT_GE(parts.count, 20U);
  EXPECT_EQ(parts.least, NumberSpread::Number(std::int64_t{-4}));
  EXPECT_EQ(parts.greatest, NumberSpread::Number(std::int64_t{-4}));
  EXPECT_EQ(parts.least_at, "127.0.0.2:rank0") << "of equal ones the name that sorts first";
  EXPECT_EQ(parts.sum, -4.0 * static_cast<double>(parts.count));
  EXPECT_GT(std::get<std::int64_t>(kernel.values[1].least), 0);
  EXPECT_EQ(kernel.values[2].greatest, NumberSpread::Number(1.5));
  std::uint64_t calls = 0;
  for (const std::uint64_t count : kernel.histogram) calls += count;
  EXPECT_GE(calls + 4, parts.count);
  EXPECT_LE(calls, parts.count + 4);
}

TEST_F(MeasuredOnMachines, ValuesAndHistogramsAreShown) {
  const std::string values = output_of_probe({"uneven_kernel", "--value", "int0 * 2", "--for", "300ms"});
  EXPECT_THAT(values, AllOf(HasSubstr(",value1_sum,value1_mean,value1_least,value1_greatest,value1_missing,"
                                      "value1_least_at,value1_greatest_at,module,function\n"),
                            HasSubstr(",2.0,2,2,0,127.0.0.2:rank0,127.0.0.2:rank0,")));
  const std::string histogram = output_of_probe({"uneven_kernel", "--histogram", "--for", "300ms"});
  EXPECT_THAT(histogram, AllOf(HasSubstr("processes,from_ns,below_ns,calls,module,function\n2,"),
                               testing::ContainsRegex("\n2,[0-9]+,[0-9]+,[0-9]+,/")));
}

TEST_F(MeasuredOnMachines, AVariableThatAProcessCannotHaveIsRefused) {
  const std::string out = output_of(command({"probe", "uneven_norm", "--module", "uneven_app", "--where",
                                             where_, "--set", "a = 1 at no_such", "--for", "1ms"},
                                            "127.0.0.[2-3]"),
                                    3);
  EXPECT_THAT(out, AllOf(HasSubstr("2 processes ("), HasSubstr("has no function 'no_such'"),
                         HasSubstr("for --set 'a = 1 at no_such'"), HasSubstr("0 of 2 processes")));
}

/// Processes whose calls are recorded on their machines, in the session `mark_`.
class RecordsOnMachines : public OnMachines {
 protected:
  void SetUp() override {
    if (!Clock::instance().uses_tsc()) GTEST_SKIP() << "this machine's time stamp counter is not trustworthy";
  }

  /// A condition: the process of rank 0 is on one machine, the process of rank 1 on another.
  [[nodiscard]] std::string each_on_its_own() const {
    return marked().where +
           " and ((rank == 0 and host == '127.0.0.2') or (rank == 1 and host == '127.0.0.3'))";
  }
  [[nodiscard]] std::vector<std::string> attach_words(const std::string& where,
                                                      const std::string& hosts) const {
    return command({"attach", "--probe", "uneven_norm", "--module", "uneven_app", "--where", where, "--time",
                    "--value", "int0", "--session", mark_, "--format", "csv"},
                   hosts);
  }
  [[nodiscard]] bool said(const std::string& file, const std::string& text) const {
    return text_of(folder_ / file).find(text) != std::string::npos;
  }
  /// The output of a command on this machine.
  std::string here(std::vector<std::string> words) {
    words.insert(words.begin(), EVENTSPACE_PROGRAM);
    return output_of(words);
  }
  [[nodiscard]] std::vector<SegmentEntry> segments() const { return list_segments(mark_); }
};

TEST_F(RecordsOnMachines, CallsAreRecordedInTheProcessesOfAllAndSeenByMonitorsThere) {
  if (!have_names()) GTEST_SKIP() << "agents cannot have names of machines of their own here";
  const Target first = uneven("0");
  const Target second = uneven("1");
  ASSERT_TRUE(runs(first, "uneven_app") && runs(second, "uneven_app"));
  Target tool(attach_words(each_on_its_own(), "127.0.0.[2-3],127.0.0.9"), folder_ / "attached");
  ASSERT_TRUE(eventually([&] { return said("attached", "watch it on each machine with"); }));
  EXPECT_THAT(text_of(folder_ / "attached"),
              AllOf(HasSubstr("127.0.0.9"), HasSubstr("2 of 2 processes record in session " + mark_)));
  for (const Target* const target : {&first, &second}) {
    const std::string name = "uneven_app:" + std::to_string(target->pid());
    EXPECT_TRUE(eventually([&] {
      const std::string events = here({"events", mark_, "--for", "300ms", "--format", "csv"});
      return events.find(name) != std::string::npos && events.find("uneven_norm") != std::string::npos;
    })) << name;
    EXPECT_THAT(here({"values", mark_, "--for", "300ms"}), HasSubstr(name));
  }
  tool.process().signal(SIGINT);
  EXPECT_EQ(tool.process().wait().status, 0) << text_of(folder_ / "attached");
  EXPECT_THAT(text_of(folder_ / "attached"),
              AllOf(HasSubstr("127.0.0.2:rank0"), HasSubstr("127.0.0.3:rank1"), HasSubstr("uneven_norm")));
  EXPECT_FALSE(has_probes(first.pid()) || has_probes(second.pid()));
  EXPECT_THAT(segments(), testing::IsEmpty());
}

TEST_F(RecordsOnMachines, SegmentsAndProbesAreGoneWhenTheCommandThatRecordsIsKilled) {
  const Target target = uneven("0");
  ASSERT_TRUE(runs(target, "uneven_app"));
  {
    Target tool(attach_words(marked().where, "127.0.0.2"), folder_ / "killed");
    ASSERT_TRUE(eventually([&] { return said("killed", "watch it on each machine with"); }));
    EXPECT_TRUE(has_probes(target.pid()));
    EXPECT_THAT(segments(), testing::SizeIs(1));
  }
  EXPECT_TRUE(eventually([&] { return !has_probes(target.pid()) && segments().empty(); }))
      << "its agent has removed them";
}

TEST_F(RecordsOnMachines, AProcessThatCannotRecordHasNoSegment) {
  const Target target = uneven("0");
  ASSERT_TRUE(runs(target, "uneven_app"));
  // Both agents compete for the same process: only one can have it.
  Target tool(attach_words(marked().where, "127.0.0.[2-3]"), folder_ / "one");
  ASSERT_TRUE(eventually([&] { return said("one", "1 of 2 processes record in session " + mark_); }));
  EXPECT_THAT(segments(), testing::SizeIs(1));
  tool.process().signal(SIGINT);
  EXPECT_EQ(tool.process().wait().status, 3);
}

TEST_F(RecordsOnMachines, ProcessesThatComeLaterRecordToo) {
  const Target first = uneven("0");
  ASSERT_TRUE(runs(first, "uneven_app"));
  Target tool(attach_words(marked().where, "127.0.0.2"), folder_ / "later");
  ASSERT_TRUE(eventually([&] { return said("later", "watch it on each machine with"); }));
  const Target second = uneven("1");
  const std::string name = "uneven_app:" + std::to_string(second.pid());
  EXPECT_TRUE(eventually([&] {
    return here({"events", mark_, "--for", "200ms", "--format", "csv"}).find(name) != std::string::npos;
  }));
}

TEST_F(RecordsOnMachines, ASessionThatIsSharedThereIsSeenFromElsewhere) {
  const Target target = uneven("0");
  ASSERT_TRUE(runs(target, "uneven_app"));
  Target tool(attach_words(marked().where, "127.0.0.2"), folder_ / "shared");
  ASSERT_TRUE(eventually([&] { return said("shared", "watch it on each machine with"); }));
  const fs::path token = folder_ / "session.token";
  EXPECT_THAT(here({"share", mark_, "--host", "127.0.0.1", "--output", token}),
              HasSubstr("is open to observers"));
  EXPECT_TRUE(eventually([&] {
    return here({"events", mark_, "--token", token, "--for", "300ms", "--format", "csv"})
               .find("uneven_norm") != std::string::npos;
  }));
  (void)here({"unshare", mark_});
}

TEST_F(OnMachines, OptionsThatCannotBeCombinedAreRefused) {
  const auto refusal = [](const NodeChoice& nodes, const ProcessChoice& processes) {
    return test::error_text<ConfigurationError>([&] { check_nodes(nodes, processes); });
  };
  EXPECT_THAT(refusal({.pathmap = "a.yaml", .hosts = "n1"}, {}),
              HasSubstr("a pathmap cannot be combined with --hosts"));
  EXPECT_THAT(refusal({.launcher = "ssh"}, {}), HasSubstr("--launcher needs --hosts"));
  EXPECT_THAT(refusal({.hosts = "n1"}, {.pids = {1}}),
              HasSubstr("--pid chooses processes of this machine only"));
  EXPECT_EQ(refusal({.hosts = "n1"}, {.names = {"a"}}), "");
}

TEST(GroupFilter, OneFaultyAnswerDoesNotLoseTheOthers) {
  register_group_filters();
  register_group_filters();  // a second call is allowed
  const auto filter = streams::make_filter({.name = group_filter}, {});
  GroupAnswer fine;
  fine.processes = fine.done = 2;
  streams::Wave wave;
  wave.packets.push_back({0, packet_of(fine), {}});
  wave.packets.push_back({1, streams::Packet(), {}});
  std::vector<streams::Packet> out;
  filter->apply(wave, out);
  ASSERT_EQ(out.size(), 1U);
  const GroupAnswer answer = answer_in(out[0]);
  EXPECT_EQ(answer.done, 2U);
  EXPECT_THAT(answer.refusals.lines(), testing::ElementsAre(HasSubstr("cannot be read")));
}

TEST(GroupFilter, AnswersThatDoNotFitInAPacketTogetherAreReportedAsLost) {
  register_group_filters();
  const auto filter = streams::make_filter({.name = group_filter}, {});
  streams::Wave wave;
  for (const char* const reason : {"a", "b"}) {
    GroupAnswer large;
    large.processes = 2;
    large.refusals.add(std::string(streams::max_packet_bytes * 2 / 3, reason[0]), {2, {}});
    wave.packets.push_back({0, packet_of(large), {}});
  }
  std::vector<streams::Packet> out;
  filter->apply(wave, out);
  ASSERT_EQ(out.size(), 1U);
  const GroupAnswer answer = answer_in(out[0]);
  EXPECT_EQ(answer.processes, 4U);
  EXPECT_EQ(answer.done, 0U);
  EXPECT_THAT(answer.refusals.lines(),
              ElementsAre(HasSubstr("4 processes: the answers of machines were lost: ")));
}

}  // namespace
}  // namespace eventspace

#endif

#include <gmock/gmock.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <map>
#include <random>
#include <sstream>

#include <eventspace/error.h>
#include "collectors/clock.h"
#include "monitors/probing/attaching/attached_segment.h"
#include "monitors/probing/work/probed_process.h"
#include "tests/monitors/probing/hot_program.h"
#include "tests/monitors/probing/process_traces.h"
#include "tests/monitors/probing/refusal.h"
#include "tests/monitors/probing/target.h"

#ifdef EVENTSPACE_HAS_ZYDIS

// Probes in running programs. The results of the programs show whether they are undamaged.

namespace eventspace {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_probing::areas_of;
using testing_probing::eventually;
using testing_probing::HotProgram;
using testing_probing::own_code_kb;
using testing_probing::refusal_of;
using testing_probing::state_of;
using testing_probing::Target;
using testing_probing::text_of;
using testing_probing::traces_of;

std::uint64_t calls_of(const ProbedProcess& process, const std::string& function) {
  for (const auto& counted : process.functions())
    if (counted.function == function) return counted.calls;
  ADD_FAILURE() << "no probe at " << function << ": " << testing::PrintToString(process.refusals());
  return 0;
}

/// A task that counts, or measures in one of several ways.
CompiledTask random_task(std::uint_fast32_t choice) {
  ProbeTask task;
  task.has_times = choice % 5 == 1;
  if (choice % 5 == 2) task.values = {"arg0 / arg1", "int_result"};
  if (choice % 5 == 3) task.when = "arg0 % 3 == 0 and duration < 1s";
  if (choice % 5 == 4) task.when = "double0 < 2.5 or double1 / float2 > 1";
  if (choice % 3 == 1) task.lets = {"entries += 1 at x", "last = int_result after x", "real += 0.5 at x"};
  if (choice % 6 == 1) task.phase = std::chrono::milliseconds(1 + choice % 7);
  if (choice % 10 == 4) task.values = {"double_result * 0.5", "double1"};
  return compile_task(task);
}

class ChangingProgram : public HotProgram {
 protected:
  /// Some of the functions, at least one.
  ProbePlan random_part(const ProbePlan& all) {
    ProbePlan some;
    for (const PlannedFunction& function : all.functions)
      if (random_() % 2 == 0) some.functions.push_back(function);
    if (some.functions.empty()) some.functions.push_back(all.functions.front());
    return some;
  }

  /// Switches random probes on and off a few times, and removes some. Returns how many are on afterwards.
  std::size_t switch_some(const ProbePlan& placed) {
    std::map<std::uint64_t, ProbeState> states;
    for (const PlannedFunction& function : placed.functions)
      states.emplace(function.probe.place, ProbeState::on);
    const std::uint_fast32_t times = 1 + random_() % 4;
    for (std::uint_fast32_t i = 0; i < times; ++i) {
      const ProbeState to =
          std::array{ProbeState::off, ProbeState::on, ProbeState::removed}[random_() % 5 % 3];
      ProbeSwitch order{to, {}};
      std::size_t there = 0;
      for (const PlannedFunction& function : random_part(placed).functions) {
        ProbeState& state = states.at(function.probe.place);
        order.places.push_back(function.probe.place);
        there += state == ProbeState::removed ? 0 : 1;
        if (state != ProbeState::removed) state = to;
      }
      const SwitchedProbes switched = switch_probes(target_.pid(), order);
      EXPECT_EQ(switched.probes, there);
      EXPECT_EQ(switched.foreign + switched.waiting, 0U);
    }
    return static_cast<std::size_t>(
        std::ranges::count_if(states, [](const auto& state) { return state.second == ProbeState::on; }));
  }

  /// Puts in and takes out random probes, some of which record or are switched.
  void change(int round) {
    const CompiledTask task = random_task(random_());
    const bool has_calls = random_() % 3 == 0;  // calls of functions instead of functions
    ProbePlan some = random_part(task.has_exits ? (has_calls ? calls_with_ends_ : with_exits_)
                                                : (has_calls ? calls_ : all_));
    for (PlannedFunction& function : some.functions)
      function.probe.lets = task.lets.empty() ? 0 : static_cast<std::uint32_t>(random_() % 8);
    std::optional<AttachedSegment> segment;
    if (random_() % 4 == 0 && Clock::instance().uses_tsc()) {
      segment.emplace("probes-test-" + std::to_string(::getpid()), "hot:" + std::to_string(round));
      for (PlannedFunction& function : some.functions)
        function.probe.name = segment->number_of(function.function, {});
    }
    ProbedProcess probed(target_.pid(), some, task,
                         segment ? std::optional(segment->recorded()) : std::nullopt);
    EXPECT_THAT(probed.refusals(), IsEmpty());
    EXPECT_TRUE(round % 10 != 0 || has_new_rounds(1));
    const std::size_t on = random_() % 3 == 0 ? switch_some(some) : some.functions.size();
    const Removal removal = probed.remove();
    // A forked child may end before it is visited.
    EXPECT_GE(removal.removed, on);
    EXPECT_LE(removal.removed, some.functions.size() * removal.processes);
    EXPECT_TRUE(removal.is_whole);
  }

  /// Rounds of attaching, random probes and detaching; after each the program is as before.
  void run_rounds(int rounds) {
    ASSERT_TRUE(has_new_rounds(1));
    all_ = plan_probes(target_.pid(), "hot_*", "hot_app");
    with_exits_ = plan_probes(target_.pid(), "hot_*", "hot_app", true);
    calls_ = plan_probes(target_.pid(), "hot_*", "hot_app", false, nullptr, "*");
    calls_with_ends_ = plan_probes(target_.pid(), "hot_*", "hot_app", true, nullptr, "*");
    ASSERT_GE(calls_.functions.size(), 6U);
    ASSERT_GE(calls_with_ends_.functions.size(), 3U);
    ASSERT_GE(all_.functions.size(), 6U);
    ASSERT_GE(with_exits_.functions.size(), 4U);
    const auto before = traces_of(target_.pid());
    const std::uint64_t own_before = own_code_kb(target_.pid());
    for (int round = 0; round < rounds && !HasFailure(); ++round) {
      change(round);
      EXPECT_EQ(traces_of(target_.pid()), before) << "round " << round;
      EXPECT_LE(own_code_kb(target_.pid()), own_before) << "round " << round;
    }
    EXPECT_TRUE(has_new_rounds(1));
    expect_right_end();
  }

 private:
  std::mt19937 random_{20261125};  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same choices each time
  ProbePlan all_;
  ProbePlan with_exits_;
  ProbePlan calls_;
  ProbePlan calls_with_ends_;
};

TEST_F(ChangingProgram, IsTheSameAfterManyRoundsOfRandomProbes) { run_rounds(30); }

using ChangingProgramForLong = ChangingProgram;
TEST_F(ChangingProgramForLong, IsTheSameAfterAThousandRoundsOfRandomProbes) { run_rounds(1000); }

TEST_F(HotProgram, IsCountedWhileItRuns) {
  ASSERT_TRUE(has_new_rounds(1));
  ProbedProcess probed(target_.pid(), plan_probes(target_.pid(), "hot_*", ""));
  ASSERT_TRUE(has_new_rounds(2));
  // Signals may come late on a busy machine.
  ASSERT_TRUE(eventually([&] { return probed.look() && calls_of(probed, "hot_handler") > 0; }));
  const std::uint64_t real = calls_of(probed, "hot_real");
  EXPECT_GT(real, 0U);
  EXPECT_GT(calls_of(probed, "hot_mix"), real);
  EXPECT_GT(calls_of(probed, "hot_handler"), 0U);
  EXPECT_GT(calls_of(probed, "hot_throwing"), 0U);
  (void)probed.remove();
  expect_right_end();
}

TEST_F(HotProgram, HasNoProbesOfTwoTools) {
  ASSERT_TRUE(has_new_rounds(1));
  Target tool({EVENTSPACE_PROGRAM, "probe", "hot_mix", "--pid", std::to_string(target_.pid())}, "/dev/null");
  ASSERT_TRUE(eventually([&] {
    const auto areas = areas_of(target_.pid());
    return !areas.empty() && areas[0].entries.size() == 1;
  }));
  const ProbePlan plan = plan_probes(target_.pid(), "hot_real", "");
  std::string refusal;
  // While the other tool still works on the process, it is traced.
  const auto is_refused = [&] {
    try {
      const ProbedProcess probed(target_.pid(), plan);
    } catch (const EnvironmentError& error) {
      refusal = error.what();
    }
    return refusal.find("of another eventspace that is running (process " + std::to_string(tool.pid())) !=
           std::string::npos;
  };
  EXPECT_TRUE(eventually(is_refused)) << refusal;
  tool.process().signal(SIGINT);
  EXPECT_TRUE(tool.process().wait().is_fine());
  EXPECT_THAT(areas_of(target_.pid()), IsEmpty());
  expect_right_end();
}

// If another tool has removed a tool's probes, the tool does not remove those that a third one has put in
// since.
TEST_F(HotProgram, KeepsTheProbesOfAnotherToolWhenAForgottenOneEnds) {
  ASSERT_TRUE(has_new_rounds(1));
  const auto out =
      std::filesystem::temp_directory_path() / ("eventspace-forgotten-" + std::to_string(::getpid()));
  Target forgotten({EVENTSPACE_PROGRAM, "probe", "hot_mix", "--pid", std::to_string(target_.pid())}, out);
  // Waits for the end of the work: taking its memory away before would make it fail.
  const bool is_placed =
      eventually([&] { return text_of(out).find("threads were stopped") != std::string::npos; });
  std::filesystem::remove(out);
  ASSERT_TRUE(is_placed);
  const auto is_removed = [&] {
    try {
      (void)remove_probes(target_.pid());  // refused while the other tool still works on the process
    } catch (const EnvironmentError&) {
      return false;
    }
    return areas_of(target_.pid()).empty();
  };
  ASSERT_TRUE(eventually(is_removed));
  ProbedProcess probed(target_.pid(), plan_probes(target_.pid(), "hot_real", "hot_app"));
  ASSERT_EQ(probed.functions().size(), 1U);
  forgotten.process().signal(SIGINT);
  EXPECT_TRUE(forgotten.process().wait().is_fine());
  ASSERT_EQ(areas_of(target_.pid()).size(), 1U) << "they are still there";
  ASSERT_TRUE(probed.look());
  const std::uint64_t calls = probed.functions().at(0).calls;
  EXPECT_TRUE(eventually([&] { return probed.look() && probed.functions().at(0).calls > calls; }))
      << "and count";
  EXPECT_GE(probed.remove().removed, 1U) << "more if it has a child at that time";
  EXPECT_THAT(areas_of(target_.pid()), IsEmpty());
  expect_right_end();
}

// At whatever moment the tool is killed, the program continues, and the remains are found and removed.
TEST_F(HotProgram, ContinuesIfTheToolIsKilledAtAnyTime) {
  ASSERT_TRUE(has_new_rounds(1));
  const auto before = traces_of(target_.pid());
  for (int round = 0; round < 12; ++round) {
    {
      Target tool({EVENTSPACE_PROGRAM, "probe", "hot_*", "--pid", std::to_string(target_.pid()), "--for",
                   round % 2 == 0 ? "1ms" : "10s", round % 4 < 2 ? "--time" : "--every=3"},
                  "/dev/null");
      ::usleep(static_cast<unsigned>(round) * 20000);
    }
    // Its helper may still be at work, which traces the process; afterwards there may be probes to remove
    // again.
    int quiet = 0;
    const auto is_clean = [&] {
      try {
        quiet =
            remove_probes(target_.pid()).processes == 0 && areas_of(target_.pid()).empty() ? quiet + 1 : 0;
      } catch (const EnvironmentError&) {
        quiet = 0;
      }
      return quiet == 20;
    };
    EXPECT_TRUE(eventually(is_clean)) << "round " << round;
    EXPECT_EQ(traces_of(target_.pid()), before) << "round " << round;
  }
  EXPECT_TRUE(has_new_rounds(1));
  expect_right_end();
}

TEST_F(HotProgram, HasItsCallsByOneFunctionCountedByTheCommand) {
  ASSERT_TRUE(has_new_rounds(1));
  const fs::path out = out_.string() + ".csv";
  Target tool({EVENTSPACE_PROGRAM, "probe", "hot_throwing", "--calls-from", "hot_*", "--time", "--pid",
               std::to_string(target_.pid()), "--for", "300ms", "--format", "csv"},
              out);
  EXPECT_TRUE(tool.process().wait().is_fine());
  const std::string text = text_of(out);
  fs::remove(out);
  EXPECT_THAT(text, HasSubstr(",hot_throwing from hot_catching+0x"));
  EXPECT_THAT(areas_of(target_.pid()), IsEmpty());
  expect_right_end();
}

bool overlap(const PlannedExit& a, const PlannedExit& b) {
  return a.place < b.place + b.code.size() && b.place < a.place + a.code.size();
}

// The end of a call is probed after the call, where its caller may have an exit.
TEST_F(HotProgram, HasNoTwoProbesInTheSameBytes) {
  ASSERT_TRUE(has_new_rounds(1));
  const auto before = traces_of(target_.pid());
  const ProbePlan call = plan_probes(target_.pid(), "hot_throwing", "hot_app", true, nullptr, "hot_catching");
  const ProbePlan caller = plan_probes(target_.pid(), "=hot_catching", "hot_app", true);
  ASSERT_EQ(call.functions.size(), 1U);
  ASSERT_EQ(caller.functions.size(), 1U);
  const auto& exits = caller.functions[0].probe.exits;
  const bool is_overlapping = std::ranges::any_of(
      exits, [&](const PlannedExit& exit) { return overlap(exit, call.functions[0].probe.exits.at(0)); });
  const fs::path out = out_.string() + ".csv";
  Target tool({EVENTSPACE_PROGRAM, "probe", "hot_throwing", "--calls-from", "hot_catching", "--time", "--set",
               "x += 1 after =hot_catching", "--module", "hot_app", "--pid", std::to_string(target_.pid()),
               "--for", "100ms"},
              out);
  EXPECT_EQ(tool.process().wait().status, is_overlapping ? 3 : 0) << text_of(out);
  if (is_overlapping) {
    EXPECT_THAT(text_of(out), HasSubstr("cannot have --set 'x += 1 after =hot_catching' at hot_catching: "
                                        "its bytes contain another probe of this command"));
  }
  fs::remove(out);
  EXPECT_EQ(traces_of(target_.pid()), before);
  expect_right_end();
}

TEST_F(HotProgram, HasOneOfTwoProbesThatArePlannedForTheSamePlace) {
  ASSERT_TRUE(has_new_rounds(1));
  ProbePlan plan = plan_probes(target_.pid(), "hot_real", "hot_app", true);
  ASSERT_EQ(plan.functions.size(), 1U);
  plan.functions.push_back(plan.functions.front());
  ProbeTask task;
  task.has_times = true;
  ProbedProcess probed(target_.pid(), plan, compile_task(task));
  EXPECT_THAT(probed.refusals(), testing::ElementsAre(HasSubstr("another probe of this command")));
  EXPECT_EQ(probed.functions().size(), 1U);
  ASSERT_EQ(probed.refused().size(), 1U);
  EXPECT_EQ(probed.refused()[0].function, 1U);
  EXPECT_TRUE(has_new_rounds(1));
  (void)probed.remove();
  expect_right_end();
}

// As if threads had interfered with each other.
TEST_F(HotProgram, HasItsLostAdditionsReported) {
  ASSERT_TRUE(has_new_rounds(1));
  const fs::path out = out_.string() + ".txt";
  Target tool({EVENTSPACE_PROGRAM, "probe", "hot_real", "--set", "x += 0.5 at =hot_real", "--pid",
               std::to_string(target_.pid())},
              out);
  ASSERT_TRUE(eventually([&] { return text_of(out).find("threads were stopped") != std::string::npos; }));
  const auto areas = areas_of(target_.pid());
  ASSERT_EQ(areas.size(), 1U);
  const std::uint64_t lost = 1000;
  ProcessMemory(target_.pid())
      .write(areas[0].header->data + ProbeArea::measures_at + offsetof(measuring::MeasureLine, not_raised),
             std::as_bytes(std::span(&lost, 1)));
  tool.process().signal(SIGINT);
  EXPECT_TRUE(tool.process().wait().is_fine());
  EXPECT_THAT(text_of(out), testing::ContainsRegex(": 1[0-9]* numbers lost: additions to real variables"));
  fs::remove(out);
  expect_right_end();
}

TEST_F(HotProgram, IsCountedByTheCommand) {
  ASSERT_TRUE(has_new_rounds(1));
  const fs::path out = out_.string() + ".csv";
  Target tool({EVENTSPACE_PROGRAM, "probe", "hot_{real,mix}", "--pid", std::to_string(target_.pid()), "--for",
               "300ms", "--format", "csv"},
              out);
  EXPECT_TRUE(tool.process().wait().is_fine());
  const std::string text = text_of(out);
  fs::remove(out);
  EXPECT_THAT(text,
              HasSubstr("process,calls,calls_per_s,module,function\n" + std::to_string(target_.pid()) + ","));
  EXPECT_LT(text.find("hot_mix"), text.find("hot_real")) << "the highest first: " << text;
  EXPECT_THAT(text, testing::ContainsRegex(": [24] probes removed.*; its threads were stopped for at most "));
  EXPECT_THAT(areas_of(target_.pid()), IsEmpty());
  expect_right_end();
}

// The probes were put in by another tool, here the test.
TEST_F(HotProgram, HasSingleProbesSwitchedByTheCommand) {
  ASSERT_TRUE(has_new_rounds(1));
  ProbedProcess probed(target_.pid(), plan_probes(target_.pid(), "hot_{real,mix}", "hot_app"));
  ASSERT_EQ(probed.functions().size(), 2U);
  const fs::path out = out_.string() + ".txt";
  const auto switched = [&](const std::string& how, int status) {
    Target tool({EVENTSPACE_PROGRAM, "probe", "hot_real", "--pid", std::to_string(target_.pid()), how}, out);
    EXPECT_EQ(tool.process().wait().status, status) << text_of(out);
    return text_of(out);
  };
  const auto has_new_calls = [&](const std::string& function) {
    const std::uint64_t before = calls_of(probed, function);
    return eventually([&] { return probed.look() && calls_of(probed, function) > before; });
  };
  EXPECT_TRUE(has_new_calls("hot_real"));
  EXPECT_THAT(switched("--off", 0),
              HasSubstr(": 1 probe switched off; its threads were stopped for at most "));
  ASSERT_TRUE(probed.look());
  const std::uint64_t calls = calls_of(probed, "hot_real");
  EXPECT_TRUE(has_new_calls("hot_mix"));
  EXPECT_EQ(calls_of(probed, "hot_real"), calls);
  EXPECT_THAT(switched("--off", 0), HasSubstr("(1 already before)"));
  EXPECT_THAT(switched("--on", 0), HasSubstr("1 probe switched on"));
  EXPECT_TRUE(has_new_calls("hot_real"));
  EXPECT_THAT(switched("--remove", 0), HasSubstr("1 probe removed"));
  EXPECT_THAT(switched("--on", 3), HasSubstr("has no probe at 'hot_real'"));
  EXPECT_TRUE(has_new_calls("hot_mix"));
  EXPECT_GE(probed.remove().removed, 1U) << "the other one, and that of a child if it has one at that time";
  EXPECT_THAT(areas_of(target_.pid()), IsEmpty());
  fs::remove(out);
  expect_right_end();
}

TEST(ProbeCommand, SaysWhatIsWrongWithItsArguments) {
  const auto says = [](const std::vector<std::string>& words, int status, const std::string& text) {
    const fs::path out = fs::temp_directory_path() / ("eventspace-probe-" + std::to_string(::getpid()));
    std::vector<std::string> command{EVENTSPACE_PROGRAM, "probe"};
    command.insert(command.end(), words.begin(), words.end());
    Target tool(command, out);
    EXPECT_EQ(tool.process().wait().status, status) << text;
    EXPECT_THAT(text_of(out), HasSubstr(text));
    fs::remove(out);
  };
  says({"main"}, 2, "--pid N, --name GLOB");
  says({"--pid", "1"}, 2, "PATTERN");
  says({"{a", "--pid", "1"}, 2, "the pattern '{a'");
  says({"main", "--pid", "4194304"}, 3, "process 4194304 does not exist");
  const Target target({STACK_APP, "sleep"});
  const std::string pid = std::to_string(target.pid());
  says({"no_such_function", "--pid", pid}, 3, "has no function 'no_such_function' that can have a probe");
  says({"--pid", pid, "--remove"}, 0, "process " + pid + ": 0 probes removed");
  says({"main", "--pid", pid, "--off"}, 3, "has no probe at 'main'");
  says({"main", "--set", "a = 1 at no_such_function", "--pid", pid}, 3, "for --set 'a = 1 at no_such");
  says({"main", "--set", "a = 1 at [", "--pid", pid}, 2, "the pattern '['");
  says({"main", "--set", "a = 1", "--pid", pid}, 2, "names no functions");
  const Target hot({HOT_APP}, "/dev/null");
  const std::string hot_pid = std::to_string(hot.pid());
  says({"hot_real", "--set", "a = 1 at *", "--module", "hot_app", "--pid", hot_pid}, 3,
       "cannot have --set 'a = 1 at *': ");
  says({"hot_real", "--set", "a = 1 at *", "--pid", hot_pid}, 2, "with --set 'a = 1 at *' (");
  says({"main", "--phase", "0s", "--pid", pid}, 2, "--phase needs a time longer than 0");
  says({"--variable", "x", "--phase", "0s", "--pid", pid}, 2, "--phase needs a time longer than 0");
  says({"--variable", "x", "--module", "stack_app", "--pid", pid}, 2,
       "--variable reads variables without probes");
  says({"--variable", "x", "no_such.yml"}, 2, "no_such.yml");
  says({"main", "--calls-from", "no_caller", "--pid", pid}, 3, "has no call of 'main' by 'no_caller'");
  says({"main", "--calls-from", "[", "--pid", pid}, 2, "the pattern '['");
  says({"main", "--pid", pid, "--off", "--on"}, 2, "excludes");
  says({"main", "--pid", pid, "--off", "--time"}, 2, "act on existing probes");
}

// In a stopped process, and exactly: no call is lost or counted twice, with eight threads and forked
// children.
TEST(CountedProgram, HasExactlyItsCalls) {
  constexpr std::uint64_t rounds = 3;
  Target target({HOT_APP, std::to_string(rounds)}, "/dev/null");
  ASSERT_TRUE(eventually([&] { return state_of(target.pid()) == 'T'; }));
  ProbedProcess probed(target.pid(), plan_probes(target.pid(), "hot_real", "hot_app"));
  EXPECT_TRUE(eventually([&] { return state_of(target.pid()) == 'T'; })) << "it stays stopped";
  target.process().signal(SIGCONT);
  ASSERT_TRUE(eventually([&] { return state_of(target.pid()) != 'T'; }));
  ASSERT_TRUE(eventually([&] { return state_of(target.pid()) == 'T'; }));
  (void)probed.remove();
  // One computation at first, eight in threads, and in each round eight in threads and one in a child.
  EXPECT_EQ(calls_of(probed, "hot_real"), 2000 * (1 + 8 + rounds * 9));
  target.process().signal(SIGCONT);
  EXPECT_TRUE(target.process().wait().is_fine());
}

/// The cells of the only row, by column.
std::map<std::string, std::string> row_of(const std::string& csv) {
  std::istringstream lines(csv.substr(std::min(csv.find("process,calls,"), csv.size())));
  std::string names;
  std::string values;
  std::getline(lines, names);
  std::getline(lines, values);
  std::istringstream name_words(names);
  std::istringstream value_words(values);
  std::map<std::string, std::string> row;
  for (std::string name, value; std::getline(name_words, name, ',');)
    row[name] = std::getline(value_words, value, ',') ? value : "";
  return row;
}

/// Runs the counted program with probes of the command until it has computed everything. Returns the
/// command's output.
std::string output_of_counted(int rounds, std::vector<std::string> words) {
  const fs::path out = fs::temp_directory_path() / ("eventspace-counted-" + std::to_string(::getpid()));
  Target target({HOT_APP, std::to_string(rounds)}, "/dev/null");
  EXPECT_TRUE(eventually([&] { return state_of(target.pid()) == 'T'; }));
  words.insert(words.begin(), {EVENTSPACE_PROGRAM, "probe", "hot_real", "--pid", std::to_string(target.pid()),
                               "--module", "hot_app", "--format", "csv"});
  Target tool(words, out);
  EXPECT_TRUE(eventually([&] { return text_of(out).find("threads were stopped") != std::string::npos; }));
  EXPECT_TRUE(eventually([&] { return state_of(target.pid()) == 'T'; }));
  target.process().signal(SIGCONT);
  EXPECT_TRUE(eventually([&] { return state_of(target.pid()) != 'T'; }));
  EXPECT_TRUE(eventually([&] { return state_of(target.pid()) == 'T'; }));
  tool.process().signal(SIGINT);
  EXPECT_TRUE(tool.process().wait().is_fine());
  target.process().signal(SIGCONT);
  EXPECT_TRUE(target.process().wait().is_fine()) << "it found a wrong result";
  std::string text = text_of(out);
  fs::remove(out);
  return text;
}

TEST(CountedProgram, HasVariablesThatFunctionsShare) {
  constexpr std::uint64_t calls = 2000 * (1 + 8 + 2 * 9);  // as in HasExactlyItsCalls, in two rounds
  const std::string all = std::to_string(calls);
  // Each computation calls hot_mix first, which only sets `seen` to 0, so no call of hot_real counts.
  const std::string never =
      output_of_counted(2, {"--set", "seen = 0 at =hot_mix", "--set", "entered += 1 at =hot_real", "--when",
                            "seen > 0", "--value", "int0 * 0 + 1"});
  EXPECT_THAT(never, HasSubstr("entered is " + all + "\n")) << "no addition of a thread or child is lost";
  EXPECT_THAT(never, HasSubstr("seen is 0\n"));
  EXPECT_THAT(never, testing::Not(HasSubstr(",hot_mix"))) << "only what was asked for has a row";
  auto row = row_of(never);
  EXPECT_EQ(row["calls"], all);
  EXPECT_EQ(row["left_out"], all);
  EXPECT_EQ(row["value1_sum"], "");
  const std::string some =
      output_of_counted(2, {"--set", "seen += 1 at =hot_mix", "--set", "left += 0.5 after =hot_real",
                            "--when", "seen > 0", "--value", "int0 * 0 + 1", "--phase", "1ms"});
  EXPECT_THAT(some, HasSubstr("left is "));
  row = row_of(some);
  EXPECT_EQ(row["calls"], all);
  ASSERT_NE(row["value1_sum"], "") << some;
  EXPECT_GE(std::stoull(row["value1_sum"]), 1U);
  EXPECT_LT(std::stoull(row["value1_sum"]), calls);
  EXPECT_EQ(std::stoull(row["value1_sum"]) + std::stoull(row["left_out"]), calls);
}

class BlockedProgram : public testing::TestWithParam<std::pair<const char*, long>> {};

TEST_P(BlockedProgram, GetsProbesAndItsCallContinues) {
  Target target({STACK_APP, GetParam().first});
  const auto is_in_call = [&] {
    return text_of("/proc/" + std::to_string(target.pid()) + "/syscall")
        .starts_with(std::to_string(GetParam().second) + " ");
  };
  if (text_of("/proc/self/syscall").empty()) GTEST_SKIP() << "this kernel does not tell calls";
  ASSERT_TRUE(eventually(is_in_call));
  ProbedProcess probed(target.pid(), plan_probes(target.pid(), "main", "stack_app"));
  EXPECT_TRUE(probed.remove().is_whole);
  EXPECT_EQ(target.process().wait().status, 0) << "1: the call was interrupted";
}

INSTANTIATE_TEST_SUITE_P(Calls, BlockedProgram,
                         testing::Values(std::pair{"epoll", long{SYS_epoll_wait}},
                                         std::pair{"receive", long{SYS_recvfrom}},
                                         std::pair{"semaphore", long{SYS_semtimedop}},
                                         std::pair{"signal", long{SYS_rt_sigtimedwait}},
                                         std::pair{"sleep", long{SYS_clock_nanosleep}}),
                         [](const auto& info) { return std::string(info.param.first); });

TEST(Probes, AreRefusedWithTheReason) {
  const ProbePlan plan = plan_probes(::getpid(), "main", "");
  EXPECT_THAT(refusal_of(::getpid(), plan), HasSubstr("cannot have probes"));
  EXPECT_THAT(refusal_of(4194304, plan), HasSubstr("ended"));
}

TEST(Probes, OfAProcessThatHasEndedAreGone) {
  auto target = std::make_unique<Target>(std::vector<std::string>{STACK_APP, "spin"});
  ASSERT_TRUE(eventually([&] { return !plan_probes(target->pid(), "main", "stack_app").functions.empty(); }));
  ProbedProcess probed(target->pid(), plan_probes(target->pid(), "main", "stack_app"));
  target.reset();
  EXPECT_FALSE(probed.look());
  EXPECT_EQ(probed.remove().removed, 0U);
}

TEST(Probes, ThatAnotherToolHasChangedStayAsItLeftThem) {
  const std::string not_run = "*innermost*";  // not executed by a program that sleeps
  const Target target({STACK_APP, "sleep"});
  ASSERT_TRUE(eventually([&] { return !plan_probes(target.pid(), not_run, "stack_app").functions.empty(); }));
  const ProbePlan plan = plan_probes(target.pid(), not_run, "stack_app");
  const ProcessMemory memory(target.pid());
  const std::byte breakpoint{0xcc};
  const std::uint64_t place = plan.functions.at(0).probe.place;
  memory.write(place, {&breakpoint, 1});
  const ProbedProcess probed(target.pid(), plan);
  EXPECT_THAT(probed.refusals(), testing::ElementsAre(HasSubstr("another tool has changed it")));
  std::byte now{};
  memory.read(place, {&now, 1});
  EXPECT_EQ(now, breakpoint);
}

}  // namespace
}  // namespace eventspace

#endif

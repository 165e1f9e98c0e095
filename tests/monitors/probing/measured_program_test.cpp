#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "collectors/clock.h"
#include "monitors/probing/work/probed_process.h"
#include "tests/monitors/probing/target.h"

#ifdef EVENTSPACE_HAS_ZYDIS

// Calls of a running program, measured exactly: no call is lost or measured twice, with eight threads,
// exceptions and forked children. hot_app stops itself before the first and after the last round.

namespace eventspace {
namespace {

using testing_probing::eventually;
using testing_probing::state_of;
using testing_probing::Target;

constexpr std::uint64_t rounds = 2;
constexpr std::uint64_t computations = 1 + 8 + rounds * 9;  // by all threads and children
constexpr std::uint64_t steps = 2000;                       // in each

class MeasuredProgram : public testing::Test {
 protected:
  MeasuredProgram() : target_({HOT_APP, std::to_string(rounds)}, "/dev/null") {}
  void SetUp() override {
    if (!Clock::instance().uses_tsc()) GTEST_SKIP() << "this machine's time stamp counter is not trustworthy";
    ASSERT_TRUE(eventually([&] { return state_of(target_.pid()) == 'T'; }));
  }

  /// Runs the program with probes. Returns their measurements.
  ProbedProcess::Counted run(const std::string& function, const ProbeTask& task) {
    const auto all = run_all(function, task);
    EXPECT_EQ(all.size(), 1U);
    return all.empty() ? ProbedProcess::Counted() : all.front();
  }

  /// Does the same for any number of probes; `callers`: probes calls of the function by these.
  std::vector<ProbedProcess::Counted> run_all(const std::string& function, const ProbeTask& task,
                                              const std::string& callers = {}) {
    const CompiledTask compiled = compile_task(task);
    ProbedProcess probed(
        target_.pid(), plan_probes(target_.pid(), function, "hot_app", compiled.has_exits, nullptr, callers),
        compiled);
    EXPECT_THAT(probed.refusals(), testing::IsEmpty());
    if (probed.functions().empty()) return {};
    target_.process().signal(SIGCONT);
    EXPECT_TRUE(eventually([&] { return state_of(target_.pid()) != 'T'; }));
    EXPECT_TRUE(eventually([&] { return state_of(target_.pid()) == 'T'; }));
    EXPECT_TRUE(probed.remove().is_whole);
    const auto measured = probed.functions();
    target_.process().signal(SIGCONT);
    EXPECT_TRUE(target_.process().wait().is_fine()) << "it found a wrong result";
    return measured;
  }

  Target target_;
};

ProbeTask timed() {
  ProbeTask task;
  task.has_times = true;
  return task;
}

TEST_F(MeasuredProgram, HasEachCallOnceFromEntryToExit) {
  const auto [module, function, placed, calls, measured] = run("hot_real", timed());
  EXPECT_EQ(calls, steps * computations);
  EXPECT_EQ(measured.calls, calls);
  EXPECT_EQ(measured.passed_by + measured.no_entry + measured.no_room + measured.left_out, 0U);
  EXPECT_GT(measured.sum_ns, 0U);
  EXPECT_GE(measured.sum_ns, measured.least_ns * calls);
  EXPECT_LE(measured.sum_ns, measured.greatest_ns * calls);
  std::uint64_t all = 0;
  for (const std::uint64_t count : measured.histogram) all += count;
  EXPECT_EQ(all, calls);
}

TEST_F(MeasuredProgram, HasTheOutermostCallsOfARecursionInTheTotal) {
  ProbeTask task = timed();
  task.values = {"int0"};
  const auto [module, function, placed, calls, measured] = run("hot_recursive", task);
  // Depths 0, 1, 2, 3, 4 in turn, of 1 to 5 calls.
  EXPECT_EQ(calls, steps / 5 * (1 + 2 + 3 + 4 + 5) * computations);
  EXPECT_EQ(measured.calls, calls);
  EXPECT_LT(measured.total_ns, measured.sum_ns);
  EXPECT_LE(measured.own_ns, measured.total_ns);
  EXPECT_EQ(
      measured.values[0].sum,
      static_cast<double>(steps / 5 * (0 + (1) + (2 + 1) + (3 + 2 + 1) + (4 + 3 + 2 + 1)) * computations));
  EXPECT_EQ(measured.values[0].least, 0);
  EXPECT_EQ(measured.values[0].greatest, 4);
}

TEST_F(MeasuredProgram, HasTheCallsThatAnExceptionHasLeft) {
  const auto [module, function, placed, calls, measured] = run("hot_throwing", timed());
  EXPECT_EQ(calls, steps * computations);
  EXPECT_GT(measured.passed_by, 0U);
  EXPECT_EQ(measured.no_entry + measured.no_room, 0U);
  // If a thread ends after a call that threw, it does not pass another probe that would notice it.
  EXPECT_LE(measured.calls + measured.passed_by, calls);
  EXPECT_GE(measured.calls + measured.passed_by + computations, calls);
}

TEST_F(MeasuredProgram, CountsCallsByTheirArguments) {
  ProbeTask task;
  task.when = "int0 >= 3";
  task.values = {"int0"};
  const auto [module, function, placed, calls, measured] = run("hot_real", task);
  // The integer argument is the number of terms, from 0 to 8.
  EXPECT_EQ(calls, steps * computations);
  EXPECT_EQ(measured.left_out + measured.values[0].count, calls);
  EXPECT_EQ(measured.values[0].least, 3);
  EXPECT_EQ(measured.values[0].greatest, 8);
}

TEST_F(MeasuredProgram, CountsCallsByTheirThread) {
  ProbeTask task;
  task.when = "thread == " + std::to_string(target_.pid());
  task.values = {"thread", "thread + int_result * 0"};
  const auto [module, function, placed, calls, measured] = run("hot_real", task);
  EXPECT_EQ(calls, steps * computations);
  EXPECT_EQ(measured.calls, steps) << "the first thread computes once, and those of children are others";
  EXPECT_EQ(measured.left_out, calls - steps);
  for (const std::size_t i : {0, 1}) {  // where it is entered and where it is left
    EXPECT_EQ(measured.values[i].count, steps);
    EXPECT_EQ(measured.values[i].least, target_.pid());
    EXPECT_EQ(measured.values[i].greatest, target_.pid());
  }
}

TEST_F(MeasuredProgram, AddsUpRealArgumentsAndResults) {
  ProbeTask task;
  task.when = "double1 < 0.75 and int0 > 0";
  task.values = {"double0 + double1", "double_result"};
  const auto [module, function, placed, calls, measured] = run("hot_real", task);
  // 1.5 * (0 + ... + n - 1) + 0.5 * n, for n from 0 to 8 in turn: all sums are exact.
  double sum = 0;
  std::uint64_t count = 0;
  for (std::uint64_t i = 0; i < steps; ++i) {
    const auto n = static_cast<double>(i % 9);
    sum += 1.5 * n * (n - 1) / 2 + 0.5 * n;
    count += i % 9 > 0 ? 1 : 0;
  }
  EXPECT_EQ(measured.calls, count * computations);
  EXPECT_EQ(measured.values[0].real_least, 2.0);
  EXPECT_EQ(measured.values[0].real_greatest, 2.0);
  EXPECT_EQ(measured.values[1].count + measured.values[1].missing, count * computations);
  EXPECT_EQ(measured.values[1].real_greatest, 1.5 * 28 + 4);
  if (measured.values[1].missing == 0) {
    EXPECT_EQ(measured.values[1].sum, sum * static_cast<double>(computations));
  }
}

TEST_F(MeasuredProgram, HasTheCallsByOneCaller) {
  const auto all = run_all("hot_mix", {}, "hot_{recursive,throwing}");
  ASSERT_FALSE(all.empty());
  std::uint64_t calls = 0;
  for (const auto& one : all) {
    EXPECT_TRUE(one.function.starts_with("hot_mix from hot_")) << one.function;
    if (one.function.starts_with("hot_mix from hot_recursive")) calls += one.calls;
  }
  // Each call of hot_recursive ends with such a call; the other callers are functions that throw sometimes.
  EXPECT_EQ(calls, steps / 5 * (1 + 2 + 3 + 4 + 5) * computations);
}

TEST_F(MeasuredProgram, HasTheEndsOfCallsThatAreLeftByExceptionsOrNot) {
  ProbeTask task = timed();
  task.values = {"int_result * 0 + 1"};
  const auto all = run_all("hot_throwing", task, "hot_catching");
  ASSERT_EQ(all.size(), 1U);
  const auto& [module, function, placed, calls, measured] = all.front();
  EXPECT_EQ(calls, steps * computations);
  EXPECT_GT(measured.passed_by, 0U);
  EXPECT_EQ(measured.no_entry + measured.no_room, 0U);
  EXPECT_LE(measured.calls + measured.passed_by, calls);
  EXPECT_GE(measured.calls + measured.passed_by + computations, calls);
  EXPECT_EQ(measured.values[0].sum, static_cast<double>(measured.calls));
  EXPECT_GT(measured.calls, calls / 2) << "one of seven throws";
}

TEST_F(MeasuredProgram, CountsOneOfNCalls) {
  ProbeTask task = timed();
  task.every = 10;
  const auto [module, function, placed, calls, measured] = run("hot_real", task);
  EXPECT_EQ(measured.calls + measured.left_out, calls);
  // One of ten in each line of counters, of which there are 32.
  EXPECT_GE(measured.calls, calls / 10);
  EXPECT_LE(measured.calls, calls / 10 + 32);
}

}  // namespace
}  // namespace eventspace

#endif

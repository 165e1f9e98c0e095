#include <gmock/gmock.h>

#include <map>
#include <optional>

#include <eventspace/error.h>
#include "collectors/clock.h"
#include "monitors/probing/attaching/attached_segment.h"
#include "monitors/probing/work/probed_process.h"
#include "tests/monitors/probing/hot_program.h"
#include "tests/monitors/probing/process_traces.h"
#include "tests/monitors/probing/stepped_tool.h"

#ifdef EVENTSPACE_HAS_ZYDIS

// Tools that are killed at each step of their work on a computing program of eight threads. The program
// continues, its results are right, and the next tool finds and removes the remains.

namespace eventspace {
namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing_probing::HotProgram;
using testing_probing::own_code_kb;
using testing_probing::SteppedTool;
using testing_probing::traces_of;

CompiledTask task_with_times() {
  ProbeTask task;
  task.has_times = true;
  return compile_task(task);
}

class KilledTool : public HotProgram {
 protected:
  enum class Victim { helper, tool };
  using Work = std::function<void()>;

  void SetUp() override {
    if (!Clock::instance().uses_tsc()) GTEST_SKIP() << "this machine's time stamp counter is not trustworthy";
    ASSERT_TRUE(has_new_rounds(1));
    plan_ = plan_probes(target_.pid(), "hot_{real,mix}", "hot_app", true);
    ASSERT_EQ(plan_.functions.size(), 2U);
    for (PlannedFunction& call :
         plan_probes(target_.pid(), "hot_throwing", "hot_app", true, nullptr, "hot_catching").functions)
      plan_.functions.push_back(std::move(call));
    ASSERT_EQ(plan_.functions.size(), 3U);
    before_ = traces_of(target_.pid());
    own_before_ = own_code_kb(target_.pid());
  }

  /// Puts in probes that stay: the process that does it ends without removing them.
  [[nodiscard]] Work placing(const std::optional<RecordedProbes>& recorded = std::nullopt) const {
    return [this, recorded] {
      try {
        new ProbedProcess(target_.pid(), plan_, task_with_times(),
                          recorded);  // NOLINT: it must not be destroyed
      } catch (const EnvironmentError&) {
        // Its helper was killed.
      }
    };
  }
  [[nodiscard]] Work removing() const {
    return [this] {
      try {
        (void)remove_probes(target_.pid());
      } catch (const EnvironmentError&) {
      }
    };
  }
  /// Runs the work without stepping.
  static void run(const Work& work) {
    SteppedTool tool(work);
    while (!tool.next().empty()) {
    }
    tool.wait_for_tool();
  }

  /// Kills the victim at each step of the work; steps of the same name only the first `most` times. `prepare`
  /// is called before each. Returns the names of the steps.
  std::vector<std::string> kill_at_each_step(Victim victim, int most, const Work& prepare, const Work& work) {
    std::map<std::string, int> killed;
    constexpr int limit = 5000;
    bool was_killed = true;
    for (int i = 0; was_killed && i < limit && !HasFailure(); ++i) {
      if (prepare) prepare();
      const std::string step = kill_at_new_step(victim, most, killed, work);
      was_killed = !step.empty();
      expect_no_traces("killed at: " + step);
    }
    std::vector<std::string> names;
    for (const auto& [name, times] : killed)
      if (times > 0) names.push_back(name);
    return names;
  }

  ProbePlan plan_;

 private:
  /// Kills the victim at the first step at which it was not yet killed. Returns the step; empty: the work was
  /// completed.
  static std::string kill_at_new_step(Victim victim, int most, std::map<std::string, int>& killed,
                                      const Work& work) {
    std::map<std::string, int> seen;
    SteppedTool tool(work);
    for (std::string step = tool.next(); !step.empty(); step = tool.next()) {
      const int time = ++seen[step];
      if (time > most || time <= killed[step]) continue;
      killed[step] = time;
      victim == Victim::helper ? tool.kill_helper() : tool.kill_tool();
      return step;
    }
    tool.wait_for_tool();
    return "";
  }

  /// The next tool puts its own probes in, which count, and removes all probes.
  void expect_no_traces(const std::string& when) {
    {
      ProbedProcess probed(target_.pid(), plan_);
      EXPECT_THAT(probed.refusals(), IsEmpty()) << when;
      EXPECT_TRUE(probed.remove().is_whole) << when;
    }
    EXPECT_EQ(traces_of(target_.pid()), before_) << when;
    EXPECT_LE(own_code_kb(target_.pid()), own_before_) << when;
  }

  std::vector<std::string> before_;
  std::uint64_t own_before_{0};
};

class KilledToolByVictim : public KilledTool {
 protected:
  /// Placing probes that record, and removing them, with a kill at each step.
  void kill_all(Victim victim, int most) {
    const std::vector<std::string> always{"seize",         "interrupt",          "detach",
                                          "write a frame", "write 5 bytes",      "set registers for close",
                                          "run to close",  "let go behind close"};
    AttachedSegment segment("killed-tool-" + std::to_string(::getpid()), "hot");
    const auto placed = kill_at_each_step(victim, most, nullptr, placing(segment.recorded()));
    for (const char* const call : {"memfd_create", "ftruncate", "mmap", "close", "open", "madvise"})
      EXPECT_THAT(placed, Contains(std::string("run to ") + call));
    EXPECT_THAT(placed, IsSupersetOf(always));
    const auto prepare = [&] { run(placing(segment.recorded())); };
    const auto removed = kill_at_each_step(victim, most, prepare, removing());
    EXPECT_THAT(removed, IsSupersetOf({"write 5 bytes", "run to madvise", "run to munmap", "detach"}));
    EXPECT_TRUE(has_new_rounds(2));
    expect_right_end();
  }
};

// The helper does the work on the program; its tool only waits for it.
TEST_F(KilledToolByVictim, LeavesACorrectProgramWhereverItsHelperIsKilled) { kill_all(Victim::helper, 1); }
TEST_F(KilledToolByVictim, LeavesACorrectProgramWhereverTheToolIsKilled) { kill_all(Victim::tool, 1); }

// Kills at every occurrence of each step, and also without records.
using KilledToolForLong = KilledToolByVictim;
TEST_F(KilledToolForLong, LeavesACorrectProgramWheneverItsHelperIsKilled) {
  (void)kill_at_each_step(Victim::helper, 1000, nullptr, placing());
  kill_all(Victim::helper, 1000);
}

}  // namespace
}  // namespace eventspace

#endif

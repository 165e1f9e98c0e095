#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "collectors/clock.h"
#include "monitors/probing/measuring/call_cost.h"
#include "monitors/probing/probes/probe_area.h"
#include "monitors/probing/processes/process_modules.h"
#include "tests/monitors/probing/target.h"

#ifdef EVENTSPACE_HAS_ZYDIS

// `eventspace balance` on programs whose parts are known.

namespace eventspace {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing_probing::eventually;
using testing_probing::Target;
using testing_probing::text_of;

class Balance : public testing::Test {
 protected:
  void SetUp() override {
    if (!Clock::instance().uses_tsc()) GTEST_SKIP() << "this machine's time stamp counter is not trustworthy";
  }
  std::string output_of(std::vector<std::string> words, int status = 0) {
    const fs::path out = fs::temp_directory_path() / ("eventspace-balance-" + std::to_string(::getpid()));
    words.insert(words.begin(), {EVENTSPACE_PROGRAM, "balance"});
    Target tool(words, out);
    EXPECT_EQ(tool.process().wait().status, status) << text_of(out);
    const std::string text = text_of(out);
    fs::remove(out);
    return text;
  }
  [[nodiscard]] Target uneven(const std::string& parts, const std::string& rank) const {
    return Target({"env", "PART=" + mark_, "PMI_RANK=" + rank, UNEVEN_APP, parts}, "/dev/null");
  }
  static bool runs(const Target& target) {
    return eventually(
        [&] { return text_of("/proc/" + std::to_string(target.pid()) + "/comm") == "uneven_app\n"; });
  }
  const std::string mark_ = "balance-" + std::to_string(::getpid());
};

TEST_F(Balance, FindsTheFunctionInWhichOneProcessIsSlow) {
  const Target slow = uneven("9", "1");
  const Target fast = uneven("1", "0");
  ASSERT_TRUE(runs(slow) && runs(fast));
  const fs::path plot = fs::temp_directory_path() / (mark_ + ".dot");
  const std::string out = output_of({"--where", "env_PART == '" + mark_ + "'", "--loop", "uneven_loop",
                                     "--round", "500ms", "--format", "csv", "--plot", plot.string()});
  // The first round has the callees of the loop, the second round the callees of the slow ones.
  EXPECT_THAT(out, AllOf(ContainsRegex("\n1,uneven_sweep,uneven_loop,2,[0-9]+,"),
                         ContainsRegex("\n1,uneven_exchange,uneven_loop,2,[0-9]+,"),
                         ContainsRegex("\n2,uneven_kernel,uneven_(sweep|exchange),2,[0-9]+,")));
  EXPECT_THAT(out, ContainsRegex("\n1,uneven_sweep,[^\n]*:rank1,[^\n]*,looked into,")) << "who is slowest";
  EXPECT_THAT(out, ContainsRegex("\n[12],uneven_tiny,[^\n]*,called too often,")) << "the budget";
  EXPECT_THAT(out, HasSubstr("2 processes: "));
  EXPECT_THAT(text_of(plot), AllOf(HasSubstr("round 2"), HasSubstr("uneven_kernel")));
  fs::remove(plot);
  for (const Target* const target : {&slow, &fast})
    EXPECT_TRUE(areas_in(ProcessMemory(target->pid()), mapped_ranges(target->pid())).empty());
}

TEST_F(Balance, SaysWhatIsWrong) {
  EXPECT_THAT(output_of({}, 2), HasSubstr("no processes are chosen"));
  EXPECT_THAT(output_of({"--name", "uneven_app", "--plot", "x.txt"}, 2), HasSubstr(".svg"));
  EXPECT_THAT(output_of({"--where", "env_PART == 'none'"}, 3), HasSubstr("no process matches"));
  EXPECT_THAT(
      output_of({"--name", "uneven_app", "--hosts", "n1", "--launcher", "false", "--budget", "200"}, 2),
      HasSubstr("--budget"));
  const Target target = uneven("1", "0");
  ASSERT_TRUE(runs(target));
  const std::string pid = std::to_string(target.pid());
  EXPECT_THAT(output_of({"--pid", pid, "--loop", "no_such_function"}, 3),
              HasSubstr("no function 'no_such_function'"));
  EXPECT_THAT(output_of({"--pid", pid, "--loop", "uneven_kernel", "--module", "uneven_app"}, 3),
              HasSubstr("that calls a function that can have a probe"));
}

TEST(CallCost, IsThatOfSomeInstructions) {
  const auto cost = measured_call_cost();
  EXPECT_GE(cost.count(), 1);
  EXPECT_LT(cost, std::chrono::microseconds(100));
  EXPECT_EQ(measured_call_cost(), cost) << "it is measured once";
}

}  // namespace
}  // namespace eventspace

#endif

#include <gmock/gmock.h>

#include <signal.h>

#include <string>
#include <vector>

#include "tests/monitors/workplace.h"

// `--budget` of commands, beside a program without a pathmap that records hundreds of thousands of events a
// second.
namespace eventspace {
namespace {

using testing::HasSubstr;
using testing_commands::Call;
using testing_commands::eventually;

constexpr const char* thinned = "budget 0.5%: recording 1 in ";

class BudgetCommand : public testing_commands::Workplace {
 protected:
  Call start_busy(const std::string& mode = "busy", const std::string& times = "") {
    std::vector<std::string> words{"run", "--session", "busy", "--", DYNAMIC_APP, mode};
    if (!times.empty()) words.push_back(times);
    Call application = start(words);
    EXPECT_TRUE(eventually([&] { return records_everything(); })) << switched_;
    return application;
  }
  /// Whether `switch` shows the process; its output is in `switched_`.
  bool has_settings() {
    auto done = call({"switch", "busy", "--format", "csv"});
    const bool is_fine = done.status() == 0;
    switched_ = done.out();
    return is_fine && switched_.find("directly") != std::string::npos;
  }
  [[nodiscard]] bool records_everything() {
    return has_settings() && switched_.find(",on,") != std::string::npos;
  }
  [[nodiscard]] bool is_thinned() { return has_settings() && switched_.find("probe") != std::string::npos; }

  /// Whether the program has followed the settings that `switch` shows, at its next event.
  bool has_seen_the_switch() {
    return call({"values", "busy", "--count", "1"}).err().find("did not record all events") !=
           std::string::npos;
  }

  static void end(Call& application) {
    application.signal(SIGINT);
    EXPECT_EQ(application.status(), 0) << application.err();
  }

  std::string switched_;
};

TEST_F(BudgetCommand, ARecorderThinsTellsAndRestores) {
  Call application = start_busy();
  Call recorder = start({"record", "busy", "-o", file("busy.evs"), "--budget", "0.5%"});
  EXPECT_TRUE(recorder.says(thinned)) << recorder.err();
  EXPECT_TRUE(eventually([&] { return is_thinned(); })) << switched_;
  EXPECT_TRUE(eventually([&] { return has_seen_the_switch(); }));
  recorder.signal(SIGINT);
  EXPECT_EQ(recorder.status(), 0) << recorder.err();
  EXPECT_THAT(recorder.err(), HasSubstr("the budget was 0.5%"));
  EXPECT_TRUE(records_everything()) << switched_;
  end(application);
  auto profile = call({"profile", file("busy.evs")});  // says what its totals lack
  EXPECT_EQ(profile.status(), 0);
  EXPECT_THAT(profile.err(), HasSubstr("did not record all events at times (on, but probe")) << profile.err();
  EXPECT_EQ(call({"events", file("busy.evs"), "--budget", "1%"}).status(), 2);
}

TEST_F(BudgetCommand, AMonitorKeepsItAndSaysThatTotalsAreTooLow) {
  Call application = start_busy();
  Call monitor = start({"values", "busy", "--budget", "0.5%"});
  EXPECT_TRUE(monitor.says(thinned)) << monitor.err();
  EXPECT_TRUE(eventually([&] { return is_thinned(); }));
  monitor.signal(SIGINT);
  EXPECT_EQ(monitor.status(), 0) << monitor.err();
  EXPECT_THAT(monitor.err(), HasSubstr("counts, totals and rates of these events are too low"));
  EXPECT_TRUE(records_everything()) << switched_;
  end(application);
}

TEST_F(BudgetCommand, ASecondToolLeavesSwitchingToTheFirst) {
  Call application = start_busy();
  Call first = start({"values", "busy", "--budget", "0.5%"});
  ASSERT_TRUE(first.says(thinned)) << first.err();
  Call second = start({"heartbeat", "busy", "--budget", "1%"});
  EXPECT_TRUE(second.says("budget 1%: process " + std::to_string(first.pid()) + " keeps a budget"))
      << second.err();
  second.signal(SIGINT);
  EXPECT_EQ(second.status(), 0) << second.err();
  EXPECT_TRUE(is_thinned()) << switched_;
  first.signal(SIGINT);
  first.status();
  EXPECT_TRUE(records_everything()) << switched_;
  end(application);
}

TEST_F(BudgetCommand, AUsersSwitchIsNotUndone) {
  Call application = start_busy();
  Call monitor = start({"values", "busy", "--budget", "0.5%"});
  ASSERT_TRUE(monitor.says(thinned)) << monitor.err();
  ASSERT_TRUE(eventually([&] { return is_thinned(); }));
  EXPECT_EQ(call({"switch", "busy", "1/77", "--kind", "probe"}).status(), 0);
  EXPECT_TRUE(monitor.says("was switched by hand, and is left as it is")) << monitor.err();
  monitor.signal(SIGINT);
  monitor.status();
  EXPECT_TRUE(has_settings());
  EXPECT_THAT(switched_, HasSubstr("probe 1/77"));
  end(application);
}

TEST_F(BudgetCommand, AfterAKillSwitchShowsAndRestores) {
  Call application = start_busy();
  Call monitor = start({"values", "busy", "--budget", "0.5%"});
  ASSERT_TRUE(monitor.says(thinned)) << monitor.err();
  ASSERT_TRUE(eventually([&] { return is_thinned(); }));
  monitor.signal(SIGKILL);
  monitor.status();
  EXPECT_TRUE(is_thinned()) << switched_;
  EXPECT_EQ(call({"switch", "busy", "on"}).status(), 0);
  EXPECT_TRUE(records_everything()) << switched_;
  // The lock of the killed tool does not keep the next one away.
  Call next = start({"values", "busy", "--budget", "0.5%"});
  EXPECT_TRUE(next.says(thinned)) << next.err();
  next.signal(SIGINT);
  next.status();
  end(application);
}

TEST_F(BudgetCommand, ARunKeepsItsOwnBudget) {
  Call application = start({"run", "--session", "busy", "--budget", "0.5%", "--", DYNAMIC_APP, "busy"});
  EXPECT_TRUE(application.says(thinned)) << application.err();
  end(application);
  EXPECT_THAT(application.err(), HasSubstr("the budget was 0.5%"));
}

// The program only passes probes, so probes that are off take nearly all of its time.
TEST_F(BudgetCommand, WhatCannotBeKeptStopsCollectingAndTheCommand) {
  Call application = start_busy("pass", "2000000000");
  Call monitor = start({"values", "busy", "--budget", "0.01%"});
  EXPECT_EQ(monitor.status(), 1) << monitor.err();
  EXPECT_THAT(monitor.err(), HasSubstr("the budget cannot be kept"));
  EXPECT_TRUE(has_settings());
  EXPECT_THAT(switched_, HasSubstr("probe point off"));
  application.signal(SIGKILL);
  application.status();
}

// Its recorder stops, which is no failure of the recording.
TEST_F(BudgetCommand, ARunWhoseRecorderCannotKeepItPrintsItsProfileAndEndsWithOne) {
  Call application =
      start({"run", "--session", "busy", "--profile", "--budget", "0.0001%", "--", DYNAMIC_APP, "busy"});
  EXPECT_TRUE(application.says("the budget cannot be kept")) << application.err();
  application.signal(SIGINT);
  EXPECT_EQ(application.status(), 1) << application.err();
  EXPECT_THAT(application.out(), HasSubstr("where time goes"));
}

TEST_F(BudgetCommand, OtherSharesAreRefusedWithTheAllowedForm) {
  for (const char* const word : {"1", "0%", "120%", "cheap"}) {
    auto done = call({"values", "busy", "--budget", word});
    EXPECT_EQ(done.status(), 2);
    EXPECT_THAT(done.err(),
                HasSubstr(std::string("--budget: found '") + word + "'; expected a share in percent"))
        << done.err();
  }
}

}  // namespace
}  // namespace eventspace

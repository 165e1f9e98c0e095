#include "monitors/budget/budget_watch.h"

#include <gmock/gmock.h>

#include <optional>

#include "collectors/switching/switch_order.h"
#include "tests/monitors/budget/fake_session.h"

namespace eventspace {
namespace {

using testing::Contains;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::Ge;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Le;
using testing::Not;
using testing::SizeIs;

const EventClasses watched_writes = events_named("operation", "write").front();
const EventClasses watched_reads = events_named("operation", "read").front();
const std::uint8_t write_class = watched_writes.event_class;
const std::uint8_t read_class = watched_reads.event_class;
constexpr RecordCosts watch_costs{{40, 120}, {4, 8}, {1, 2}};

class BudgetWatchTest : public testing::Test {
 protected:
  void run(int looks, bool may_switch = true) {
    for (int i = 0; i < looks; ++i) {
      session.pass(1);
      watch().look(may_switch);
    }
  }
  BudgetWatch& watch() {
    if (!watch_)
      watch_.emplace(session, BudgetControl::Settings{.budget = 0.01, .costs = watch_costs},
                     [this](const std::string& line) { said.push_back(line); });
    return *watch_;
  }
  std::uint32_t period(std::uint32_t process, std::uint8_t of = write_class) {
    return session.processes.at(process).collecting.period(FakeSession::operation_kind_number, of);
  }

  FakeSession session;
  std::vector<std::string> said;

 private:
  std::optional<BudgetWatch> watch_;
};

TEST_F(BudgetWatchTest, ThinsTellsAndRestores) {
  session.add(1, 11, {{write_class, 3e5}, {read_class, 1000}});
  run(20);
  EXPECT_THAT(period(1), Ge(10U));
  EXPECT_EQ(period(1, read_class), 1U);
  EXPECT_THAT(said, Contains(HasSubstr("budget 1%: recording 1 in ")));
  EXPECT_THAT(said, Contains(HasSubstr("operation write")));
  EXPECT_THAT(said, Not(Contains(HasSubstr("operation read"))));
  run(200);
  EXPECT_THAT(watch().control().share(), Le(0.012));
  watch().restore();
  EXPECT_EQ(period(1), 1U);
  watch().say_sum();
  EXPECT_THAT(said.back(), ContainsRegex("the budget was 1%; kept; [0-9]+ steps?$"));
}

TEST_F(BudgetWatchTest, AProcessThatBeginsMeanwhileFollows) {
  session.add(1, 11, {{write_class, 3e5}});
  run(20);
  const std::uint32_t before = period(1);
  session.add(2, 22, {{write_class, 3e5}});
  run(2);
  EXPECT_THAT(period(2), Ge(before));
  watch().restore();
  EXPECT_EQ(period(1), 1U);
  EXPECT_EQ(period(2), 1U);
}

TEST_F(BudgetWatchTest, AProcessThatEndsIsForgotten) {
  session.add(1, 11, {{write_class, 3e5}});
  session.add(2, 22, {{write_class, 3e5}});
  run(20);
  session.processes.erase(2);
  run(20);
  session.orders.clear();
  watch().restore();
  for (const PeriodOrder& order : session.orders)
    for (const ProcessRun& run : order.runs) EXPECT_EQ(run.process, 1U);
  EXPECT_EQ(period(1), 1U);
}

TEST_F(BudgetWatchTest, AnotherRunOfAProcessBeginsAnew) {
  session.add(1, 11, {{write_class, 3e5}});
  run(20);
  session.processes.erase(1);
  session.add(1, 12, {{write_class, 3e5}});
  run(3);
  EXPECT_THAT(period(1), Ge(10U));
  watch().restore();
  EXPECT_EQ(period(1), 1U);
}

TEST_F(BudgetWatchTest, WhatAUserSwitchesIsNeverUndone) {
  session.add(1, 11, {{write_class, 3e5}});
  run(20);
  session.processes.at(1).collecting.set(watched_writes, 7);
  run(50);
  EXPECT_EQ(period(1), 7U);
  EXPECT_THAT(said, Contains(HasSubstr("operation write was switched by hand, and is left as it is")));
  watch().restore();
  EXPECT_EQ(period(1), 7U);
}

TEST_F(BudgetWatchTest, AUsersSettingFromBeforeComesBack) {
  session.add(1, 11, {{write_class, 5e5}}).collecting.set(watched_writes, 10);
  run(30);
  EXPECT_THAT(period(1), testing::AnyOf(0U, Ge(20U)));
  watch().restore();
  EXPECT_EQ(period(1), 10U);
}

TEST_F(BudgetWatchTest, WhatAUserHasSwitchedOffStaysOff) {
  session.add(1, 11, {{write_class, 3e5}, {read_class, 1e6}}).collecting.set(watched_writes, 0);
  run(30);
  watch().restore();
  EXPECT_EQ(period(1), 0U);
  EXPECT_EQ(period(1, read_class), 1U);
}

TEST_F(BudgetWatchTest, ARefusalIsToldOnceAndOnlyTheIntervalIsUsed) {
  session.refusals[1] = "it is an observer";
  session.add(1, 11, {{write_class, 3e5}});
  run(50);
  EXPECT_THAT(said, Contains(HasSubstr("cannot switch what the processes record: it is an observer; only the "
                                       "interval of this tool is lengthened")));
  EXPECT_THAT(session.orders, SizeIs(1));
  EXPECT_TRUE(watch().is_kept());
  watch().restore();
  EXPECT_THAT(session.orders, SizeIs(1));
}

TEST_F(BudgetWatchTest, WhileAnotherToolKeepsABudgetItSwitchesNothing) {
  session.add(1, 11, {{write_class, 3e5}});
  run(20, false);
  EXPECT_THAT(session.orders, IsEmpty());
  run(20, true);
  EXPECT_THAT(session.orders, Not(IsEmpty()));
}

// One process of several, such as one of another user.
TEST_F(BudgetWatchTest, OneRefusalDoesNotKeepTheOthersFromBeingThinnedAndRestored) {
  session.add(1, 11, {{write_class, 3e5}});
  session.add(2, 22, {{write_class, 1000}});
  run(20);
  ASSERT_THAT(period(2), Ge(2U));
  session.add(3, 33, {{write_class, 1000}});
  session.refusals[3] = "permission denied";
  run(20);
  EXPECT_THAT(said,
              Contains("budget 1%: cannot switch what some processes record: permission denied").Times(1));
  EXPECT_THAT(period(1), Ge(2U));
  EXPECT_EQ(period(3), 1U);
  std::size_t orders_to_it = 0;
  for (const PeriodOrder& order : session.orders)
    for (const ProcessRun& one : order.runs) orders_to_it += one.process == 3 ? 1 : 0;
  EXPECT_EQ(orders_to_it, 1U);
  watch().restore();
  EXPECT_EQ(period(1), 1U);
  EXPECT_EQ(period(2), 1U);
  EXPECT_THAT(said, Not(Contains(HasSubstr("may still record less"))));
}

TEST_F(BudgetWatchTest, AProcessThatRefusesLaterIsNamedAtTheEnd) {
  session.add(1, 11, {{write_class, 3e5}});
  session.add(2, 22, {{write_class, 3e5}});
  run(20);
  const std::uint32_t thinned = period(2);
  ASSERT_THAT(thinned, Ge(10U));
  session.refusals[2] = "its control file was removed";
  watch().restore();
  EXPECT_EQ(period(1), 1U);
  EXPECT_EQ(period(2), thinned);
  EXPECT_EQ(said.back(),
            "budget 1%: p2 did not answer or refused, and may still record less than before; "
            "`eventspace switch fake on` records everything again");
}

TEST_F(BudgetWatchTest, AServerThatIsLateOnceDoesNotMakeTheToolAnObserver) {
  session.add(1, 11, {{write_class, 3e5}});
  session.is_deaf = true;
  while (session.orders.empty()) run(1);
  session.is_deaf = false;
  run(20);
  EXPECT_THAT(period(1), Ge(10U));
  EXPECT_THAT(said, Contains(HasSubstr("some processes record: its server does not answer")));
  watch().restore();
  EXPECT_EQ(period(1), 1U);
}

TEST_F(BudgetWatchTest, WhereNoServerEverSwitchesOnlyTheIntervalIsUsed) {
  session.add(1, 11, {{write_class, 3e5}});
  session.is_deaf = true;
  run(50);
  EXPECT_THAT(session.orders, SizeIs(3));
  EXPECT_THAT(said,
              Contains(HasSubstr("the processes record: its server does not answer; only the interval")));
  EXPECT_TRUE(watch().is_kept());
}

TEST_F(BudgetWatchTest, WhatWasCarriedOutWithoutAnAnswerIsRestored) {
  session.add(1, 11, {{write_class, 3e5}});
  session.is_mute = true;
  while (session.orders.empty()) run(1);
  EXPECT_THAT(period(1), Ge(2U));
  session.is_mute = false;
  run(1);
  watch().restore();
  EXPECT_EQ(period(1), 1U);
  EXPECT_THAT(said, Not(Contains(HasSubstr("by hand"))));
}

TEST_F(BudgetWatchTest, AProcessThatIsMissingInALookKeepsWhatWasFound) {
  session.add(1, 11, {{write_class, 3e5}});
  session.add(2, 22, {{write_class, 3e5}});
  run(20);
  ASSERT_THAT(period(2), Ge(10U));
  session.late = {2};
  run(5);
  session.late.clear();
  run(5);
  EXPECT_THAT(period(2), Ge(10U));
  watch().restore();
  EXPECT_EQ(period(1), 1U);
  EXPECT_EQ(period(2), 1U);
}

TEST_F(BudgetWatchTest, AProcessThatIsMissingAtTheEndIsNamed) {
  session.add(1, 11, {{write_class, 3e5}});
  session.add(2, 22, {{write_class, 3e5}});
  run(20);
  session.late = {2};
  watch().restore();
  EXPECT_EQ(period(1), 1U);
  EXPECT_THAT(said.back(), HasSubstr("p2 did not answer or refused, and may still record less than before"));
}

// Its segment stays until something removes it.
TEST_F(BudgetWatchTest, AKilledProcessGetsNoOrdersAndIsNotNamed) {
  for (const std::uint32_t process : {1U, 2U, 3U})
    session.add(process, static_cast<std::int32_t>(process), {{write_class, 3e5}});
  run(20);
  session.processes.at(2).state = RunState::dead;
  session.late = {3};  // missing processes are remembered
  session.orders.clear();
  watch().restore();
  for (const PeriodOrder& order : session.orders)
    EXPECT_THAT(order.runs, ElementsAre(testing::Field(&ProcessRun::process, 1U)));
  EXPECT_EQ(period(1), 1U);
  EXPECT_THAT(said.back(), testing::StartsWith("budget 1%: p3 did not answer"));
}

TEST_F(BudgetWatchTest, AfterAFailedLookItRestoresWhatIsKnown) {
  session.add(1, 11, {{write_class, 3e5}});
  run(20);
  session.fault = "cannot read the directory";
  EXPECT_THROW(run(1), EnvironmentError);
  watch().restore();
  EXPECT_EQ(period(1), 1U);
  EXPECT_EQ(
      said.back(),
      "budget 1%: restoring what was known at the last look, because another one failed: cannot read the "
      "directory");
}

// Two processes on different machines may have the same pid.
TEST(NoteSwitched, FindsProcessesByNameAndPid) {
  const FakeSession session;
  const PeriodOrder order{watched_writes, 10, {{1, 11, 1}, {2, 11, 1}}};
  SwitchedProcess first{"n1", "p1", 11, {}, ""};
  SwitchedProcess second{"n2", "p2", 11, {}, "permission denied"};
  const SwitchedProcess other{"n2", "p3", 11, {}, "permission denied"};
  BudgetedSession::Outcome outcome;
  note_switched({first, other}, order, session.names(), outcome);
  EXPECT_THAT(outcome.done, ElementsAre(order.runs[0]));
  EXPECT_THAT(outcome.refused, IsEmpty());
  EXPECT_EQ(outcome.refusal, "");
  note_switched({second}, order, session.names(), outcome);
  EXPECT_THAT(outcome.done, SizeIs(1));
  EXPECT_THAT(outcome.refused, ElementsAre(order.runs[1]));
  EXPECT_EQ(outcome.refusal, "permission denied");
}

// Two tools on one session: the one with the tighter budget takes over when the first ends.
TEST_F(BudgetWatchTest, TheNextToolFindsWhatTheFirstHasRestored) {
  session.add(1, 11, {{write_class, 3e5}});
  BudgetWatch other(session, {.budget = 0.005, .costs = watch_costs}, [](const std::string& /*line*/) {});
  for (int i = 0; i < 20; ++i) {
    session.pass(1);
    watch().look(true);
    other.look(false);
  }
  watch().restore();
  for (int i = 0; i < 20; ++i) {
    session.pass(1);
    other.look(true);
  }
  EXPECT_THAT(period(1), testing::AnyOf(0U, Ge(20U)));
  other.restore();
  EXPECT_EQ(period(1), 1U);
}

TEST_F(BudgetWatchTest, ABudgetThatCannotBeKeptIsToldAndEverythingStaysOff) {
  session.add(1, 11, {{write_class, 1e8}, {read_class, 1e7}});
  run(40);
  EXPECT_FALSE(watch().is_kept());
  EXPECT_THAT(said, Contains(HasSubstr("the budget cannot be kept")));
  watch().restore();
  EXPECT_EQ(period(1), 0U);
  EXPECT_EQ(period(1, read_class), 0U);
}

}  // namespace
}  // namespace eventspace

#include "monitors/probing/balance/balance_search.h"

#include <gmock/gmock.h>

#include "monitors/probing/balance/balance_picture.h"

// The search for load imbalance, on made-up programs, without processes.

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::chrono::nanoseconds second = 1s;

FunctionName named(const std::string& name) { return {"/bin/app", name}; }

/// A function that took this many milliseconds in each of the processes.
FunctionSpread took(const std::string& name, const std::vector<std::uint64_t>& ms, std::uint64_t calls = 10) {
  FunctionSpread spread;
  spread.module = "/bin/app";
  spread.function = name;
  for (std::size_t i = 0; i < ms.size(); ++i) {
    spread.calls.add(calls, "n1:" + std::to_string(i));
    spread.total_ns.add(ms[i] * 1000000, "n1:" + std::to_string(i));
  }
  return spread;
}

std::vector<std::string> functions_of(const BalanceSearch& search) {
  std::vector<std::string> names;
  for (const auto& [name, caller] : search.next()) names.push_back(name.function);
  return names;
}

const BalanceFinding& found(const BalanceSearch& search, const std::string& name) {
  for (const BalanceFinding& finding : search.findings())
    if (finding.name.function == name) return finding;
  throw std::out_of_range(name);
}

std::vector<FunctionName> callees(const FunctionName& caller) {
  if (caller.function == "solve") return {named("sweep"), named("norm")};
  if (caller.function == "sweep") return {named("solve"), named("kernel")};
  if (caller.function == "exchange") return {named("wait")};
  return {};
}

TEST(BalanceSearch, LooksIntoSlowOrUnbalancedFunctionsUntilNothingIsDeeper) {
  BalanceSearch search({}, "main", {named("solve"), named("exchange"), named("print")});
  EXPECT_THAT(functions_of(search), ElementsAre("exchange", "print", "solve"));
  search.take(second, {took("solve", {600, 600}), took("exchange", {10, 90}), took("print", {5, 5})},
              callees);
  EXPECT_THAT(functions_of(search), ElementsAre("norm", "sweep", "wait"));
  EXPECT_EQ(found(search, "print").verdict, BalanceVerdict::fast);
  EXPECT_EQ(found(search, "solve").verdict, BalanceVerdict::looked_into);
  const BalanceFinding& exchange = found(search, "exchange");
  EXPECT_EQ(exchange.verdict, BalanceVerdict::looked_into) << "fast, but unbalanced";
  EXPECT_NEAR(exchange.lost, 0.04, 1e-9);
  EXPECT_EQ(exchange.total_ns.greatest_at, "n1:1");
  EXPECT_NEAR(search.measured(), 0.655, 1e-9);
  EXPECT_NEAR(search.explained(), 1 - 0.65 / 0.655, 1e-9);
  search.take(second, {took("sweep", {500, 500}), took("norm", {20, 20}), took("wait", {1, 80})}, callees);
  EXPECT_THAT(functions_of(search), ElementsAre("kernel")) << "solve was measured already";
  EXPECT_EQ(found(search, "wait").verdict, BalanceVerdict::leaf);
  EXPECT_EQ(found(search, "sweep").caller, "solve");
  search.take(second, {took("kernel", {490, 490})}, callees);
  EXPECT_THAT(functions_of(search), IsEmpty());
  EXPECT_EQ(found(search, "kernel").round, 3U);
  EXPECT_EQ(search.explained(), 1);
}

TEST(BalanceSearch, EndsWhenEnoughIsExplained) {
  BalanceGoal goal;
  goal.explained = 0.5;
  BalanceSearch search(goal, "main", {named("solve"), named("other")});
  search.take(second, {took("solve", {200}), took("other", {600})}, callees);
  EXPECT_THAT(functions_of(search), IsEmpty()) << "other calls nothing: three quarters are explained";
  EXPECT_EQ(found(search, "solve").verdict, BalanceVerdict::left);
  EXPECT_EQ(found(search, "other").verdict, BalanceVerdict::leaf);
}

TEST(BalanceSearch, EndsAfterItsRounds) {
  BalanceGoal goal;
  goal.rounds = 1;
  BalanceSearch search(goal, "main", {named("solve")});
  search.take(second, {took("solve", {900})}, callees);
  EXPECT_THAT(functions_of(search), IsEmpty());
  EXPECT_EQ(found(search, "solve").verdict, BalanceVerdict::left);
}

TEST(BalanceSearch, RemovesFunctionsThatAreCalledTooOften) {
  const std::vector<FunctionSpread> counted{took("rare", {1}, 10), took("often", {1}, 1000000),
                                            took("most", {1}, 9000000)};
  EXPECT_NEAR(cost_share(counted, second, 10ns), 0.1000001, 1e-9);
  EXPECT_THAT(too_expensive(counted, second, 10ns, 0.2), IsEmpty());
  EXPECT_THAT(too_expensive(counted, second, 10ns, 0.05), SizeIs(1));
  const auto out = too_expensive(counted, second, 10ns, 0.005);
  ASSERT_THAT(out, SizeIs(2));
  EXPECT_EQ(out[0].function, "most");
  BalanceSearch search({}, "main", {named("rare"), named("often"), named("most")});
  search.take_too_often(out);
  EXPECT_THAT(functions_of(search), ElementsAre("rare"));
  EXPECT_EQ(found(search, "most").verdict, BalanceVerdict::too_often);
  EXPECT_EQ(found(search, "most").calls.sum, 9000000U);
}

TEST(BalanceSearch, WithoutMeasurementsFindsNothing) {
  BalanceSearch search({}, "main", {named("solve")});
  search.take(second, {}, callees);
  EXPECT_THAT(search.findings(), IsEmpty());
  EXPECT_THAT(functions_of(search), IsEmpty());
  EXPECT_EQ(search.explained(), 0);
  EXPECT_EQ(cost_share({}, 0ns, 10ns), 0);
}

TEST(BalancePicture, HasABarForEachFunctionOfEachRound) {
  BalanceSearch search({}, "main", {named("solve"), named("exchange")});
  search.take_too_often({took("exchange", {0}, 1000)});
  search.take(second, {took("solve", {600, 700})}, callees);
  search.take(second, {took("sweep", {500, 500}), took("norm", {20, 20})}, callees);
  const std::string dot = draw_balance(search.findings()).dot();
  for (const char* const words : {"round 1", "round 2", "solve", "sweep", "n1:1", "called too often"})
    EXPECT_THAT(dot, HasSubstr(words));
  std::vector<BalanceFinding> findings(max_drawn + 3);
  EXPECT_THAT(draw_balance(findings).dot(), HasSubstr("and 3 more functions"));
}

}  // namespace
}  // namespace eventspace

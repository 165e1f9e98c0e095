#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "tests/scopes/reading/served_scope.h"

// Runs of a process that began and ended while they were read by another server or by none.

namespace eventspace {
namespace {

using test::ServedScopeTest;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(ServedScopeTest, IfServerAndProcessRestartEventsOfEarlierRunsComeFirst) {
  runs.leave(3);
  scope = open([](ScopeTree& tree) { tree.batch = 2; });
  EXPECT_THAT(pull(), ElementsAre(1, 2));
  runs.leave(1);
  runs.leave(2);
  serve_anew();
  EXPECT_THAT(pull(), ElementsAre(3));
  EXPECT_THAT(pull(), ElementsAre(1));
  EXPECT_THAT(view.missing, IsEmpty());
  EXPECT_THAT(pull(), ElementsAre(1, 2));
  EXPECT_THAT(view.missing, IsEmpty());
  EXPECT_EQ(view.loss, Loss{});
}

TEST_F(ServedScopeTest, WhenTheOldRunHasLeftNothingItIsNamedOnceAndTheNextIsUnreadFromItsBeginning) {
  const auto old_file = runs.leave(3);
  scope = open([](ScopeTree& tree) { tree.since = std::chrono::hours(24 * 365 * 100); });
  EXPECT_THAT(pull(), ElementsAre(1, 2, 3));
  const std::int32_t old = view.processes.at(0).pid;
  std::filesystem::remove(old_file);
  runs.leave(6);
  serve_anew();
  EXPECT_THAT(pull(), ElementsAre(3, 4, 5, 6));
  EXPECT_EQ(view.loss, (Loss{.discarded = 2}));
  ASSERT_EQ(view.missing.size(), 1u);
  EXPECT_EQ(view.missing[0].what, "process p0");
  EXPECT_EQ(view.missing[0].node, "n1");
  EXPECT_EQ(view.missing[0].cause, MissingCause::restarted);
  EXPECT_EQ(view.missing[0].sources, 2u);
  EXPECT_THAT(view.missing[0].detail, HasSubstr("pid " + std::to_string(old)));
  EXPECT_THAT(pull(), IsEmpty());
  EXPECT_THAT(view.missing, IsEmpty());
  runs.leave(1);
  EXPECT_THAT(pull(), ElementsAre(1));
  EXPECT_THAT(view.missing, IsEmpty());
}

TEST_F(ServedScopeTest, ThoughTheNextRunComesOnlyAfterTheServer) {
  const auto old_file = runs.leave(3);
  EXPECT_THAT(pull(), ElementsAre(1, 2, 3));
  std::filesystem::remove(old_file);
  serve_anew();
  const Deadline patience = Deadline::after(std::chrono::seconds(20));
  do {
    pull_once();
    ASSERT_EQ(view.missing.size(), 1u);
  } while (!misses(MissingCause::no_segment) && !patience.passed());
  runs.leave(2);
  EXPECT_THAT(pull(), ElementsAre(1, 2));
  EXPECT_TRUE(misses(MissingCause::restarted));
}

TEST_F(ServedScopeTest, ThoughARunThatRecordedNothingLiesBetween) {
  const auto old_file = runs.leave(3);
  EXPECT_THAT(pull(), ElementsAre(1, 2, 3));
  std::filesystem::remove(old_file);
  runs.leave(0);
  runs.leave(2);
  serve_anew();
  EXPECT_THAT(pull(), ElementsAre(1, 2));
  EXPECT_TRUE(misses(MissingCause::restarted));
  EXPECT_THAT(pull(), IsEmpty());
  EXPECT_THAT(view.missing, IsEmpty());
}

TEST_F(ServedScopeTest, ARunThatWasReadToItsEndAndOneThatRecordedNothingLeaveNothingToName) {
  runs.leave(3);
  EXPECT_THAT(pull(), ElementsAre(1, 2, 3));
  runs.leave(0);
  runs.leave(2);
  serve_anew();
  EXPECT_THAT(pull(), ElementsAre(1, 2));
  EXPECT_THAT(view.missing, IsEmpty());
}

TEST_F(ServedScopeTest, AnEarlierRunIsNotReadAgainWhenALaterOneHasLeftNothing) {
  runs.leave(3);
  EXPECT_THAT(pull(), ElementsAre(1, 2, 3));
  const auto later = runs.leave(2);
  EXPECT_THAT(pull(), ElementsAre(1, 2));
  EXPECT_THAT(pull(), IsEmpty());  // now the server has learned that the last view arrived
  std::filesystem::remove(later);
  serve_anew();
  const Deadline patience = Deadline::after(std::chrono::seconds(20));
  do {
    pull_once();
    EXPECT_THAT(test::sequences(view), IsEmpty());
  } while (!misses(MissingCause::no_segment) && !patience.passed());
  EXPECT_TRUE(misses(MissingCause::no_segment));
  runs.leave(1);
  EXPECT_THAT(pull(), ElementsAre(1));
  EXPECT_TRUE(misses(MissingCause::restarted));
}

TEST_F(ServedScopeTest, ARunThatBeganAfterTheFirstPullIsReadByTheServerThatStartsAnew) {
  pull_once(std::chrono::seconds(20));
  EXPECT_TRUE(misses(MissingCause::no_segment));
  server.reset();
  runs.leave(1);
  runs.leave(2);
  serve();
  EXPECT_THAT(pull(), ElementsAre(1));
  EXPECT_THAT(pull(), ElementsAre(1, 2));
  EXPECT_THAT(view.missing, IsEmpty());
}

TEST_F(ServedScopeTest, OfMoreRunsThanAreKeptTheOldestAreNamed) {
  runs.leave(3);
  EXPECT_THAT(pull(), ElementsAre(1, 2, 3));
  server.reset();
  for (int run = 0; run < 20; ++run) runs.leave(2);
  serve();
  std::size_t got = 0;
  std::string named;
  for (int pulls = 0; pulls < 20; ++pulls) {
    got += pull().size();
    for (const Missing& missing : view.missing) named += missing.detail + "\n";
  }
  EXPECT_EQ(got, 2u * 17);  // the newest and sixteen before it
  EXPECT_THAT(named, HasSubstr("of 4 earlier runs are lost"));
  EXPECT_THAT(named, HasSubstr("are lost: a server lost its read positions"));
  EXPECT_EQ(std::count(named.begin(), named.end(), '\n'), 2);
}

}  // namespace
}  // namespace eventspace

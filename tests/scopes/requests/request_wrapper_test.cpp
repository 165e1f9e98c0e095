#include "scopes/requests/request_wrapper.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <eventspace/error.h>
#include "scopes/requests/request_result.h"
#include "tests/scopes/metrics/evaluation/observed_run.h"
#include "tests/tuplespace/tied_process.h"
#include "tuplespace/processes/process_stat.h"

namespace eventspace {
namespace {

using test::ObservedRun;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// The request wrapper of a server, over the events of a made run.
class RequestWrapperTest : public testing::Test {
 protected:
  void request(std::vector<std::string> actions, std::int64_t most = 0) {
    wrapper = request_wrapper({"session", "n1", testing::TempDir() + "/none"})
                  .make({{"actions", std::move(actions)}, {"most", most}}, run.names);
  }
  /// Performs a pull with the new events of the run, and the earlier ones if the last view did not arrive.
  RequestResult pull(bool last_arrived = true) {
    wrapper->settle(last_arrived);
    if (last_arrived) unread = {};
    unread.append(run.view(10));
    view = unread;
    wrapper->apply(view);
    EXPECT_THAT(view.parcels, SizeIs(1));
    const auto result = decode_request_result(view.parcels.at(0).body);
    EXPECT_TRUE(result);
    return result.value_or(RequestResult{});
  }

  ObservedRun run;
  std::unique_ptr<ViewOperator> wrapper;
  View unread;
  View view;
};

TEST_F(RequestWrapperTest, CountsAndSumsUpWhereTheEventsAre) {
  request({"count", "integrate bytes"});
  run.write(0, 1, 2, 10);
  run.write(1, 1, 2, 30);
  const RequestResult first = pull();
  EXPECT_EQ(first.matches, 2U);
  EXPECT_THAT(first.sums, ElementsAre(0.0, 40.0));
  EXPECT_THAT(view.records, IsEmpty());
  EXPECT_EQ(view.loss.reduced, 2U);
  run.write(0, 3, 4, 2);
  EXPECT_EQ(pull().matches, 3U);
  EXPECT_EQ(pull().server, first.server);
}

TEST_F(RequestWrapperTest, EventsOfAViewThatIsLostCountOnce) {
  request({"count"});
  run.write(0, 1, 2, 10);
  EXPECT_EQ(pull().matches, 1U);
  run.write(0, 3, 4, 10);
  EXPECT_EQ(pull(false).matches, 2U);
  EXPECT_EQ(view.loss.repeated, 1U);
}

TEST_F(RequestWrapperTest, OnlyEventsThatAreToBePrintedGoOnAndOnesOfLostViewsComeAgain) {
  request({"print"});
  run.write(0, 1, 2, 10);
  run.write(0, 3, 4, 11);
  (void)pull();
  EXPECT_THAT(test::sequences(view), ElementsAre(1, 2));
  run.write(0, 5, 6, 12);
  (void)pull(false);
  EXPECT_THAT(test::sequences(view), ElementsAre(1, 2, 3));
  (void)pull();
  EXPECT_THAT(view.records, IsEmpty());
}

TEST_F(RequestWrapperTest, OfACommandTheLastEventOfEachProcessGoesOn) {
  request({"run true"});
  run.write(0, 1, 2, 10);
  run.write(1, 1, 2, 11);
  run.write(0, 3, 4, 12);
  EXPECT_EQ(pull().matches, 3U);
  EXPECT_THAT(test::sequences(view), ElementsAre(3, 2));
}

TEST_F(RequestWrapperTest, AfterSoManyEventsItDoesNothingAnyMore) {
  request({"print"}, 2);
  for (int i = 0; i < 5; ++i) run.write(0, i, i + 0.5, 10);
  EXPECT_EQ(pull().matches, 2U);
  EXPECT_THAT(view.records, SizeIs(2));
  run.write(0, 8, 9, 10);
  EXPECT_EQ(pull().matches, 2U);
}

TEST_F(RequestWrapperTest, AProcessThatIsNotHereIsSaidOnceAndUntilTheViewArrives) {
  request({"stop"});
  run.write(0, 1, 2, 10);  // of a process with the id 0
  EXPECT_THAT(pull().troubles, ElementsAre(HasSubstr("cannot stop process p0 (pid 0)")));
  EXPECT_THAT(pull(false).troubles, SizeIs(1));
  EXPECT_THAT(pull().troubles, IsEmpty());
}

TEST_F(RequestWrapperTest, StopsAndContinuesTheProcessOfAnEvent) {
  const pid_t child = test::fork_tied();
  if (child == 0) {
    for (;;) ::pause();
  }
  const auto stat = read_process_stat(child);
  ASSERT_TRUE(stat);
  run.write(0, 1, 2, 10);
  View of_child = run.view(10);
  of_child.processes.at(0).pid = child;
  of_child.processes.at(0).start_ticks = stat->start_ticks;
  request({"stop"});
  view = of_child;
  wrapper->apply(view);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, WUNTRACED), child);
  EXPECT_TRUE(WIFSTOPPED(status));
  request({"continue"});
  view = of_child;
  wrapper->apply(view);
  ASSERT_EQ(::waitpid(child, &status, WCONTINUED), child);
  EXPECT_TRUE(WIFCONTINUED(status));
  ::kill(child, SIGKILL);
  ::waitpid(child, &status, 0);
}

TEST_F(RequestWrapperTest, RefusesWhatIsNoRequest) {
  EXPECT_THROW(request({}), ConfigurationError);
  EXPECT_THROW(request(std::vector<std::string>(17, "count")), ConfigurationError);
  EXPECT_THROW(request({"prnt"}), ConfigurationError);
  EXPECT_THROW(request({"integrate nothing"}), ConfigurationError);
}

TEST(SteeringTest, IsSeenWhereverInATreeItStands) {
  ScopeTree tree;
  tree.root.wrapper = "gather";
  ScopeNode node;
  node.wrapper = "gather";
  node.endpoint = "tcp://n1";
  ScopeNode read;
  read.wrapper = "read";
  node.children = {read};
  tree.root.children = {node};
  ScopeTree counting = tree;
  request_at_servers(counting, {"count", "print", "run true"}, 0);
  EXPECT_EQ(counting.root.children[0].wrapper, "request");
  EXPECT_FALSE(steers_processes(counting.root));
  for (const char* const action : {"stop", "continue", "collect off"}) {
    ScopeTree steering = tree;
    request_at_servers(steering, {"count", action}, 0);
    EXPECT_TRUE(steers_processes(steering.root)) << action;
  }
}

TEST(RequestResultTest, SurvivesItsWayAndIsRefusedIfItIsCutShort) {
  const RequestResult sent{7, 8, {1.5, 0.0}, {"cannot stop p0"}, 3};
  const auto bytes = encode(sent);
  EXPECT_EQ(decode_request_result(bytes), sent);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(decode_request_result(Bytes(bytes).first(size))) << size;
}

}  // namespace
}  // namespace eventspace

// A session whose processes share elements. Thread a of p0 writes to element box, which is in p1 with its
// reader b. The processes are without ports. This process plays both.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <optional>

#include <eventspace/error.h>
#include <eventspace/session.h>
#include "collectors/event_record.h"
#include "pathmaps/pathmap.h"
#include "pathmaps/sessions/consumer.h"
#include "pathmaps/sessions/node_server.h"
#include "tests/pathmaps/valid_plan.h"
#include "tests/paths/server_talk.h"
#include "tests/tuplespace/child.h"
#include "tests/tuplespace/segment_directory.h"

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using test::number;
using test::told;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string pathmap_text() {
  return "pathmap: 1\nname: small\ncluster:\n  nodes:\n"
         "    n1: {host: 127.0.0.1, port: " +
         std::to_string(test::free_port()) +
         "}\n"
         "application:\n  threads: [a, b]\n"
         "  elements: [{name: box, tuple: [int], threshold: 2}]\n"
         "  paths:\n"
         "    - {thread: a, name: send, element: box, use: write}\n"
         "    - {thread: b, name: receive, element: box, use: read}\n"
         "placement:\n  processes:\n"
         "    p0: {node: n1, threads: a}\n"
         "    p1: {node: n1, threads: b}\n"
         "  elements: [{elements: box, with: reader, shared: 4KiB}]\n"
         "collect:\n  points: [{threads: [a, b], at: [thread, element]}]\n"
         "scopes:\n"
         "  events:\n    threads: [a, b]\n    at: [thread, element]\n    read: next\n    timeout: 300ms\n"
         "    levels: [{group: all, wrappers: [gather, {sort: {by: thread}}]}, {group: node, wrapper: "
         "gather}]\n";
}

class SharedSessionTest : public testing::Test {
 protected:
  SharedSessionTest() { plan = test::shared_plan(parse_plan(pathmap_text(), "shared_session_test.yaml")); }

  Session join(const std::string& process) const { return Session::join(plan, process, Session::Options{}); }

  test::SegmentDirectory directory;
  std::shared_ptr<const Plan> plan;
  const Deadline patient = Deadline::after(60s);
};

TEST_F(SharedSessionTest, OneProcessReadsATupleThatTheOtherWroteWithoutAServer) {
  Session p0 = join("p0");
  Session p1 = join("p1");
  Path& send = p0.thread("a").path("send");
  Path& receive = p1.thread("b").path("receive");
  for (std::int64_t i = 0; i < 10; ++i) {
    EXPECT_EQ(send.write(number(i), patient), Status::ok);
    EXPECT_EQ(told(receive.take(From::oldest, patient)), std::to_string(i));
  }
  EXPECT_EQ(send.write(number(1), patient), Status::ok);
  EXPECT_EQ(send.write(number(2), patient), Status::ok);
  EXPECT_EQ(send.write(number(3), Deadline::now()), Status::full);
}

TEST_F(SharedSessionTest, OperationsWaitForAProcessThatJoinsLate) {
  Session p0 = join("p0");
  Path& send = p0.thread("a").path("send");
  EXPECT_EQ(send.write(number(1), Deadline::after(1ms)), Status::timed_out);
  auto written = std::async(std::launch::async, [&] { return send.write(number(2), patient); });
  Session p1 = join("p1");
  EXPECT_EQ(told(p1.thread("b").path("receive").take(From::oldest, patient)), "2");
  EXPECT_EQ(written.get(), Status::ok);
}

TEST_F(SharedSessionTest, EventsAtTheElementAreRecordedByTheProcessThatUsesIt) {
  NodeServer server(plan, NodeIndex(0), NodeServer::Options{});
  server.start();
  Session p0 = join("p0");
  Session p1 = join("p1");
  ASSERT_EQ(p0.thread("a").path("send").write(number(1), patient), Status::ok);
  EXPECT_EQ(p0.events_recorded(), 2u);
  EXPECT_EQ(p1.events_recorded(), 0u);
  ASSERT_TRUE(p1.thread("b").path("receive").take(From::oldest, patient));
  EXPECT_EQ(p1.events_recorded(), 2u);
  Consumer consumer(plan);
  EventScope scope = consumer.open("events");
  const View& view = scope.pull({.deadline = Deadline::after(2s)});
  std::vector<std::string> paths;
  for (const TraceTuple& tuple : view.records)
    paths.push_back(plan->paths[PathIndex(decode(tuple).path)].name);
  EXPECT_THAT(paths, ElementsAre("send", "send", "receive", "receive"));
  EXPECT_THAT(view.missing, IsEmpty());
}

TEST_F(SharedSessionTest, ClosingEndsAllWaitsAndLaterOnesWaitForTheProcessToJoinAgain) {
  Session p0 = join("p0");
  Path& send = p0.thread("a").path("send");
  {
    Session p1 = join("p1");
    ASSERT_EQ(send.write(number(1), patient), Status::ok);
    ASSERT_EQ(send.write(number(2), patient), Status::ok);
    auto written = std::async(std::launch::async, [&] { return send.write(number(3), patient); });
    p1.close();
    EXPECT_EQ(written.get(), Status::closed);
    EXPECT_EQ(p1.thread("b").path("receive").take(From::oldest, patient).status, Status::closed);
  }
  auto written = std::async(std::launch::async, [&] { return send.write(number(4), patient); });
  Session p1 = join("p1");
  EXPECT_EQ(told(p1.thread("b").path("receive").take(From::oldest, patient)), "4");
  EXPECT_EQ(written.get(), Status::ok);
}

TEST_F(SharedSessionTest, ClosingEndsTheWaitsOfItsOwnThreadsAtElementsOfOthers) {
  Session p0 = join("p0");
  Session p1 = join("p1");
  Path& send = p0.thread("a").path("send");
  ASSERT_EQ(send.write(number(1), patient), Status::ok);
  ASSERT_EQ(send.write(number(2), patient), Status::ok);
  auto written = std::async(std::launch::async, [&] { return send.write(number(3), patient); });
  p0.close();
  EXPECT_EQ(written.get(), Status::closed);
  EXPECT_EQ(told(p1.thread("b").path("receive").take(From::oldest, patient)), "1");
}

TEST_F(SharedSessionTest, TheElementFileIsRemovedWithTheProcess) {
  {
    Session p1 = join("p1");
    EXPECT_THAT(directory.files(),
                Contains(HasSubstr(".n1.p1.")).Times(3));  // segment, control file, element file
  }
  EXPECT_THAT(directory.files(), IsEmpty());
}

TEST_F(SharedSessionTest, ASecondJoinIsRefusedAndTheFirstGoesOn) {
  std::optional<Session> p1(join("p1"));
  // The new session would be made before the old one ends.
  EXPECT_THAT([&] { p1.emplace(join("p1")); },
              testing::ThrowsMessage<EnvironmentError>(HasSubstr("is in use: this process")));
  EXPECT_THAT(directory.files(), Contains(HasSubstr(".n1.p1.")).Times(3));
  Session p0 = join("p0");
  ASSERT_EQ(p0.thread("a").path("send").write(number(1), patient), Status::ok);
  EXPECT_EQ(told(p1->thread("b").path("receive").take(From::oldest, patient)), "1");
}

TEST_F(SharedSessionTest, AForkedChildLeavesItsCopyAlone) {
  std::optional<Session> p1(join("p1"));
  test::Child child([&p1] { p1.reset(); });
  EXPECT_TRUE(child.ends_well());
  Session p0 = join("p0");
  EXPECT_EQ(p0.thread("a").path("send").write(number(1), patient), Status::ok);
}

TEST_F(SharedSessionTest, AProcessThatUsesNoSharedElementHasNoFile) {
  auto changed = std::make_shared<Plan>(*plan);
  std::get<TupleElement>(changed->elements.front().kind).room.reset();
  const Session p0 = Session::join(changed, "p0", Session::Options{});
  EXPECT_THAT(directory.files(), Not(Contains(HasSubstr(".elements"))));
}

TEST_F(SharedSessionTest, WithWhenLostEndAWaitForALostProcessEnds) {
  Session p1 =
      Session::join(plan, "p1", Session::Options{.name = {}, .collect = {}, .when_lost = WhenLost::end});
  Path& receive = p1.thread("b").path("receive");
  EXPECT_EQ(receive.take(From::oldest, Deadline::after(300ms)).status,
            Status::timed_out);  // p0 has not joined yet
  {
    Session p0 = join("p0");
    ASSERT_EQ(p0.thread("a").path("send").write(number(1), patient), Status::ok);
    EXPECT_EQ(told(receive.take(From::oldest, patient)), "1");
  }
  const Received closed = receive.take(From::oldest, patient);
  EXPECT_EQ(closed.status, Status::closed);
  EXPECT_THAT(closed.reason, HasSubstr("process p0 (pid "));
}

}  // namespace
}  // namespace eventspace

#include "pathmaps/sessions/session_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include <eventspace/error.h>
#include <eventspace/session.h>
#include "pathmaps/plan/session_plan.h"
#include "pathmaps/sessions/consumer.h"
#include "pathmaps/sessions/session_server_start.h"
#include "tests/pathmaps/sessions/open_session_talk.h"
#include "tests/paths/server_talk.h"
#include "tests/tuplespace/element_talk.h"
#include "tests/tuplespace/temporary_directory.h"
#include "tuplespace/sockets/session_socket.h"

// Elements of a session without a pathmap, on its server.

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

Deadline soon() { return Deadline::after(10s); }

class SessionServerTest : public testing::Test {
 protected:
  SessionServerTest() {
    ::setenv("EVENTSPACE_SHM_DIR", segments.path().c_str(), 1);
    ::setenv("XDG_RUNTIME_DIR", sockets.path().c_str(), 1);
    ::setenv("EVENTSPACE_PROGRAM", "/nonexistent/eventspace", 1);
    server.emplace("solver");
    server->start();
  }
  ~SessionServerTest() override {
    for (const char* name : {"EVENTSPACE_SHM_DIR", "XDG_RUNTIME_DIR", "EVENTSPACE_PROGRAM"}) ::unsetenv(name);
  }

  /// The file of the server's socket, with another ending of its name.
  [[nodiscard]] std::filesystem::path server_file(const char* ending) const {
    return std::filesystem::path(SessionSocket("solver").endpoint().substr(std::string("ipc://").size()))
        .replace_extension(ending);
  }

  test::TemporaryDirectory segments, sockets;
  std::optional<SessionServer> server;
};

TEST_F(SessionServerTest, AnElementIsSharedByTheProcessesOfTheSession) {
  Session writing = test::open_session("p");
  Session taking = test::open_session("q");
  Path& out = writing.thread("main").path("queue");
  ASSERT_EQ(out.write(test::one(1), soon()), Status::ok);
  ASSERT_EQ(out.write(test::one(2), soon()), Status::ok);
  std::thread([&] {
    Path& in = taking.thread("main").path("queue");
    EXPECT_EQ(in.take(From::oldest, soon()).tuple, test::one(1));
    EXPECT_EQ(in.take(From::oldest, soon()).tuple, test::one(2));
    EXPECT_EQ(in.take(From::oldest, Deadline::now()).status, Status::empty);
  }).join();
}

TEST_F(SessionServerTest, AThreadWaitsForATupleThatAnotherProcessWrites) {
  Session writing = test::open_session("p");
  Session taking = test::open_session("q");
  std::thread taker([&] {
    const Received received = taking.thread("main").path("queue").take(From::oldest, soon());
    EXPECT_EQ(received.tuple, test::one(7));
  });
  ASSERT_EQ(writing.thread("main").path("queue").write(test::one(7), soon()), Status::ok);
  taker.join();
}

TEST_F(SessionServerTest, TheFirstTupleDecidesOnTheType) {
  Session session = test::open_session("p");
  Path& path = session.thread("main").path("queue");
  EXPECT_EQ(path.write(test::one(1), soon()), Status::ok);
  EXPECT_EQ(path.write(Tuple::of({std::string_view("one")}), soon()), Status::refused);
}

TEST_F(SessionServerTest, TheFirstRequestWithATypeDecidesBeforeTheFirstTuple) {
  Session untyped = test::open_session("p");
  Session typed = test::open_session("q");
  Path& any = untyped.thread("main").path("queue");
  EXPECT_EQ(any.take(From::oldest, Deadline::now()).status, Status::empty);
  std::thread([&] {
    Path& integers = typed.thread("main").path("queue", ElementConfig{"queue", {FieldType::integer}});
    EXPECT_EQ(integers.take(From::oldest, Deadline::now()).status, Status::empty);
  }).join();
  EXPECT_EQ(any.write(Tuple::of({std::string_view("one")}), soon()), Status::refused);
  EXPECT_EQ(any.write(test::one(1), soon()), Status::ok);
}

TEST_F(SessionServerTest, ARequestRefusedForItsSizeDecidesOnNoType) {
  Session session = test::open_session("p");
  SessionThread& thread = session.thread("main");
  Path& any = thread.path("queue");
  EXPECT_EQ(any.take(From::oldest, Deadline::now()).status, Status::empty);
  const ElementConfig small{"queue", {FieldType::integer}, 2};
  EXPECT_EQ(thread.path("small", small).take(From::oldest, soon()).status, Status::refused);
  EXPECT_EQ(any.write(Tuple::of({std::string_view("one")}), soon()), Status::ok);
}

TEST_F(SessionServerTest, AnElementWithOtherPropertiesIsRefusedWithBoth) {
  Session session = test::open_session("p");
  SessionThread& thread = session.thread("main");
  ElementConfig small{"queue", {FieldType::integer}, 2, WhenFull::discard};
  Path& first = thread.path("queue", small);
  for (const int value : {1, 2, 3}) EXPECT_EQ(first.write(test::one(value), soon()), Status::ok);
  EXPECT_EQ(first.take(From::oldest, soon()).tuple, test::one(2));
  ElementConfig large = small;
  large.threshold = 3;
  const Received refused = thread.path("another path", large).take(From::oldest, soon());
  EXPECT_EQ(refused.status, Status::refused);
  EXPECT_THAT(refused.reason,
              HasSubstr("element queue already exists with (int) of 2 tuples, which discards"));
  EXPECT_THAT(refused.reason, HasSubstr("found a request for (int) of 3 tuples"));
}

TEST_F(SessionServerTest, OperationsAreRecordedUnderTheNameOfThePath) {
  Session session = test::open_session("p");
  Path& path = session.thread("main").path("queue");
  ASSERT_EQ(path.write(test::one(1), soon()), Status::ok);
  ASSERT_TRUE(path.take(From::oldest, soon()));
  Consumer consumer(plan_of_session("solver"));
  EventScope events = consumer.open("events");
  consumer.look();
  const View view = events.pull({.deadline = soon()});
  std::vector<std::string> seen;
  for (const TraceTuple& record : view.records) {
    const EventRecord event = decode(record);
    seen.push_back(std::string(consumer.names().thread_name(event.thread)) + " " +
                   std::string(to_string(event.verb)) + " " +
                   std::string(consumer.names().path_name(event.path)));
  }
  EXPECT_THAT(seen, ElementsAre("p/main write queue", "p/main take queue"));
}

TEST_F(SessionServerTest, WhatIsInASpareTraceElementIsEmptiedToo) {
  Session session = test::open_session("p");
  SessionThread& thread = session.thread("main");
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit full{1, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &full), 0);  // no segment grows
  for (int i = 0; i < 20; ++i) (void)thread.path("path " + std::to_string(i));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  Path& last = thread.path("path 19");
  Consumer consumer(plan_of_session("solver"));
  EventScope events = consumer.open("events");
  const auto seen = [&] {
    consumer.look();
    return events.pull({.deadline = soon()}).records.size();
  };
  ASSERT_EQ(last.write(test::one(1), soon()), Status::ok);
  EXPECT_EQ(seen(), 1u);
  ASSERT_EQ(last.write(test::one(2), soon()), Status::ok);
  thread.empty_traces("path 19");
  EXPECT_EQ(seen(), 0u);
  ASSERT_EQ(last.write(test::one(3), soon()), Status::ok);
  thread.empty_traces();
  EXPECT_EQ(seen(), 0u);
}

TEST_F(SessionServerTest, ASecondServerIsRefused) {
  EXPECT_THAT(
      [] { SessionServer second("solver"); },
      ThrowsMessage<EnvironmentError>(HasSubstr(
          "session solver is served already on this machine, by process " + std::to_string(::getpid()))));
  EXPECT_NO_THROW(SessionServer("other"));
}

TEST_F(SessionServerTest, ItsSocketIsForThisUserOnly) {
  const std::string path = server->endpoint().substr(std::string("ipc://").size());
  struct stat directory {};
  ASSERT_EQ(::stat(std::filesystem::path(path).parent_path().c_str(), &directory), 0);
  EXPECT_EQ(directory.st_mode & 0777U, 0700U);
}

// The files left by a killed server; dynamic_run_test kills one.
TEST_F(SessionServerTest, ASocketWithoutAServerIsReplaced) {
  const std::string path = server->endpoint().substr(std::string("ipc://").size());
  server.reset();
  EXPECT_FALSE(std::filesystem::exists(path));
  std::ofstream(path) << "left";
  server.emplace("solver");
  server->start();
  Session session = test::open_session("p");
  EXPECT_EQ(session.thread("main").path("queue").write(test::one(1), soon()), Status::ok);
}

TEST_F(SessionServerTest, WithoutAServerAndAProgramThatStartsOneThePathSaysWhatToDo) {
  server.reset();
  Session session = test::open_session("p");
  SessionThread& thread = session.thread("main");
  EXPECT_THAT([&] { (void)thread.path("queue"); },
              ThrowsMessage<EnvironmentError>(HasSubstr("set EVENTSPACE_PROGRAM to its file")));
}

TEST_F(SessionServerTest, APathWhoseServerEndedBeforeItsFirstUseFindsTheNextOne) {
  Session session = Session::open("solver", {.process = "p", .node = "", .collect = false});
  Path& path = session.thread("main").path("queue");
  EXPECT_FALSE(server->is_needed());  // nothing shows the process
  server.reset();
  const Received refused = path.take(From::oldest, Deadline::after(60s));
  EXPECT_EQ(refused.status, Status::closed);
  EXPECT_THAT(refused.reason, HasSubstr("set EVENTSPACE_PROGRAM to its file"));
  server.emplace("solver");
  server->start();
  EXPECT_EQ(path.write(test::one(1), Deadline::after(60s)), Status::ok);
}

TEST_F(SessionServerTest, AServerThatIsEndingIsWaitedForUntilItIsGoneOrServesAgain) {
  const SessionSocket socket("solver");
  EXPECT_TRUE(socket.is_served());
  server->hide();
  EXPECT_FALSE(socket.is_served());
  EXPECT_TRUE(socket.is_taken());
  EXPECT_FALSE(socket.is_served_soon(Deadline::now()));
  std::thread waiting([&] { EXPECT_EQ(require_session_server("solver"), server->endpoint()); });
  EXPECT_TRUE(server->show());
  waiting.join();
  server->hide();
  server.reset();
  EXPECT_FALSE(socket.is_taken());
  EXPECT_FALSE(std::filesystem::exists(server_file(".ending")));
}

TEST_F(SessionServerTest, AServerStaysThatAProcessNeedsAtTheLastMoment) {
  const SessionSocket socket("solver");
  std::optional<Session> late;
  int endings = 0;
  serve_until_idle(*server, 1ms, [&](std::chrono::nanoseconds pause) {
    std::this_thread::sleep_for(pause);
    if (socket.is_served()) {
      if (!late) return false;
      EXPECT_EQ(late->thread("main").path("queue").write(test::one(1), soon()), Status::ok);
      late.reset();
    } else if (++endings == 1) {
      late.emplace(test::open_session("p"));
    }
    return endings == 3;
  });
  EXPECT_EQ(endings, 2);
}

TEST_F(SessionServerTest, NamesOfElementsAreChecked) {
  Session session = test::open_session("p");
  SessionThread& thread = session.thread("main");
  EXPECT_THROW((void)thread.path(""), ConfigurationError);
  EXPECT_THROW((void)thread.path("a\nb"), ConfigurationError);
  EXPECT_THROW((void)thread.path(std::string(256, 'x')), ConfigurationError);
}

TEST_F(SessionServerTest, ItIsNeededAsLongAsAProcessOfTheSessionRuns) {
  EXPECT_FALSE(server->is_needed());
  {
    const Session session = test::open_session("p");
    EXPECT_TRUE(server->is_needed());
  }
  EXPECT_FALSE(server->is_needed());
  int looks = 0;
  serve_until_idle(*server, 1ms, [&](std::chrono::nanoseconds pause) {
    std::this_thread::sleep_for(pause);
    return ++looks == 10'000;
  });
  EXPECT_LT(looks, 10'000);
}

}  // namespace
}  // namespace eventspace

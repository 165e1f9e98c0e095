// Collective operations in sessions: eight threads in four processes on two nodes, of which n2 is behind a
// gateway. This process plays all processes, except those that a test kills.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <fstream>
#include <latch>
#include <map>
#include <thread>

#include <eventspace/path.h>
#include <eventspace/session.h>
#include <eventspace/stage.h>
#include "collectors/event_record.h"
#include "pathmaps/pathmap.h"
#include "pathmaps/sessions/consumer.h"
#include "tests/pathmaps/sessions/node_servers.h"
#include "tests/pathmaps/valid_plan.h"
#include "tests/paths/server_talk.h"
#include "tests/tuplespace/segment_directory.h"
#include "tests/tuplespace/tied_process.h"

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr int threads_of_all = 8;

/// Returns the pathmap; `collectives` is the text of that section.
std::string collective_pathmap(const std::string& collectives) {
  const auto port = [] { return std::to_string(test::free_port()); };
  std::string text = "pathmap: 1\nname: small\ncluster:\n  nodes:\n";
  for (const char* const node : {"n1", "n2", "g2"})
    text += "    " + std::string(node) + ": {host: 127.0.0.1, port: " + port() + "}\n";
  text += "  clusters:\n    left: {nodes: n1}\n    right: {nodes: [n2, g2], gateway: g2}\n";
  text += "application:\n  threads: [\"t[0-7]\"]\n  collectives:\n" + collectives;
  text += "placement:\n  processes:\n";
  for (int i = 0; i < 4; ++i) {
    const std::string number = std::to_string(i);
    text += "    p" + number + ": {node: " + (i < 2 ? "n1" : "n2") + ", port: " + port() + ", threads: [t" +
            std::to_string(2 * i) + ", t" + std::to_string(2 * i + 1) + "]}\n";
  }
  return text +
         "collect:\n  points: [{at: [thread, element]}]\n"
         "scopes:\n  events:\n    threads: \"**\"\n    at: [thread, element]\n    read: next\n    timeout: "
         "5s\n"
         "    levels: [{group: all, wrapper: gather}, {group: node, wrapper: gather}]\n";
}

std::string sum_with(const std::string& levels) {
  return "    sum: {kind: all-reduce, threads: \"*\", tuple: int, combine: sum, levels: [" + levels + "]}\n";
}

class CollectiveSession : public testing::Test {
 protected:
  void load(const std::string& collectives) {
    const std::string text = collective_pathmap(collectives);
    std::ofstream(file()) << text;
    plan = test::shared_plan(parse_plan(text, "collective_session_test.yaml"));
    servers = test::started_servers(plan);
  }
  [[nodiscard]] std::filesystem::path file() const { return directory.path() / "pathmap.yaml"; }

  /// Runs `body(i, me)` in each thread ti of the given processes. All start at the same time. Waits until all
  /// have returned.
  template <class Body>
  void run(const std::vector<std::string>& processes, Body body) {
    std::vector<Session> sessions;
    sessions.reserve(processes.size());
    for (const std::string& process : processes)
      sessions.push_back(Session::join(plan, process, Session::Options{}));
    std::size_t threads = 0;
    for (const Session& session : sessions) threads += session.threads().size();
    std::latch all_are_here(static_cast<std::ptrdiff_t>(threads));
    std::vector<std::jthread> running;
    for (Session& session : sessions) {
      for (const std::string& name : session.threads()) {
        running.emplace_back([&session, &all_are_here, name, body] {
          SessionThread& me = session.thread(name);
          all_are_here.arrive_and_wait();
          body(std::stoi(name.substr(1)), me);
        });
      }
    }
  }
  const std::vector<std::string> all{"p0", "p1", "p2", "p3"};

  test::SegmentDirectory directory;
  std::shared_ptr<const Plan> plan;
  std::vector<std::unique_ptr<NodeServer>> servers;
};

Tuple one_number(std::int64_t value) { return Tuple::of({value}); }

// --- all trees -----------------------------------------------------------------------------------------

class CollectiveTrees : public CollectiveSession, public testing::WithParamInterface<const char*> {};
INSTANTIATE_TEST_SUITE_P(
    Levels, CollectiveTrees,
    testing::Values("{group: all}", "{group: all, on: p3}", "{group: all, on: server}",
                    "{group: all, on: n2, arity: 2}", "{group: all}, {group: process}",
                    "{group: all, on: n2}, {group: node, on: server}, {group: process}",
                    "{group: all, on: n1}, {group: cluster, on: g2}, {group: process, arity: 2}",
                    "{group: all, on: p2}, {group: node, on: g2, arity: 2}"),
    [](const auto& given) { return std::to_string(given.index); });

TEST_P(CollectiveTrees, GiveAllThreadsTheSameResult) {
  load(sum_with(GetParam()));
  run(all, [](int i, SessionThread& me) {
    Path& path = me.path("sum");
    for (int round = 1; round <= 25; ++round) {
      const Received received = path.exchange(one_number(std::int64_t{round} * i));
      ASSERT_EQ(received.status, Status::ok) << received.reason;
      EXPECT_EQ(received.tuple, one_number(std::int64_t{round} * 28));
      EXPECT_EQ(received.sequence, static_cast<std::uint64_t>(round));
    }
  });
}

// --- all kinds -----------------------------------------------------------------------------------------

TEST_F(CollectiveSession, EveryKindWorksThroughServersAndGateways) {
  const std::string levels = "levels: [{group: all, on: n1}, {group: node, on: server}, {group: process}]}\n";
  load("    meet: {kind: barrier, threads: \"*\", " + levels +
       "    tell: {kind: broadcast, threads: \"*\", root: t5, tuple: text, " + levels +
       "    collect: {kind: gather, threads: \"*\", root: t3, tuple: int, " + levels +
       "    share: {kind: scatter, threads: \"*\", root: t6, tuple: int, " + levels +
       "    count: {kind: reduce, threads: \"*\", root: t2, tuple: [int, int], combine: [sum, max], " +
       levels);
  std::vector<Tuple> parts;
  parts.reserve(threads_of_all);
  for (int i = 0; i < threads_of_all; ++i) parts.push_back(one_number(100 + i));
  run(all, [&parts](int i, SessionThread& me) {
    const auto exchange = [&me](const std::string& path, const Tuple& contribution) {
      Received received = me.path(path).exchange(contribution);
      EXPECT_EQ(received.status, Status::ok) << path << ": " << received.reason;
      return received.tuple;
    };
    for (int round = 0; round < 5; ++round) {
      EXPECT_TRUE(exchange("meet", {}).empty());
      EXPECT_EQ(exchange("tell", i == 5 ? Tuple::of({"go"}) : Tuple()), Tuple::of({"go"}));
      EXPECT_EQ(exchange("collect", parts[static_cast<std::size_t>(i)]),
                i == 3 ? pack_tuples(parts) : Tuple());
      EXPECT_EQ(exchange("share", i == 6 ? pack_tuples(parts) : Tuple()), parts[static_cast<std::size_t>(i)]);
      EXPECT_EQ(exchange("count", Tuple::of({std::int64_t{i}, std::int64_t{i} * (7 - i)})),
                i == 2 ? Tuple::of({std::int64_t{28}, std::int64_t{12}}) : Tuple());
    }
  });
}

// --- members that time out or leave --------------------------------------------------------------------

constexpr const char* three_levels = "{group: all, on: n2}, {group: node, on: server}, {group: process}";

TEST_F(CollectiveSession, AMemberThatTimesOutIsNamedToAllOthers) {
  load(sum_with(three_levels));
  std::atomic<int> timed_out{0};
  std::atomic<int> named{0};
  run(all, [&](int i, SessionThread& me) {
    if (i == 6) return;  // does not take part
    Path& path = me.path("sum");
    const Received received = path.exchange(one_number(1), i == 7 ? Deadline::after(2s) : Deadline::never());
    timed_out += received.status == Status::timed_out ? 1 : 0;
    EXPECT_EQ(received.status, i == 7 ? Status::timed_out : Status::closed) << i;
    const auto& why = received.reason;
    const bool says_who = why.find("t7 gave up after ") != std::string::npos;
    named += says_who && why.find("at operation 1; still missing: t6") != std::string::npos ? 1 : 0;
    EXPECT_EQ(path.exchange(one_number(1)).status, Status::closed) << i;
  });
  EXPECT_EQ(timed_out, 1);
  EXPECT_EQ(named, 7);
}

TEST_F(CollectiveSession, AMemberThatWaitsForTheParentTimesOutAtItsDeadline) {
  load(sum_with(three_levels));
  // All have the same deadline. A member with a later deadline than the first gets Status::closed instead.
  const Deadline deadline = Deadline::after(3s);
  run({"p0", "p1"}, [&](int i, SessionThread& me) {
    const Received received = me.path("sum").exchange(one_number(1), deadline);
    EXPECT_EQ(received.status, Status::timed_out) << i << ' ' << received.reason;
    EXPECT_THAT(received.reason, HasSubstr("sum/n1 gave up after "));
    EXPECT_THAT(received.reason, HasSubstr("at operation 1; still missing: sum/n2"));
  });
}

TEST_F(CollectiveSession, AMemberThatLeavesIsNamedToAllOthers) {
  load(sum_with(three_levels));
  run(all, [&](int i, SessionThread& me) {
    Path& path = me.path("sum");
    EXPECT_EQ(path.exchange(one_number(1)).status, Status::ok);
    if (i == 2) path.stage().leave();
    if (i == 2) return;
    const Received received = path.exchange(one_number(1));
    EXPECT_EQ(received.status, Status::closed);
    EXPECT_THAT(received.reason, HasSubstr("t2 has left or was lost at operation 2"));
  });
}

TEST_F(CollectiveSession, ARefusedContributionAbortsTheCollectiveForAll) {
  load(sum_with(three_levels));
  run(all, [&](int i, SessionThread& me) {
    const Received received = me.path("sum").exchange(i == 4 ? Tuple::of({"four"}) : one_number(1));
    EXPECT_EQ(received.status, i == 4 ? Status::refused : Status::closed);
    EXPECT_THAT(received.reason, HasSubstr("found (text); expected (int)"));
    const bool says_who = received.reason.find("the contribution of t4 to operation 1 was refused") == 0;
    EXPECT_EQ(says_who, i != 4) << received.reason;
  });
}

TEST_F(CollectiveSession, ClosingTheSessionEndsWaiting) {
  load(sum_with(three_levels));
  Session p0 = Session::join(plan, "p0", Session::Options{});
  std::atomic<int> began{0};
  std::vector<std::jthread> running;
  for (const char* const name : {"t0", "t1"}) {
    running.emplace_back([&p0, &began, name] {
      Path& path = p0.thread(name).path("sum");
      ++began;
      EXPECT_EQ(path.exchange(one_number(1)).status, Status::closed);
    });
  }
  ASSERT_TRUE(test::eventually([&] { return began == 2; }));
  p0.close();
}

TEST_F(CollectiveSession, WorksAgainAfterARestartOfTheApplication) {
  load(sum_with(three_levels));
  for (int times = 0; times < 3; ++times) {
    SCOPED_TRACE(times);
    run(all, [&](int, SessionThread& me) {
      const Received received = me.path("sum").exchange(one_number(2));
      EXPECT_EQ(received.tuple, one_number(16)) << received.reason;
      EXPECT_EQ(received.sequence, 1u);
    });
    // The servers detect the end of connections with a delay.
    ASSERT_TRUE(test::eventually([&] {
      return std::ranges::all_of(servers,
                                 [](const auto& server) { return server->report().open_targets == 0; });
    }));
  }
}

/// Runs a process of the application as a child process; see collective_member.cpp.
class MemberProcess {
 public:
  MemberProcess(const std::filesystem::path& pathmap, const std::string& process)
      : pid_(test::start_tied({COLLECTIVE_MEMBER, pathmap, process})) {}
  ~MemberProcess() { kill(); }
  MemberProcess(const MemberProcess&) = delete;
  MemberProcess& operator=(const MemberProcess&) = delete;

  void kill() {
    if (pid_ < 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

 private:
  pid_t pid_;
};

class KilledMember : public CollectiveSession, public testing::WithParamInterface<const char*> {};
INSTANTIATE_TEST_SUITE_P(Levels, KilledMember,
                         testing::Values("{group: all, on: p0}", "{group: all, on: n2}",
                                         "{group: all, on: p3}",
                                         "{group: all, on: n2}, {group: node, on: server}, {group: process}"),
                         [](const auto& given) { return std::to_string(given.index); });

// Members are killed while they wait and while they compute. Other members must never wait without end.
TEST_P(KilledMember, AbortsTheCollectiveForAllOthers) {
  load(sum_with(GetParam()));
  MemberProcess member(file(), "p3");
  std::atomic<int> done{0};
  std::jthread killer([&] {
    EXPECT_TRUE(test::eventually([&] { return done >= 60; }));
    member.kill();
  });
  run({"p0", "p1", "p2"}, [&](int i, SessionThread& me) {
    Path& path = me.path("sum");
    Received received;
    while ((received = path.exchange(one_number(1)))) {
      EXPECT_EQ(received.tuple, one_number(8));
      ++done;
    }
    EXPECT_EQ(received.status, Status::closed) << i;
    EXPECT_FALSE(received.reason.empty());
    EXPECT_EQ(path.exchange(one_number(1)).status, Status::closed);
  });
}

// --- records -------------------------------------------------------------------------------------------

using Instances = std::map<std::uint64_t, EventRecord>;  // by number of the operation

TEST_F(CollectiveSession, RecordsNestAtEachJoint) {
  load(sum_with(three_levels));
  std::vector<Session> sessions;
  sessions.reserve(all.size());
  for (const std::string& process : all) sessions.push_back(Session::join(plan, process, Session::Options{}));
  {
    std::vector<std::jthread> running;
    for (Session& session : sessions) {
      for (const std::string& name : session.threads()) {
        running.emplace_back([&session, name] {
          Path& path = session.thread(name).path("sum");
          for (int round = 0; round < 20; ++round) EXPECT_TRUE(path.exchange(one_number(1)));
        });
      }
    }
  }
  Consumer consumer(plan);
  EventScope scope = consumer.open("events");
  std::map<std::pair<std::uint32_t, std::uint16_t>, Instances> records;  // by path and point
  std::size_t count = 0;
  ASSERT_TRUE(test::eventually([&] {
    const View view = scope.pull({.deadline = Deadline::after(5s)});
    for (const TraceTuple& tuple : view.records) {
      const EventRecord record = decode(tuple);
      if (record.in_flight()) continue;
      EXPECT_EQ(record.verb, Verb::exchange);
      EXPECT_EQ(record.status, Status::ok);
      Instances& instances = records[{record.path, record.point}];
      EXPECT_TRUE(instances.emplace(record.parameter, record).second);
      ++count;
    }
    return count >= plan->traces.size() * 20;
  }));
  EXPECT_EQ(records.size(), plan->traces.size());
  const auto at = [&](PathIndex path, CollectPoint point) -> const Instances& {
    return records.at({path.number32(), static_cast<std::uint16_t>(point)});
  };
  for (const JointPlan& joint : plan->joints) {
    SCOPED_TRACE(joint.name);
    for (std::uint64_t instance = 1; instance <= 20; ++instance) {
      std::uint64_t last_arrival = 0;
      std::uint64_t first_departure = UINT64_MAX;
      for (const PathIndex child : joint.children) {
        const EventRecord& here = at(child, CollectPoint::element).at(instance);
        const EventRecord& felt = at(child, CollectPoint::thread).at(instance);
        EXPECT_LE(felt.start, here.start);
        EXPECT_LE(here.end, felt.end);
        EXPECT_EQ(ThreadIndex(here.thread), plan->paths[child].thread);
        last_arrival = std::max(last_arrival, here.start);
        first_departure = std::min(first_departure, here.end);
      }
      EXPECT_LT(last_arrival, first_departure);
      if (!joint.uplink) continue;
      const EventRecord& up = at(*joint.uplink, CollectPoint::thread).at(instance);
      EXPECT_LE(last_arrival, up.start);
      EXPECT_LE(up.end, first_departure);
    }
  }
}

}  // namespace
}  // namespace eventspace

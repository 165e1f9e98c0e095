#include <eventspace/session_network.h>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <thread>
#include <vector>

#include <eventspace/error.h>
#include <eventspace/packet.h>
#include <eventspace/session.h>
#include <eventspace/streams.h>
#include "pathmaps/pathmap.h"
#include "scopes/streams/attaching/session_places.h"
#include "tests/error_text.h"
#include "tests/paths/links/free_port.h"
#include "tests/tuplespace/segment_directory.h"
#include "tuplespace/system/runtime_directory.h"

// Application processes that become back-ends only by the name of their session.

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using streams::BackEnd;
using streams::FrontEnd;
using streams::SessionPlaces;
using streams::Topology;
using ::testing::HasSubstr;
using Number = streams::Format<std::int64_t>;

Deadline soon() { return Deadline::after(60s); }

void answer_with_rank(BackEnd& back_end) {
  while (const auto received = back_end.receive(Deadline::never()))
    (void)back_end.answer(*received, Number::make(0, back_end.rank()), soon());
}

/// The ranks of all back-ends, in order.
std::vector<std::int64_t> ranks_in(FrontEnd& front_end, std::size_t back_ends) {
  EXPECT_TRUE(front_end.wait_for(back_ends, soon()));
  const std::uint32_t stream = front_end.open({.up = {{"concat", {}}}});
  EXPECT_TRUE(front_end.send(stream, Number::make(0, 0), soon()));
  const auto packet = front_end.receive(stream, soon());
  if (!packet) return {};
  const auto ranks = streams::PacketView(*packet).array<std::int64_t>(0);
  return {ranks.begin(), ranks.end()};
}

class SessionBackEndTest : public testing::Test {
 protected:
  SessionBackEndTest() = default;
  ~SessionBackEndTest() override {
    for (std::thread& thread : threads) thread.join();
  }
  SessionBackEndTest(const SessionBackEndTest&) = delete;
  SessionBackEndTest& operator=(const SessionBackEndTest&) = delete;

  test::SegmentDirectory directory;
  std::string session{fmt::format("session-back-end-{}", ::getpid())};
  std::vector<std::thread> threads;  // end with their network
};

TEST_F(SessionBackEndTest, ProcessesOfASessionWithoutAPathmapTakeFreePlacesOfItsNetwork) {
  const Session mine = Session::open(session);
  threads.emplace_back([&mine] {  // waits for the front-end
    const auto back_end = mine.back_end(soon());
    answer_with_rank(*back_end);
  });
  FrontEnd front_end(Topology::of_text("1x2"), {.session = session});
  threads.emplace_back([this] {
    const auto back_end = open_back_end(session, {}, soon());
    answer_with_rank(*back_end);
  });
  EXPECT_THAT(ranks_in(front_end, 2), testing::ElementsAre(0, 1));
}

TEST_F(SessionBackEndTest, AProcessOfAPathmapHasItsOwnRank) {
  const auto node = [] { return fmt::format("{{host: 127.0.0.1, port: {}}}\n", test::free_port()); };
  auto loaded = parse_plan(
      "pathmap: 1\nname: two\ncluster:\n  nodes:\n    n1: " + node() + "    n2: " + node() +
          "application:\n  threads: [a, b, c]\n"
          "placement:\n  processes:\n    p0: {node: n1, threads: a}\n    p1: {node: n2, threads: b}\n"
          "    p2: {node: n2, threads: c}\n",
      "two.yaml");
  for (const auto& fault : loaded.faults) ADD_FAILURE() << to_string(fault);
  ASSERT_TRUE(loaded.plan.has_value());
  const auto plan = std::make_shared<const Plan>(std::move(*loaded.plan));
  const PathmapNetwork made = network_of(*plan, BackEnds::processes);
  FrontEnd front_end(made.topology, {.session = session});
  std::atomic<RankSet::Rank> rank{99};
  threads.emplace_back([&, plan] {
    const Session mine = Session::join(plan, "p2", {.name = session});
    const auto back_end = mine.back_end(soon());
    rank = back_end->rank();
    answer_with_rank(*back_end);
  });
  EXPECT_THAT(ranks_in(front_end, 1), testing::ElementsAre(2));
  EXPECT_EQ(rank, 2u);
  EXPECT_EQ(made.processes.at(2), "p2");
}

TEST_F(SessionBackEndTest, ASecondOneWithARankWaitsUntilItIsFree) {
  FrontEnd front_end(Topology::flat(1), {.session = session});
  std::atomic<bool> ends{false};
  threads.emplace_back([&] {
    const auto first = open_back_end(session, 0, soon());
    while (!ends) first->serve(Deadline::after(5ms));
  });
  ASSERT_TRUE(front_end.wait_for(1, soon()));
  std::atomic<bool> has_failed{false};
  threads.emplace_back([&] {
    try {
      (void)open_back_end(session, 0, Deadline::after(2s));
    } catch (const EnvironmentError& error) {
      EXPECT_THAT(error.what(), HasSubstr("no place for a back-end of rank 0 in the session"));
      has_failed = true;
    }
    ends = true;
    const auto back_end = open_back_end(session, 0, soon());
    answer_with_rank(*back_end);
  });
  for (const Deadline end = soon(); !has_failed && !end.passed();) front_end.serve(Deadline::after(5ms));
  EXPECT_TRUE(has_failed);
  bool has_left = false;
  for (const Deadline end = soon(); !has_left && !end.passed();) {
    front_end.serve(Deadline::after(5ms));
    while (const auto event = front_end.next_event())
      has_left = has_left || event->kind == streams::EventKind::left;
  }
  EXPECT_THAT(ranks_in(front_end, 1), testing::ElementsAre(0));
}

TEST_F(SessionBackEndTest, WithoutANetworkOrWithSeveralItSaysSo) {
  const auto failure = [this](const std::string& network) -> std::string {
    return test::error_text<Error>([&] { (void)open_back_end(session, {}, Deadline::now(), network); });
  };
  EXPECT_THAT(failure(""), HasSubstr("no front-end has opened a network for it on this machine"));
  FrontEnd one(Topology::flat(1), {.name = session + "-one", .session = session});
  FrontEnd two(Topology::flat(1), {.name = session + "-two", .session = session});
  EXPECT_THAT(failure(""), HasSubstr("has several networks of streams; name one of"));
  EXPECT_THAT(failure(session + "-three"), HasSubstr("it has no network"));
  EXPECT_TRUE(SessionPlaces::find(session + "x").empty()) << "of another session";
}

TEST_F(SessionBackEndTest, TheLeftoverOfAKilledProcessIsRemoved) {
  const auto file = runtime_directory() / fmt::format("{}.0.places", session);
  std::ofstream(file) << "session " << session << "\nx ipc:///tmp/nothing 0\n";
  EXPECT_TRUE(SessionPlaces::find(session).empty());
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(SessionBackEndNameTest, WithoutASessionItSaysHowOneIsNamed) {
  ::unsetenv("EVENTSPACE_SESSION");
  EXPECT_THROW((void)open_back_end("", {}, Deadline::now()), ConfigurationError);
}

}  // namespace
}  // namespace eventspace

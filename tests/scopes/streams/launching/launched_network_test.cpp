#include <eventspace/stream_network.h>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <eventspace/error.h>
#include <eventspace/packet.h>
#include <eventspace/streams.h>
#include <eventspace/topology.h>
#include "scopes/streams/attaching/attach_lines.h"
#include "scopes/streams/attaching/network_keys.h"
#include "scopes/streams/attaching/session_places.h"
#include "tests/error_text.h"

// Networks of processes on this machine. Loopback addresses stand for other hosts: processes "there" are
// started by a launcher and connected over TCP.

namespace eventspace::streams {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Number = Format<std::int64_t>;

Deadline soon() { return Deadline::after(60s); }

LaunchOptions peers() {
  return {.launcher = {PEER, "--launcher", "{host}"},
          .internal = {PEER, "--internal"},
          .back_end = {PEER, "--back-end"}};
}

Topology placed(std::string_view shape, const std::vector<std::string>& internals,
                const std::vector<std::string>& back_ends) {
  Topology topology = Topology::of_text(shape);
  topology.place("127.0.0.1", internals, back_ends);
  return topology;
}

std::int64_t sum_of(FrontEnd& front_end, std::int64_t number) {
  const std::uint32_t stream = front_end.open({.up = {{"sum", {}}}});
  EXPECT_TRUE(front_end.send(stream, Number::make(0, number), soon()));
  const auto packet = front_end.receive(stream, soon());
  EXPECT_TRUE(packet.has_value());
  return packet ? PacketView(*packet).number<std::int64_t>(0) : -1;
}

std::string failure_of(const Topology& topology, const LaunchOptions& options) {
  return eventspace::test::error_text<EnvironmentError>(
      [&] {
        LaunchedNetwork network(topology, options);
        network.wait_until_ready(soon());
      },
      "none");
}

TEST(LaunchedNetworkTest, EachProcessStartsItsChildrenAndAllAnswer) {
  LaunchedNetwork network(Topology::of_text("2x2x2"), peers());
  network.wait_until_ready(soon());
  EXPECT_EQ(network.front_end().ranks(), RankSet::of_range(0, 7));
  EXPECT_EQ(network.front_end().internals().size(), 6u);
  EXPECT_EQ(sum_of(network.front_end(), 10), 8 * 10 + 28);
}

TEST(LaunchedNetworkTest, ProcessesOnOtherHostsAreStartedByALauncherAndConnectedWithKeys) {
  LaunchedNetwork network(placed("2x2", {"127.0.0.2", "127.0.0.3"}, {"127.0.0.2", "127.0.0.4"}), peers());
  network.wait_until_ready(soon());
  EXPECT_EQ(sum_of(network.front_end(), 1), 4 + 6);
  const AttachPoint point = network.front_end().attach_point(3);
  EXPECT_THAT(point.endpoint, StartsWith("tcp://127.0.0.3:"));
  struct stat keys {};
  ASSERT_EQ(::stat(point.keys.c_str(), &keys), 0) << point.keys;
  EXPECT_EQ(keys.st_mode & 0777, 0600u);
}

TEST(LaunchedNetworkTest, AProcessWithoutTheKeysIsNotLetIn) {
  LaunchOptions options = peers();
  options.back_end.clear();
  options.over_network = true;
  LaunchedNetwork network(Topology::of_text("1x2"), options);
  network.wait_until_ready(soon());
  const auto other = NetworkKeys::make("another-network");
  AttachPoint point = network.front_end().attach_point(0);
  point.keys = other->file();
  EXPECT_THROW(BackEnd(point, Deadline::after(300ms)), EnvironmentError) << "keys of another network";
  point.keys.clear();
  EXPECT_THROW(BackEnd(point, Deadline::after(300ms)), EnvironmentError) << "no keys";
  const BackEnd back_end(network.front_end().attach_point(0), soon());
  EXPECT_TRUE(network.front_end().wait_for(1, soon()));
}

TEST(LaunchedNetworkTest, BackEndsThatAreNotLaunchedAttachByThemselvesWithTheRankOfTheirChoice) {
  LaunchOptions options = peers();
  options.back_end.clear();
  std::optional<LaunchedNetwork> network(std::in_place, Topology::of_text("2x2"), options);
  network->wait_until_ready(soon());
  const std::string text = network->front_end().attach_text();
  std::vector<std::thread> back_ends;
  for (RankSet::Rank rank = 0; rank < 4; ++rank) {
    back_ends.emplace_back([&text, rank] {
      BackEnd back_end(AttachPoint::of_text(text, rank), soon());
      EXPECT_EQ(back_end.rank(), rank);
      const auto received = back_end.receive(soon());
      ASSERT_TRUE(received);
      EXPECT_TRUE(back_end.answer(*received, Number::make(0, back_end.rank()), soon()));
      back_end.serve(soon());
      EXPECT_TRUE(back_end.has_ended());
    });
  }
  EXPECT_TRUE(network->front_end().wait_for(4, soon()));
  EXPECT_EQ(sum_of(network->front_end(), 0), 6);
  network.reset();
  for (std::thread& back_end : back_ends) back_end.join();
}

TEST(LaunchedNetworkTest, InternalProcessesCarryOutCommandsAndTheirAnswersJoinTheReduction) {
  LaunchedNetwork network(Topology::of_text("3x1x1"), peers());
  network.wait_until_ready(soon());
  FrontEnd& front_end = network.front_end();
  const std::uint32_t sums = front_end.open({.members = front_end.internals(), .up = {{"sum", {}}}});
  const auto twice = [](std::int64_t number) {
    return Format<std::string_view, std::int64_t>::make(0, "twice", number);
  };
  ASSERT_TRUE(front_end.send(sums, twice(5), soon()));
  EXPECT_EQ(PacketView(*front_end.receive(sums, soon())).number<std::int64_t>(0), 6 * 10);
  Packet to_two = twice(1);
  to_two.ranks.add(rank_of_internal(1));
  to_two.ranks.add(rank_of_internal(2));
  const std::uint32_t each =
      front_end.open({.members = front_end.internals(), .synchronise = Synchronise::do_not_wait});
  ASSERT_TRUE(front_end.send(each, to_two, soon()));
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(PacketView(*front_end.receive(each, soon())).number<std::int64_t>(0), 2);
}

TEST(LaunchedNetworkTest, ACommandThatIsUnknownIsAnsweredWithTheReason) {
  LaunchedNetwork network(Topology::of_text("1x1"), peers());
  network.wait_until_ready(soon());
  FrontEnd& front_end = network.front_end();
  const std::uint32_t stream = front_end.open({.members = front_end.internals()});
  ASSERT_TRUE(front_end.send(stream, Format<std::string_view>::make(0, "twic"), soon()));
  const auto answer = front_end.receive(stream, soon());
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->tag, command_failed);
  EXPECT_THAT(std::string(PacketView(*answer).text(0)), HasSubstr("did you mean 'twice'?"));
}

TEST(LaunchedNetworkTest, AllProcessesEndWithTheFrontEnd) {
  std::vector<std::int32_t> processes;
  {
    LaunchedNetwork network(Topology::of_text("2x2"), peers());
    network.wait_until_ready(soon());
    for (const auto& process : network.front_end().gather_report(soon()).processes)
      if (process.process != 0) processes.push_back(process.pid);
  }
  ASSERT_EQ(processes.size(), 2u);
  for (const std::int32_t process : processes) EXPECT_NE(::kill(process, 0), 0) << process << " still runs";
}

TEST(LaunchedNetworkTest, TheReportHasAllProcessesAndTheirCounts) {
  LaunchedNetwork network(Topology::of_text("2x2"), peers());
  network.wait_until_ready(soon());
  FrontEnd& front_end = network.front_end();
  const std::uint32_t stream = front_end.open({.up = {{"sum", {}}}});
  for (int wave = 0; wave < 3; ++wave) {
    ASSERT_TRUE(front_end.send(stream, Number::make(0, 1), soon()));
    ASSERT_TRUE(front_end.receive(stream, soon()));
  }
  const NetworkReport report = front_end.gather_report(soon());
  EXPECT_TRUE(report.silent.empty());
  EXPECT_EQ(report.attached.to_text(), "0-3");
  EXPECT_EQ(report.internals.to_text(), "1-2");
  ASSERT_EQ(report.processes.size(), 3u);
  for (const auto& process : report.processes) {
    const auto of_stream = std::ranges::find(process.streams, stream, &StreamReport::stream);
    ASSERT_NE(of_stream, process.streams.end());
    EXPECT_EQ(of_stream->counters.waves, 3u) << process.process;
  }
}

// --- failures -------------------------------------------------------------------------------------------

TEST(LaunchedNetworkTest, ProcessesOfASessionFindItsPlacesByItsName) {
  LaunchOptions options = peers();
  options.back_end.clear();
  options.session = fmt::format("launched-{}", ::getpid());
  std::vector<std::thread> back_ends;
  std::optional<LaunchedNetwork> network(std::in_place, Topology::of_text("2x1"), options);
  network->wait_until_ready(soon());
  const auto found = SessionPlaces::find(options.session);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].network, network->front_end().name());
  for (const AttachPoint& point : attach_points(found[0].text)) {
    back_ends.emplace_back([point] {
      BackEnd back_end(point, soon());
      while (const auto received = back_end.receive(soon()))
        (void)back_end.answer(*received, Number::make(0, 10 + back_end.rank()), soon());
    });
  }
  EXPECT_EQ(back_ends.size(), 2u);
  EXPECT_TRUE(network->front_end().wait_for(2, soon()));
  EXPECT_EQ(sum_of(network->front_end(), 0), 21);
  for (const RankSet::Rank rank : {0U, 1U})
    EXPECT_EQ(attach_points(found[0].text, rank).size(), 1u) << "on its line";
  EXPECT_TRUE(attach_points(found[0].text, 7).empty());
  network.reset();
  for (std::thread& back_end : back_ends) back_end.join();
  EXPECT_TRUE(SessionPlaces::find(options.session).empty());
}

TEST(LaunchedNetworkFailureTest, ACommandThatDoesNotExistIsNamedWithItsHost) {
  LaunchOptions options = peers();
  options.internal = {"/nonexistent/internal"};
  EXPECT_THAT(failure_of(Topology::of_text("2x2"), options),
              AllOf(HasSubstr("any: '/nonexistent/internal' could not be started"),
                    HasSubstr("No such file or directory")));
}

TEST(LaunchedNetworkFailureTest, AHostThatCannotBeReachedIsNamedFromBelowInTheTree) {
  EXPECT_THAT(failure_of(placed("1x2", {"127.0.0.2"}, {"127.0.0.2", "127.0.0.9"}), peers()),
              AllOf(HasSubstr("127.0.0.9: '"), HasSubstr("--launcher 127.0.0.9"),
                    HasSubstr("ended with status 255")));
}

TEST(LaunchedNetworkFailureTest, AProcessThatFailsLaterIsAnEvent) {
  LaunchedNetwork network(Topology::of_text("1x2"), peers());
  network.wait_until_ready(soon());
  FrontEnd& front_end = network.front_end();
  std::string failure;
  front_end.on_event([&failure](const Event& event) {
    if (event.kind == EventKind::failed) failure = event.text;
  });
  const std::uint32_t stream = front_end.open({});
  Packet last = Number::make(0, -1);
  last.ranks.add(1);
  ASSERT_TRUE(front_end.send(stream, last, soon()));
  for (const Deadline end = soon(); failure.empty() && !end.passed();) front_end.serve(Deadline::after(5ms));
  EXPECT_THAT(failure, HasSubstr("--back-end' ended with status 3"));
}

TEST(LaunchedNetworkFailureTest, ThoseThatAreMissingAtTheDeadlineAreNamed) {
  LaunchOptions options = peers();
  options.back_end = {"/bin/sleep", "60"};
  options.patience = 100ms;
  LaunchedNetwork network(Topology::of_text("1x2"), options);
  EXPECT_THAT(
      eventspace::test::error_text<EnvironmentError>([&] { network.wait_until_ready(Deadline::after(2s)); }),
      HasSubstr("any:2, any:3; their output says why"));
}

}  // namespace
}  // namespace eventspace::streams

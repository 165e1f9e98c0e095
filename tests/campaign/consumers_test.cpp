#include <fmt/format.h>
#include <gmock/gmock.h>
#include <signal.h>

#include <fstream>
#include <list>
#include <thread>

#include "pathmaps/pathmap.h"
#include "pathmaps/sessions/consumer.h"
#include "tests/campaign/account.h"
#include "tests/campaign/actors.h"
#include "tests/campaign/runs.h"
#include "tests/monitors/workplace.h"

// Consumers that vanish, consumers that are silent for a long time, and a thousand consumers at once. The
// targets that they have open on servers, also behind a gateway, are bounded and freed.
namespace eventspace::testing_campaign {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing_commands::eventually;
using testing_commands::free_port;
using testing_commands::generous;

constexpr const char* one_cluster = R"(pathmap: 1
name: consumers
cluster:
  nodes: {{g1: {{host: 127.0.0.1, port: {}}}, n1: {{host: 127.0.0.1, port: {}}}}}
  clusters: {{c1: {{gateway: g1, nodes: ['g1', 'n1']}}}}
application:
  threads: ['t[0-1]']
  elements:
    - {{name: 'log/{{thread}}', for: '*', tuple: [int], threshold: 10, when_full: discard}}
  paths:
    - {{thread: '*', name: often, element: 'log/{{thread}}', use: write}}
    - {{thread: '*', name: seldom, element: 'log/{{thread}}', use: write}}
placement: {{processes: {{p1: {{node: n1, threads: '*'}}}}}}
collect: {{points: [{{at: thread, threshold: 100}}]}}
limits: {{{}}}
scopes:
  nodes:
    read: next
    timeout: 20s
    levels: [{{group: all, wrapper: gather}}, {{group: node, wrapper: gather}}]
  clusters:
    read: next
    timeout: 20s
    levels: [{{group: all, wrapper: gather}}, {{group: cluster, wrapper: gather}}, {{group: node, wrapper: gather}}]
  few:
    read: next
    batch: 1
    timeout: 20s
    levels: [{{group: all, wrapper: gather}}, {{group: node, wrapper: gather}}]
)";

class Consumers : public testing_commands::Workplace {
 protected:
  /// Writes a pathmap with node n1 behind gateway g1, and process p1 on n1. Starts nothing.
  void make(const std::string& limits) {
    pathmap_ = write("consumers.yaml", fmt::format(one_cluster, free_port(), free_port(), limits));
    consumer_.emplace(pathmap_);
  }
  Actor& play(Actor::Role role, const std::string& name, std::vector<std::string> command) {
    Actor& actor = actors_.emplace_back(role, name, std::move(command), file(""));
    actor.start();
    return actor;
  }
  Actor& serve(const std::string& node) {
    return play(Actor::Role::server, node, {EVENTSPACE_PROGRAM, "serve", pathmap_.string(), "--node", node});
  }
  Actor& crowd(const std::string& name, const std::string& scope, std::size_t count) {
    return play(Actor::Role::monitor, name,
                {CAMPAIGN_CROWD, pathmap_.string(), scope, std::to_string(count)});
  }
  /// Starts p1, lets it record briefly, and makes it stop recording. The process and its segment remain.
  Actor& record() {
    Actor& app = play(Actor::Role::application, "p1", {CAMPAIGN_APP, pathmap_.string(), "p1"});
    EXPECT_TRUE(eventually([&] { return Runs(consumer_->plan(), file("shm")).note(0, app.pid()); }));
    app.signal(SIGHUP);
    EXPECT_TRUE(says(app, "stopped"));
    return app;
  }
  static bool says(const Actor& actor, const std::string& text) {
    return eventually([&] { return actor.said().back().find(text) != std::string::npos; });
  }
  wire::ServerReport report(NodeIndex node) {
    const auto report = consumer_->ping(node, generous);
    EXPECT_TRUE(report.has_value());
    return report.value_or(wire::ServerReport{});
  }
  /// Waits until the servers of g1 and n1 have these numbers of open targets.
  bool open_targets_come_to(std::uint64_t gateway, std::uint64_t node) {
    return eventually([&] { return report(g1).open_targets == gateway && report(n1).open_targets == node; });
  }
  static std::uint64_t resident_bytes(const Actor& actor) {
    std::ifstream stream("/proc/" + std::to_string(actor.pid()) + "/statm");
    std::uint64_t total = 0;
    std::uint64_t resident = 0;
    stream >> total >> resident;
    return resident * 4096;
  }
  /// Returns the number of records in a trace element of the present run.
  [[nodiscard]] std::uint64_t recorded(std::uint32_t trace) const {
    const SegmentView segment(find_segments("consumers", "", file("shm")).at(0));
    for (const SegmentView::Trace& found : segment.traces()) {
      if (found.spec.trace == trace) return found.reader.published();
    }
    return 0;
  }
  static bool has_mapped(const Actor& server, const Actor& process) {
    const auto maps = testing_commands::read_text("/proc/" + std::to_string(server.pid()) + "/maps");
    return maps.find(".p1." + std::to_string(process.pid())) != std::string::npos;
  }

  static constexpr NodeIndex g1{0};
  static constexpr NodeIndex n1{1};
  std::filesystem::path pathmap_;
  std::optional<Consumer> consumer_;
  std::list<Actor> actors_;
};

// --- leases -----------------------------------------------------------------------------------------

TEST_F(Consumers, TargetsOfAKilledConsumerAreFreedAfterTheLeaseAlsoBehindAGateway) {
  make("lease: 1s");
  serve("g1");
  serve("n1");
  record();
  Actor& forwarded = crowd("forwarded", "nodes", 3);
  Actor& gathered = crowd("gathered", "clusters", 3);
  ASSERT_TRUE(says(forwarded, "round 1 whole 3 refused 0 faulty 0"));
  ASSERT_TRUE(says(gathered, "round 1 whole 3 refused 0 faulty 0"));
  forwarded.kill({});
  gathered.kill({});
  EXPECT_TRUE(open_targets_come_to(0, 0)) << report(g1).open_targets << " " << report(n1).open_targets;
}

TEST_F(Consumers, TheSegmentOfAnOldRunIsNotKeptForAVanishedConsumer) {
  make("lease: 3s");
  serve("g1");
  Actor& server = serve("n1");
  Actor& old = record();
  Actor& reader = crowd("reader", "few", 1);  // reads one event a pull, so most of the run stays unread
  ASSERT_TRUE(says(reader, "round 1 whole 1"));
  old.end({});
  record();
  Actor& other = crowd("other", "nodes", 1);  // its pull makes the server search for new runs
  ASSERT_TRUE(says(other, "round 1 whole 1"));
  EXPECT_TRUE(has_mapped(server, old));
  reader.kill({});
  EXPECT_TRUE(eventually([&] {
    other.signal(SIGHUP);
    return !has_mapped(server, old);
  }));
}

TEST_F(Consumers, AConsumerThatReturnsAfterItsLeaseContinuesAtItsPosition) {
  make("lease: 1s");
  serve("g1");
  serve("n1");
  record();
  for (const char* const scope : {"few", "nodes", "clusters"}) {
    EventScope opened = consumer_->open(scope);
    Account account(
        [this](std::uint32_t path, std::uint16_t point) { return consumer_->names().source_of(path, point); },
        [](std::uint32_t) { return "p1"; });
    for (int times = 0; times < 3; ++times) {
      const View view = opened.pull({});
      EXPECT_THAT(account.take(view), testing::IsEmpty()) << scope;
      EXPECT_THAT(view.missing, testing::IsEmpty()) << scope;
      EXPECT_TRUE(open_targets_come_to(0, 0)) << scope;
    }
    while (std::string(scope) == "few" && account.has_moved())
      EXPECT_THAT(account.take(opened.pull({})), testing::IsEmpty());
    EXPECT_THAT(account.positions(), testing::SizeIs(4)) << scope;
    for (const ReadPosition& position : account.positions())
      EXPECT_EQ(position.sequence, recorded(position.trace)) << scope;
  }
}

// --- a gateway that is killed -----------------------------------------------------------------------

class GatewayInMidPull : public Consumers, public testing::WithParamInterface<const char*> {};

// Pulls have a deadline that is far longer than the test may take, so that only the loss of the gateway ends
// them.
TEST_P(GatewayInMidPull, EndsThePullAtOnceAndIsNamedAndViewsAreCompleteAfterItsRestart) {
  make("lease: 60s");
  Actor& gateway = serve("g1");
  Actor& node = serve("n1");
  record();
  Consumer monitor(pathmap_);
  EventScope scope = monitor.open(GetParam());
  View view = scope.pull({});
  EXPECT_THAT(view.missing, testing::IsEmpty());
  node.stop({});
  const std::uint64_t before = report(g1).requests;
  std::jthread pulling([&] { view = scope.pull({Deadline::after(1h), false}); });
  EXPECT_TRUE(
      eventually([&, pings = std::uint64_t{0}]() mutable { return report(g1).requests > before + ++pings; }));
  gateway.kill({});
  pulling.join();
  ASSERT_EQ(view.missing.size(), 1u);
  EXPECT_EQ(view.missing[0].cause, MissingCause::no_answer);
  EXPECT_EQ(view.missing[0].sources, 4u);
  EXPECT_THAT(view.missing[0].what + view.missing[0].detail,
              HasSubstr(consumer_->plan().nodes[g1].endpoint()));
  EXPECT_THAT(view.missing[0].detail, HasSubstr("was lost"));
  node.go_on();
  gateway.start();
  EXPECT_TRUE(eventually([&] {
    view = scope.pull({});
    return view.missing.empty();
  }));
  EXPECT_EQ(view.loss, Loss{});
  EXPECT_EQ(view.sources_read, 4u);
}

INSTANTIATE_TEST_SUITE_P(Scopes, GatewayInMidPull, testing::Values("nodes", "clusters"),
                         [](const auto& instance) { return std::string(instance.param); });

// --- many -------------------------------------------------------------------------------------------

TEST_F(Consumers, AThousandAtOnceGetTheirViewsAndAllTargetsAreFreed) {
  make("connections: 2000");
  serve("g1");
  Actor& server = serve("n1");
  record();
  const auto wave = [&](const std::string& name) {
    std::vector<Actor*> crowds;
    for (const char* const part : {"a", "b", "c", "d"}) crowds.push_back(&crowd(name + part, "nodes", 250));
    for (Actor* const part : crowds)
      EXPECT_TRUE(says(*part, "round 1 whole 250 refused 0 faulty 0")) << part->said()[0];
    EXPECT_EQ(report(n1).open_targets, 1000u);
    for (Actor* const part : crowds) part->signal(SIGHUP);
    for (Actor* const part : crowds)
      EXPECT_TRUE(says(*part, "round 2 whole 250 refused 0 faulty 0")) << part->said()[0];
    for (Actor* const part : crowds) part->end({});
    EXPECT_TRUE(open_targets_come_to(0, 0));
    return resident_bytes(server);
  };
  const std::uint64_t first = wave("first");
  constexpr std::uint64_t sixteen_mebibytes = 16u << 20;
  EXPECT_LT(first, 256u << 20);
  EXPECT_LT(wave("second"), first + sixteen_mebibytes);
}

TEST_F(Consumers, ConsumersBeyondTheLimitAreRefusedWithTheReasonAndTheOthersWork) {
  make("open_targets: 200");
  serve("g1");
  serve("n1");
  record();
  // To n1 all of them are one peer, the gateway, which gets three quarters.
  Actor& most = crowd("most", "nodes", 150);
  ASSERT_TRUE(says(most, "round 1 whole 150 refused 0 faulty 0"));
  Actor& surplus = crowd("surplus", "nodes", 20);
  ASSERT_TRUE(says(surplus, "round 1 whole 0 refused 20 faulty 0 records 0"));
  EXPECT_THAT(
      surplus.said()[0],
      HasSubstr("this connection has 150 targets open; of the 200 that `limits: open_targets` allows"));
  EXPECT_GE(report(n1).refused.at(static_cast<std::size_t>(wire::Fault::busy)), 20u);
  most.signal(SIGHUP);
  EXPECT_TRUE(says(most, "round 2 whole 150 refused 0 faulty 0"));
  most.end({});
  EXPECT_TRUE(eventually([&] { return report(n1).open_targets == 0; }));
  surplus.signal(SIGHUP);
  EXPECT_TRUE(says(surplus, "round 2 whole 20 refused 0 faulty 0"));
}

}  // namespace
}  // namespace eventspace::testing_campaign

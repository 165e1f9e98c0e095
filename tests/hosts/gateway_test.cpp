#include <fmt/format.h>
#include <gmock/gmock.h>
#include <signal.h>

#include <optional>

#include "tests/hosts/hosts_ground.h"
#include "tests/monitors/observed.h"

// Two clusters, each on a separate network. Only the gateway of a cluster is on its network and on the
// monitor's network, so packets of a monitor do not reach the other hosts of a cluster.
namespace eventspace {
namespace {

using testing::Contains;
using testing::Each;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing_commands::Call;
using testing_commands::free_port;

class Gateways : public testing_commands::Observed {
 protected:
  void SetUp() override {
    for (const int cluster : {1, 2}) {
      const std::string number = std::to_string(cluster);
      network().connect("g" + number);
      network().connect("g" + number, cluster);
      network().connect("n" + number, cluster);
    }
    observe(write("gateways.yaml", pathmap_text()), {a, b, m});
  }
  testing_hosts::HostNetwork& network() { return testing_hosts::network_of(ground()); }

  // Thread m is outside both clusters and writes to an element of a's process.
  [[nodiscard]] std::string pathmap_text() const {
    std::string nodes;
    for (const char* const name : {"g1", "n1", "g2", "n2", "n0"})
      nodes += fmt::format("    {}: {}\n", name, node(name, free_port()));
    return "pathmap: 1\nname: gateways\ncluster:\n  nodes:\n" + nodes +
           "  clusters: {c1: {gateway: g1, nodes: '{g,n}1'}, c2: {gateway: g2, nodes: '{g,n}2'}}\n"
           "application:\n"
           "  threads: [a, b, m]\n"
           "  elements:\n"
           "    - {name: 'log/{thread}', for: '*', tuple: [int], threshold: 10, when_full: discard}\n"
           "  paths: [{thread: '*', name: log, element: 'log/{thread}', use: write}]\n"
           "placement:\n"
           "  processes:\n"
           "    p0: {node: n1, port: 7201, threads: a}\n"
           "    p1: {node: n2, threads: b}\n"
           "    p2: {node: n0, threads: m}\n"
           "  elements: [{elements: log/m, process: p0}]\n"
           "collect: {points: [{at: thread}]}\n"
           "scopes:\n"
           "  heartbeat:\n"
           "    timeout: 500ms\n"
           "    levels: [{group: all, wrapper: gather}, {group: node, wrapper: gather},\n"
           "             {group: thread, wrapper: {reduce: {keep: latest}}}]\n"
           "  clusters:\n"
           "    threads: '{a,b}'\n"
           "    timeout: 500ms\n"
           "    levels: [{group: all, wrapper: gather}, {group: cluster, wrapper: gather},\n"
           "             {group: node, wrapper: gather}]\n";
  }
  void start_all() {
    for (const char* const name : {"n1", "g2", "n2", "n0"}) serve(name);
    gateway1_ = &serve("g1");
    application_.emplace(start({"run", pathmap_, "--", TINY_APP}));
  }

  static constexpr std::uint32_t a = 0;
  static constexpr std::uint32_t b = 1;
  static constexpr std::uint32_t m = 2;
  ChildProcess* gateway1_{nullptr};
  std::optional<Call> application_;
};

TEST_F(Gateways, MonitorsAndThreadsReachThroughThem) {
  start_all();
  see_all_running();
  EXPECT_THAT(view_.missing, IsEmpty());
}

TEST_F(Gateways, GatherTheEventsOfTheirCluster) {
  start_all();
  see_all_running();
  EventScope clusters = consumer_->open("clusters");
  const View view = clusters.pull({Deadline::after(testing_commands::generous), false});
  EXPECT_THAT(view.missing, IsEmpty());
  EXPECT_EQ(view.sources_read, 2u);
}

// If a write of thread m is under way when the gateway is lost, it fails and m ends. A write that begins
// later waits.
TEST_F(Gateways, AClusterIsMissingWhileItsGatewayIsDown) {
  start_all();
  see_all_running();
  gateway1_->signal(SIGKILL);
  gateway1_->wait();
  const HealthReport report = look();
  EXPECT_EQ(report.threads[a].verdict, Verdict::unreachable);
  EXPECT_EQ(report.threads[b].verdict, Verdict::running);
  EXPECT_THAT(view_.missing, Contains(Field(&Missing::node, "n1")));
  serve("g1");
  see(verdict_is(a, Verdict::running));
  EXPECT_THAT(view_.missing, Each(Field(&Missing::node, "n0")));
}

TEST_F(Gateways, UpAndDownReachTheServersBehindThem) {
  Call up = call({"up", pathmap_});
  EXPECT_EQ(up.status(), 0) << up.out() << up.err();
  EXPECT_THAT(up.out(), HasSubstr("n1: started (pid "));
  EXPECT_THAT(processes_with("serve"), SizeIs(5));
  EXPECT_THAT(call({"up", pathmap_}).out(),
              AllOf(HasSubstr("n1: running already (pid "), Not(HasSubstr("started"))));
  Call down = call({"down", pathmap_});
  EXPECT_EQ(down.status(), 0) << down.out() << down.err();
  EXPECT_THAT(processes_with("serve"), IsEmpty());
}

}  // namespace
}  // namespace eventspace

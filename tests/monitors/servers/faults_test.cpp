#include <gmock/gmock.h>
#include <signal.h>

#include <fstream>

#include "tests/monitors/observed_tunnel.h"

// The whole system as processes: node servers, the wind tunnel in two processes, and a monitor; and the
// verdicts when one of them is stopped, killed or started again. On one machine, and in tests/hosts on a host
// for each node.
namespace eventspace {
namespace {

using testing::Contains;
using testing::Field;
using testing::IsEmpty;
using testing_commands::read_text;
using Faults = testing_commands::ObservedTunnel;

TEST_F(Faults, AThreadThatComputesWithoutEndIsNamedAsComputing) {
  start_all({"--stall", "t1@20:spin"});
  const HealthReport report = see(verdict_is(1, Verdict::computing));
  see([](const HealthReport& r) { return r.culprits.size() == 1 && r.culprits[0].waiting == 3; });
  EXPECT_EQ(report.threads[1].last->virtual_time, 19u);
}

TEST_F(Faults, AThreadThatIsStuckInsideAnOperationIsNamedAsStuck) {
  start_all({"--stall", "t1@20:wait"});
  const HealthReport report = see(verdict_is(1, Verdict::stuck));
  EXPECT_EQ(report.threads[1].in_flight->verb, Verb::take);
}

TEST_F(Faults, AThreadThatSleepsOutsideOperationsIsNamedAsBlocked) {
  start_all({"--stall", "t1@20:sleep"});
  see(verdict_is(1, Verdict::blocked));
}

TEST_F(Faults, AStoppedProcessIsNamedAndRunsAgainWhenItIsContinued) {
  start_all();
  see_all_running();
  process1_->signal(SIGSTOP);
  const HealthReport report = see(verdict_is(2, Verdict::stopped));
  EXPECT_EQ(report.threads[3].verdict, Verdict::stopped);
  EXPECT_NE(report.threads[0].verdict, Verdict::stopped);
  process1_->signal(SIGCONT);
  see_all_running();
}

TEST_F(Faults, AKilledProcessIsDeadItsLastEventsAreReadAndTheOthersAreObserved) {
  start_all();
  see_all_running();
  process1_->signal(SIGKILL);
  const HealthReport report = see(verdict_is(2, Verdict::dead));
  EXPECT_TRUE(report.threads[2].last.has_value());
  EXPECT_TRUE(report.threads[3].last.has_value());
  EXPECT_NE(report.threads[0].verdict, Verdict::unreachable);
  EXPECT_THAT(view_.missing, IsEmpty());
  EXPECT_EQ(view_.processes.size(), 2u);
}

TEST_F(Faults, AKilledServerMakesThePullPartialTheApplicationGoesOnAndARestartMakesItWhole) {
  start_all();
  see_all_running();
  server2_->signal(SIGKILL);
  server2_->wait();
  const HealthReport partial = see(verdict_is(2, Verdict::unreachable));
  EXPECT_THAT(view_.missing, Contains(Field(&Missing::node, "n2")));
  EXPECT_EQ(partial.threads[0].verdict, Verdict::running);
  see_progress(0);
  serve("n2");
  see_all_running();
  EXPECT_THAT(view_.missing, IsEmpty());
}

TEST_F(Faults, AKilledMonitorChangesNothing) {
  start_all();
  see_all_running();
  ChildProcess& events = monitor({"events", pathmap_, "--interval", "0s"}, "monitor.csv");
  see([&](const HealthReport&) { return std::filesystem::file_size(file("monitor.csv")) > 0; });
  events.signal(SIGKILL);
  events.wait();
  see_progress(0);
  see_progress(2);
  EXPECT_THAT(view_.missing, IsEmpty());
}

std::uint64_t resident_pages(pid_t pid) {
  std::ifstream stream("/proc/" + std::to_string(pid) + "/statm");
  std::uint64_t total = 0;
  std::uint64_t resident = 0;
  stream >> total >> resident;
  return resident;
}

TEST_F(Faults, AMonitorStoppedDuringAPullMakesNothingGrow) {
  start_all();
  see_all_running();
  ChildProcess& events = monitor({"events", pathmap_, "--interval", "0s"}, "monitor.csv");
  see([&](const HealthReport&) { return std::filesystem::file_size(file("monitor.csv")) > 0; });
  events.signal(SIGSTOP);
  const std::uint64_t before = resident_pages(server2_->pid());
  for (int pull = 0; pull < 50; ++pull) look();
  see_progress(2);
  constexpr std::uint64_t sixteen_mebibytes = 4096;
  EXPECT_LT(resident_pages(server2_->pid()), before + sixteen_mebibytes);
  const auto report = consumer_->ping(NodeIndex(1), testing_commands::generous);
  ASSERT_TRUE(report.has_value());
  EXPECT_LE(report->open_targets, 8u);
}

// --- results ---

std::string checksum_in(const std::filesystem::path& summary) {
  const std::string text = read_text(summary);
  const std::size_t at = text.find("\"checksum\":\"");
  return at == std::string::npos ? "none in: " + text : text.substr(at + 12, 16);
}

TEST_F(Faults, TheResultIsTheSameWithAHeartbeatRunningAndWithout) {
  start_servers();
  steps_ = "60";
  const auto run = [&](const std::string& name) {
    const std::filesystem::path summary = file(name);
    ChildProcess& p0 = tunnel("p0", {"--summary", summary.string()});
    ChildProcess& p1 = tunnel("p1");
    EXPECT_TRUE(p0.wait().is_fine()) << logs();
    EXPECT_TRUE(p1.wait().is_fine()) << logs();
    return checksum_in(summary);
  };
  const std::string alone = run("alone.json");
  monitor({"heartbeat", pathmap_, "--interval", "0s"}, "heartbeat.txt");
  see([&](const HealthReport&) { return std::filesystem::file_size(file("heartbeat.txt")) > 0; });
  EXPECT_EQ(run("watched.json"), alone);
  EXPECT_EQ(alone.size(), 16u) << alone;
}

}  // namespace
}  // namespace eventspace

#include <gmock/gmock.h>
#include <poll.h>
#include <signal.h>

#include <fstream>
#include <functional>
#include <list>

#include "monitors/child_process.h"
#include "monitors/heartbeat_analysis.h"
#include "pathmaps/consumer.h"
#include "pathmaps/pathmap.h"
#include "tests/monitors/workplace.h"

// The whole system as processes on this machine: node servers, the wind tunnel in two processes, and a
// monitor; and what is seen when one of them is stopped, killed or started again.
namespace eventspace {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::Contains;
using testing::Each;
using testing::Field;
using testing::IsEmpty;
using testing::Not;
using testing_commands::free_port;
using testing_commands::read_text;
using testing_commands::Workplace;

constexpr seconds patience{60};

std::string pathmap_text() {
  const auto port = [] { return std::to_string(free_port()); };
  return "pathmap: 1\nname: faults\n"
         "cluster: {nodes: {n1: {host: 127.0.0.1, port: " +
         port() + "}, n2: {host: 127.0.0.1, port: " + port() +
         "}}}\n"
         "application:\n"
         "  threads: ['t[0-3]', main]\n"
         "  elements:\n"
         "    - {name: 'progress/{thread}', for: 't*', tuple: [int, int], threshold: 200, when_full: "
         "discard}\n"
         "    - {name: results, tuple: [int, int, bytes], threshold: 280}\n"
         "  generate:\n"
         "    - neighbour-exchange: {threads: 't*', wrap: true, north: [n, ne, nw], south: [s, se, sw],\n"
         "                           tuple: [int, bytes], threshold: 2}\n"
         "  paths:\n"
         "    - {thread: 't*', name: progress, element: 'progress/{thread}', use: write}\n"
         "    - {thread: 't*', name: result, element: results, use: write}\n"
         "    - {thread: main, name: results, element: results, use: read}\n"
         "placement:\n"
         "  elements: [{elements: 'border/**', with: reader}, {elements: results, with: reader}]\n"
         "  processes:\n"
         "    p0: {node: n1, port: " +
         port() +
         ", threads: ['t[0-1]', main]}\n"
         "    p1: {node: n2, port: " +
         port() +
         ", threads: 't[2-3]'}\n"
         "collect: {points: [{threads: 't*', at: [thread]}]}\n"
         "scopes:\n"
         "  heartbeat:\n"
         "    threads: 't*'\n"
         "    timeout: 500ms\n"
         "    levels: [{group: all, wrapper: gather}, {group: node, wrapper: gather},\n"
         "             {group: thread, wrapper: {reduce: {keep: latest}}}]\n"
         "  events:\n"
         "    threads: 't*'\n"
         "    read: next\n"
         "    timeout: 500ms\n"
         "    levels: [{group: all, wrapper: gather}, {group: node, wrapper: gather}]\n";
}

class Faults : public Workplace {
 protected:
  void SetUp() override {
    pathmap_ = write("faults.yaml", pathmap_text());
    consumer_ = std::make_unique<Consumer>(pathmap_);
    analysis_ = std::make_unique<HeartbeatAnalysis>(consumer_->plan(), std::vector<std::uint32_t>{0, 1, 2, 3},
                                                    milliseconds(1500));
    scope_ = std::make_unique<EventScope>(consumer_->open("heartbeat"));
  }

  void TearDown() override {
    for (ChildProcess& child : children_) child.signal(SIGKILL);
    for (ChildProcess& child : children_) child.wait();
  }

  // --- processes ---

  ChildProcess& start(std::vector<std::string> command, const std::string& log) {
    ChildSpec spec;
    spec.command = std::move(command);
    spec.output = file(log);
    return children_.emplace_back(ChildProcess::start(spec));
  }
  ChildProcess& serve(const std::string& node) {
    return start({EVENTSPACE_PROGRAM, "serve", pathmap_.string(), "--node", node}, node + ".log");
  }
  ChildProcess& tunnel(const std::string& process, std::vector<std::string> more = {}) {
    std::vector<std::string> command{
        WINDTUNNEL_PROGRAM, "--pathmap", pathmap_.string(), "--process", process, "--n", "64",
        "--steps",          steps_};
    command.insert(command.end(), more.begin(), more.end());
    return start(std::move(command), process + ".log");
  }
  void start_servers() {
    serve("n1");
    server2_ = &serve("n2");
  }
  void start_all(const std::vector<std::string>& stall = {}) {
    start_servers();
    tunnel("p0", stall);
    process1_ = &tunnel("p1", stall);
  }

  // --- what a monitor sees ---

  HealthReport look() {
    view_ = scope_->pull({Deadline::after(seconds(1)), true});
    return analysis_->observe(view_, std::chrono::steady_clock::now());
  }
  // Looks until `wanted`, or patience ends: then the last report tells what was seen instead.
  HealthReport see(const std::function<bool(const HealthReport&)>& wanted) {
    const Deadline deadline = Deadline::after(patience);
    HealthReport report = look();
    while (!wanted(report)) {
      if (deadline.passed()) {
        ADD_FAILURE() << "not seen in time; the last report: " << describe(report) << logs();
        break;
      }
      ::poll(nullptr, 0, 20);
      report = look();
    }
    return report;
  }
  static auto verdict_is(std::size_t thread, Verdict verdict) {
    return [=](const HealthReport& report) { return report.threads[thread].verdict == verdict; };
  }
  HealthReport see_all_running() {
    return see([](const HealthReport& report) {
      return std::all_of(report.threads.begin(), report.threads.end(),
                         [](const ThreadHealth& h) { return h.verdict == Verdict::running && h.last; });
    });
  }
  // The application makes progress: thread `thread` has a later event than now.
  void see_progress(std::size_t thread) {
    const std::uint64_t end = look().threads[thread].last->end;
    see([&](const HealthReport& report) {
      return report.threads[thread].last && report.threads[thread].last->end > end;
    });
  }
  static std::string describe(const HealthReport& report) {
    std::string text;
    for (const ThreadHealth& h : report.threads)
      text += std::string(to_string(h.verdict)) + " " + h.detail + "; ";
    return text;
  }
  std::string logs() const {
    std::string text;
    for (const char* const log : {"n1.log", "n2.log", "p0.log", "p1.log"}) {
      text += std::string("\n") + log + ": " + read_text(file(log)).substr(0, 2000);
    }
    return text;
  }

  std::filesystem::path pathmap_;
  std::string steps_ = "1000000000";  // no run ends by itself, unless a test says so
  std::list<ChildProcess> children_;
  ChildProcess* server2_{nullptr};
  ChildProcess* process1_{nullptr};
  std::unique_ptr<Consumer> consumer_;
  std::unique_ptr<HeartbeatAnalysis> analysis_;
  std::unique_ptr<EventScope> scope_;
  View view_;
};

TEST_F(Faults, AThreadThatComputesForEverIsNamedAsComputing) {
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

TEST_F(Faults, AKilledMonitorIsNoticedByNobody) {
  start_all();
  see_all_running();
  ChildProcess& monitor =
      start({EVENTSPACE_PROGRAM, "events", pathmap_.string(), "--interval", "0s"}, "monitor.csv");
  see([&](const HealthReport&) { return std::filesystem::file_size(file("monitor.csv")) > 0; });
  monitor.signal(SIGKILL);
  monitor.wait();
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

TEST_F(Faults, AMonitorStoppedInTheMiddleOfAPullMakesNothingGrow) {
  start_all();
  see_all_running();
  ChildProcess& monitor =
      start({EVENTSPACE_PROGRAM, "events", pathmap_.string(), "--interval", "0s"}, "monitor.csv");
  see([&](const HealthReport&) { return std::filesystem::file_size(file("monitor.csv")) > 0; });
  monitor.signal(SIGSTOP);
  const std::uint64_t before = resident_pages(server2_->pid());
  for (int pull = 0; pull < 50; ++pull) look();
  see_progress(2);
  constexpr std::uint64_t sixteen_mebibytes = 4096;
  EXPECT_LT(resident_pages(server2_->pid()), before + sixteen_mebibytes);
  const auto report = consumer_->ping(1, patience);
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
  start({EVENTSPACE_PROGRAM, "heartbeat", pathmap_.string(), "--interval", "0s"}, "heartbeat.txt");
  see([&](const HealthReport&) { return std::filesystem::file_size(file("heartbeat.txt")) > 0; });
  EXPECT_EQ(run("watched.json"), alone);
  EXPECT_EQ(alone.size(), 16u) << alone;
}

}  // namespace
}  // namespace eventspace

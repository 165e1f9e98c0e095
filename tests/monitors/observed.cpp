#include "tests/monitors/observed.h"

#include <poll.h>
#include <signal.h>

#include <algorithm>

#include "paths/security/key_file.h"

namespace eventspace::testing_commands {
namespace {

std::string describe(const HealthReport& report) {
  std::string text;
  for (const ThreadHealth& health : report.threads)
    text += std::string(to_string(health.verdict)) + " " + health.detail + "; ";
  return text;
}

}  // namespace

void Observed::TearDown() {
  for (ChildProcess& child : children_) child.signal(SIGKILL);
  for (ChildProcess& child : children_) child.wait();
}

void Observed::observe(const std::filesystem::path& pathmap, const std::vector<std::uint32_t>& threads) {
  pathmap_ = pathmap;
  consumer_ = std::make_unique<Consumer>(pathmap);
  analysis_ =
      std::make_unique<HeartbeatAnalysis>(consumer_->plan(), threads, std::chrono::milliseconds(1500));
  scope_ = std::make_unique<EventScope>(consumer_->open("heartbeat"));
}

ChildProcess& Observed::launch(const std::string& node, std::vector<std::string> command,
                               const std::string& log) {
  ChildSpec spec;
  if (!node.empty()) spec.command = ground().launch(node);
  // As under a batch system: its hosts find the keys by the path of their file.
  if (!node.empty() && consumer_)
    spec.command.insert(spec.command.end(),
                        {"env", "EVENTSPACE_KEYS=" + key_file_of(consumer_->session()).string()});
  spec.command.insert(spec.command.end(), command.begin(), command.end());
  spec.output = file(log);
  return children_.emplace_back(ChildProcess::start(spec));
}

ChildProcess& Observed::serve(const std::string& node) {
  return launch(node, {EVENTSPACE_PROGRAM, "serve", pathmap_.string(), "--node", node}, node + ".log");
}

ChildProcess& Observed::monitor(const std::vector<std::string>& arguments, const std::string& log) {
  std::vector<std::string> command{EVENTSPACE_PROGRAM};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return launch("", std::move(command), log);
}

const std::string& Observed::node_of(const std::string& process) const {
  const Plan& plan = consumer_->plan();
  return plan.nodes[plan.processes[plan.find_process(process).value()].node].name;
}

HealthReport Observed::look() {
  view_ = scope_->pull({Deadline::after(std::chrono::seconds(1)), true});
  return analysis_->observe(view_, std::chrono::steady_clock::now());
}

HealthReport Observed::see(const std::function<bool(const HealthReport&)>& wanted) {
  const Deadline deadline = Deadline::after(generous);
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

std::function<bool(const HealthReport&)> Observed::verdict_is(std::size_t thread, Verdict verdict) {
  return [=](const HealthReport& report) { return report.threads[thread].verdict == verdict; };
}

HealthReport Observed::see_all_running() {
  return see([](const HealthReport& report) {
    return std::all_of(report.threads.begin(), report.threads.end(), [](const ThreadHealth& health) {
      return health.verdict == Verdict::running && health.last;
    });
  });
}

void Observed::see_progress(std::size_t thread) {
  const std::uint64_t end = look().threads[thread].last->end;
  see([&](const HealthReport& report) {
    return report.threads[thread].last && report.threads[thread].last->end > end;
  });
}

std::string Observed::logs() const {
  std::string text;
  for (const auto& entry : std::filesystem::directory_iterator(file(""))) {
    if (entry.path().extension() != ".log") continue;
    text += "\n" + entry.path().filename().string() + ": " + read_text(entry.path()).substr(0, 2000);
  }
  return text;
}

}  // namespace eventspace::testing_commands

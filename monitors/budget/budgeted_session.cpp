#include "monitors/budget/budgeted_session.h"

#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <set>
#include <utility>

#include <eventspace/session.h>
#include "collectors/switching/switch_processes.h"
#include "monitors/switching/session_switch.h"
#include "monitors/watching/running_servers.h"
#include "pathmaps/plan/plan_lookup.h"
#include "pathmaps/variants/scope_variants.h"
#include "paths/parameters/globs_of_names.h"
#include "scopes/tree/newest_of_each.h"
#include "tuplespace/processes/process_stat.h"
#include "tuplespace/system/plain_text.h"

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

constexpr nanoseconds patience = 1s;
constexpr std::size_t longest_switched_name = 1000;  // as in SwitchedProcess

// Whether all processes are on this machine, so that their files can be read and switched without servers.
bool is_here(const Plan& plan) {
  if (!plan.has_pathmap) return plan.nodes.size() == 1 && plan.nodes[NodeIndex(0)].port == 0;
  return std::ranges::all_of(plan.nodes, [](const NodePlan& node) { return node.launch.empty(); });
}

ScopeTree scope_of(const Watched& watched) {
  return newest_of_each(watched.plan->has_pathmap
                            ? events_of_everything(watched.pathmap, *watched.plan, is_here(*watched.plan))
                            : require_scope(*watched.plan, "events"));
}

class RunningSession final : public BudgetedSession {
 public:
  explicit RunningSession(const Watched& watched)
      : watched_(watched),
        is_here_(is_here(*watched.plan)),
        consumer_(consumer_of(watched)),
        scope_(consumer_.open(scope_of(watched))) {
    std::set<std::string> endpoints;
    for (const NodePlan& node : watched.plan->nodes) endpoints.insert(node.endpoint());
    for (const ServerHere& server : servers_here(consumer_.session(), endpoints))
      if (server.pid != 0 && server.pid != ::getpid()) servers_.push_back({server.pid, {}});
  }

  [[nodiscard]] const std::string& name() const override { return consumer_.session(); }
  [[nodiscard]] const PlanNames& names() const override { return consumer_.names(); }
  View look() override { return scope_.pull({.deadline = Deadline::after(patience), .with_threads = true}); }
  std::chrono::steady_clock::time_point now() override { return std::chrono::steady_clock::now(); }

  // A server that was restarted since has used less than before.
  nanoseconds watching_cpu() override {
    timespec own{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own);
    nanoseconds sum = std::chrono::seconds(own.tv_sec) + nanoseconds(own.tv_nsec);
    for (Server& server : servers_) {
      if (const auto stat = read_process_stat(server.pid)) server.cpu = std::max(server.cpu, stat->cpu);
      sum += server.cpu;
    }
    return sum;
  }

  Outcome carry_out(const PeriodOrder& order) override {
    try {
      return is_here_ ? carry_out_here(order) : carry_out_by_servers(order);
    } catch (const std::exception& error) {
      return {{}, {}, error.what()};
    }
  }

 private:
  struct Server {
    std::int32_t pid;
    nanoseconds cpu;
  };

  Outcome carry_out_here(const PeriodOrder& order) {
    std::vector<std::int32_t> pids;
    for (const ProcessRun& run : order.runs) pids.push_back(run.pid);
    Outcome outcome;
    const SwitchOrder asked{.events = {order.of}, .period = order.period};
    note_switched(switch_processes(consumer_.session(), "", asked, pids), order, names(), outcome);
    return outcome;
  }

  Outcome carry_out_by_servers(const PeriodOrder& order) {
    std::vector<std::string> processes;
    for (const ProcessRun& run : order.runs) processes.emplace_back(names().process_name(run.process));
    Outcome outcome;
    for (const std::string& glob : globs_of_names(processes)) {
      const SwitchOrder asked{.processes = glob, .events = {order.of}, .period = order.period};
      for (SwitchedNode& node : switch_session(*watched_.plan, watched_.session, "**", asked, patience)) {
        if (node.by == SwitchedNode::By::neither) outcome.refusal = node.refusal;
        note_switched(node.processes, order, names(), outcome);
      }
    }
    return outcome;
  }

  const Watched watched_;
  const bool is_here_;
  Consumer consumer_;
  EventScope scope_;
  std::vector<Server> servers_;
};

}  // namespace

void note_switched(const std::vector<SwitchedProcess>& switched, const PeriodOrder& order,
                   const PlanNames& names, BudgetedSession::Outcome& outcome) {
  for (const SwitchedProcess& process : switched) {
    const auto run = std::ranges::find_if(order.runs, [&](const ProcessRun& one) {
      return one.pid == process.pid &&
             made_plain(names.process_name(one.process), longest_switched_name) == process.process;
    });
    if (run == order.runs.end()) continue;
    (process.refusal.empty() ? outcome.done : outcome.refused).push_back(*run);
    if (!process.refusal.empty()) outcome.refusal = process.refusal;
  }
}

std::unique_ptr<BudgetedSession> make_budgeted_session(const Watched& watched) {
  return std::make_unique<RunningSession>(watched);
}

}  // namespace eventspace

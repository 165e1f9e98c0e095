#include "monitors/jobs/job_processes.h"

#include <fmt/format.h>

#include <chrono>

#include <eventspace/error.h>
#include "monitors/text/plain_output.h"
#include "pathmaps/jobs/job_of_session.h"
#include "pathmaps/plan/plan_names.h"
#include "pathmaps/sessions/consumer.h"

namespace eventspace {

std::vector<RemoteProcess> processes_elsewhere(const std::shared_ptr<const Plan>& plan) {
  std::vector<RemoteProcess> found;
  if (plan->nodes.size() < 2) return found;
  Consumer consumer(plan, plan->name);
  EventScope scope = consumer.open("heartbeat");
  const View view = scope.pull({.deadline = Deadline::after(std::chrono::seconds(2)), .with_threads = true});
  for (const ProcessReport& process : view.processes) {
    if (dynamic_numbers(*plan, NodeIndex(0)).has(process.process)) continue;
    const bool is_gone = process.state == RunState::dead || process.state == RunState::ended;
    found.push_back({std::string(consumer.names().process_name(process.process)),
                     std::string(consumer.names().node_of_process(process.process)), process.pid,
                     is_gone ? "dead" : "alive", process.threads.size()});
  }
  for (const Missing& missing : view.missing) {
    print_warning(fmt::format("session {}: no answer from {} on machine {}: {}", plan->name, missing.what,
                              missing.node, to_string(missing.cause)));
  }
  return found;
}

std::vector<JobElsewhere> jobs_elsewhere() {
  std::vector<JobElsewhere> jobs;
  for (const std::string& session : sessions_with_jobs()) {
    try {
      if (const auto job = find_job(session, print_warning))
        jobs.push_back({session, processes_elsewhere(plan_of_found_job(*job, session, print_warning))});
    } catch (const EnvironmentError& error) {  // the others are still listed
      print_warning(error.what());
    }
  }
  return jobs;
}

}  // namespace eventspace

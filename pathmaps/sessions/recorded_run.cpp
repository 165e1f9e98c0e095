#include "pathmaps/sessions/recorded_run.h"

#include <set>
#include <utility>
#include <vector>

namespace eventspace {
namespace {

std::vector<RecordedTrace> traces_of(const Plan& plan) {
  std::set<Host> begun;
  std::set<ThreadIndex> first;
  for (const ThreadIndex thread : plan.threads.indices()) {
    const ThreadPlan& planned = plan.threads[thread];
    if (planned.is_thread() && begun.insert(planned.host()).second) first.insert(thread);
  }
  std::vector<RecordedTrace> traces;
  for (const TracePlan& trace : plan.traces) {
    const ThreadIndex thread = plan.paths[trace.path].thread;
    traces.push_back({thread.number32(), first.contains(thread)});
  }
  return traces;
}

}  // namespace

RecordedRun::RecordedRun(RecordingReader recording, std::shared_ptr<const Plan> plan)
    : plan_(std::move(plan)), names_(plan_), replay_(std::move(recording), names_, traces_of(*plan_)) {}

}  // namespace eventspace

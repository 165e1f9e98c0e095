#include "monitors/heartbeat/culprit_stacks.h"

#include <fmt/format.h>

#include <algorithm>

#include <eventspace/error.h>
#include "monitors/heartbeat/heartbeat_analysis.h"
#include "tuplespace/processes/process_stat.h"

namespace eventspace {
namespace {

struct FoundThread {
  const ProcessReport* process;
  std::int32_t tid;
};

std::optional<FoundThread> find_thread(const View& view, std::uint32_t thread) {
  std::optional<FoundThread> found;
  for (const ProcessReport& process : view.processes) {
    for (const ThreadReport& report : process.threads)
      if (report.thread == thread && report.tid != 0)
        found = FoundThread{&process, report.tid};  // the last is the latest
  }
  return found;
}

std::vector<std::uint32_t> blamed_threads(const HealthReport& report) {
  std::vector<std::uint32_t> threads;
  const auto add = [&threads](std::uint32_t thread, Verdict verdict) {
    const bool can_have_stack = !is_gone(verdict) && verdict != Verdict::not_started;
    if (can_have_stack && std::ranges::find(threads, thread) == threads.end()) threads.push_back(thread);
  };
  for (const Culprit& culprit : report.culprits) add(culprit.thread, culprit.verdict);
  for (const ThreadHealth& health : report.threads)
    if (health.is_job_culprit) add(health.thread, health.verdict);
  return threads;
}

CulpritStack stack_of(std::uint32_t thread, const View& view, StackSource& source) {
  CulpritStack found{thread, {}, {}};
  const auto place = find_thread(view, thread);
  if (!place) {
    found.refusal = "no process in the scope has reported this thread";
    return found;
  }
  try {
    found.stack = source.stack_of(*place->process, place->tid);
  } catch (const EnvironmentError& error) {
    found.refusal = error.what();
  }
  return found;
}

}  // namespace

ThreadStack StacksHere::stack_of(const ProcessReport& process, std::int32_t tid) {
  const auto stat = read_process_stat(process.pid);
  // If the process does not run on this machine, another process may have its pid here.
  if (!stat || (stat->is_known() && stat->start_ticks != process.start_ticks)) {
    throw EnvironmentError(
        fmt::format("process {} runs on another machine or in another container; run `eventspace heartbeat` "
                    "there to show the stack",
                    process.pid));
  }
  return stack_of_thread(process.pid, tid);
}

std::vector<CulpritStack> stacks_of_culprits(const HealthReport& report, const View& view,
                                             StackSource& source) {
  std::vector<std::uint32_t> threads = blamed_threads(report);
  threads.resize(std::min(threads.size(), max_culprit_stacks));
  std::vector<CulpritStack> stacks;
  stacks.reserve(threads.size());
  for (const std::uint32_t thread : threads) stacks.push_back(stack_of(thread, view, source));
  return stacks;
}

}  // namespace eventspace

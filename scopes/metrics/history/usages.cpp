#include "scopes/metrics/history/usages.h"

#include <algorithm>

namespace eventspace::metrics {
namespace {

double amount_of(const ProcessUsage& usage, Resource resource) noexcept {
  constexpr double seconds_per_ns = 1e-9;
  switch (resource) {
    case Resource::processor_time:
      return seconds_per_ns * static_cast<double>(usage.cpu_ns);
    case Resource::memory:
      return static_cast<double>(usage.memory_bytes);
    case Resource::voluntary_switches:
      return static_cast<double>(usage.voluntary_switches);
    case Resource::involuntary_switches:
      return static_cast<double>(usage.involuntary_switches);
    case Resource::load:
      return usage.node_load;
    case Resource::processors:
      return usage.node_processors;
    case Resource::clock_error:
      break;  // not from a sample, but from its time
  }
  return 0.0;
}

}  // namespace

void Usages::take(std::uint32_t process, const ProcessReport& report) {
  if (processes_.size() <= process) processes_.resize(process + 1);
  Process& known = processes_[process];
  // Reports of the runs of a restarted process may come in any order.
  if (known.newest && !report.usage && report.start_ticks != known.start_ticks) return;
  known.is_gone = !report.usage && (report.state == RunState::dead || report.state == RunState::ended);
  if (!report.usage) return;
  add(known, *report.usage, known.pid == report.pid && known.start_ticks == report.start_ticks);
  known.pid = report.pid;
  known.start_ticks = report.start_ticks;
  const BoundedTime now = report.here(report.now_ticks);
  known.at_ns = now.ns;
  known.error_ns = now.error_ns;
  known.newest = report.usage;
}

// Switches decrease when a thread ends, and all counts except memory when the process is another one.
void Usages::add(Process& process, const ProcessUsage& usage, bool is_same_run) {
  if (!process.newest) return;
  for (std::size_t i = 0; i < resources; ++i) {
    const auto resource = static_cast<Resource>(i);
    const bool from_zero = !is_same_run && resource != Resource::memory;
    const double before = from_zero ? 0.0 : amount_of(*process.newest, resource);
    const double more = amount_of(usage, resource) - before;
    process.used[i] += resource == Resource::memory ? more : std::max(more, 0.0);
  }
}

void Usages::mark_read() {
  for (Process& process : processes_) process.used_until_last = process.used;
}

Problem Usages::problem_of(std::uint32_t process) const noexcept {
  if (process >= processes_.size()) return Problem::not_sampled;
  if (processes_[process].is_gone) return Problem::process_gone;
  return processes_[process].newest ? Problem::none : Problem::not_sampled;
}

template <class Amount>
Datum Usages::sum(const std::set<std::uint32_t>& processes, Amount amount) const {
  double total = 0.0;
  std::int64_t at_ns = 0;
  for (const std::uint32_t process : processes) {
    if (const Problem problem = problem_of(process); problem != Problem::none) return Datum::wrong(problem);
    total += amount(processes_[process]);
    at_ns = std::max(at_ns, processes_[process].at_ns);
  }
  return Datum::at(total, at_ns, at_ns);
}

Datum Usages::used(Resource resource, const std::set<std::uint32_t>& processes, bool since_last) const {
  const auto i = static_cast<std::size_t>(resource);
  return sum(processes, [i, since_last](const Process& process) {
    return process.used[i] - (since_last ? process.used_until_last[i] : 0.0);
  });
}

Datum Usages::present(Resource resource, const std::set<std::uint32_t>& processes) const {
  return sum(processes, [resource](const Process& process) { return amount_of(*process.newest, resource); });
}

Datum Usages::clock_error(const std::set<std::uint32_t>& processes) const {
  constexpr double seconds_per_ns = 1e-9;
  Datum worst = Datum::of(0.0);
  for (const std::uint32_t process : processes) {
    if (const Problem problem = problem_of(process); problem != Problem::none) return Datum::wrong(problem);
    const Process& known = processes_[process];
    if (!known.error_ns) return Datum::wrong(Problem::no_value);
    const double error = seconds_per_ns * static_cast<double>(*known.error_ns);
    if (worst.is_timeless() || error > worst.number) worst = Datum::at(error, known.at_ns, known.at_ns);
  }
  return worst;
}

Datum Usages::of_nodes(Resource resource, const std::set<std::uint32_t>& nodes,
                       const ObservedObjects& objects) const {
  std::set<std::uint32_t> newest_of_each;
  for (const std::uint32_t node : nodes) {
    std::optional<std::uint32_t> newest;
    for (const std::uint32_t process : objects.processes_of(Base::node, node)) {
      if (problem_of(process) != Problem::none) continue;
      if (!newest || processes_[process].at_ns > processes_[*newest].at_ns) newest = process;
    }
    if (!newest) return Datum::wrong(Problem::not_sampled);
    newest_of_each.insert(*newest);
  }
  return present(resource, newest_of_each);
}

}  // namespace eventspace::metrics

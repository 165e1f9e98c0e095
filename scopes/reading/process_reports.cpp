#include "scopes/reading/process_reports.h"

#include <algorithm>
#include <cmath>

#include "scopes/reading/process_clock.h"
#include "tuplespace/processes/process_stat.h"

namespace eventspace {
namespace {

// Uses the rate measured recently on this node. The process measured its own when it started, which may be
// long ago.
void report_rate(ProcessReport& report, ClockRate& rate) {
  report.rate_error_ppm = std::min(report.clock.error_ppm, ProcessReport::most_ppm);
  if (report.clock.source != ClockSource::tsc) return;
  rate.learn({report.now_ticks, report.now_monotonic_ns, report.now_error_ns}, report.clock.ns_per_tick);
  const auto known = rate.rate();
  if (!known) return;
  constexpr double most_ppm = 1e5;  // a larger difference means that the process used another counter
  const double rate_ppm = (known->ns_per_tick / report.clock.ns_per_tick - 1) * 1e6;
  if (std::abs(rate_ppm) > most_ppm) return;
  report.rate_ppm = rate_ppm;
  report.rate_error_ppm = std::min(known->error_ppm, ProcessReport::most_ppm);
}

// What cannot be read, for example for lack of descriptors, is unknown and not ended.
void add_kernels_data(ThreadReport& thread, std::int32_t pid) {
  const auto stat = read_process_stat(pid, thread.tid);
  thread.state = stat ? stat->state : 'X';
  thread.cpu_ns = stat ? static_cast<std::uint64_t>(stat->cpu.count()) : 0;
}

}  // namespace

ProcessReport report_process(const SegmentView& segment, const NodeClock& node, ClockRate& rate) {
  ProcessReport report;
  report.pid = segment.pid();
  report.start_ticks = segment.process_start_ticks();
  report.clock = segment.clock();
  const ClockRate::Reading now = read_clocks(report.clock, node);
  report.now_ticks = now.ticks;
  report.now_monotonic_ns = now.node_ns;
  report.now_error_ns = now.error_ns;
  report_rate(report, rate);
  return report;
}

std::vector<ThreadReport> report_threads(const SegmentView& segment, std::span<const std::size_t> threads) {
  std::vector<ThreadReport> reports;
  for (const std::size_t index : threads) {
    ThreadReport thread;
    thread.thread = segment.threads()[index];
    thread.tid = segment.tid(index);
    if (thread.tid != 0) add_kernels_data(thread, segment.pid());
    reports.push_back(thread);
  }
  return reports;
}

}  // namespace eventspace

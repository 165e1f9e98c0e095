#include "monitors/budget/class_counts.h"

#include <algorithm>
#include <cmath>

#include "collectors/kinds/event_kinds.h"
#include "collectors/record_header.h"
#include "collectors/switching/switch_order.h"
#include "scopes/tree/local_ids.h"

namespace eventspace {
namespace {

constexpr double newest_weighs = 0.1;  // the newest event's class among the classes of a trace element
constexpr double is_one_class = 0.95;  // share of the records of a trace element
// A record of a thinned class that happens to be the newest one stands for many events, so estimates from a
// few newest records change slowly.
constexpr double estimate_weighs = 0.2;
constexpr unsigned max_unseen = 60;  // views, after which a process is forgotten
constexpr double few_records = 10;   // fewer are too few to estimate events that were not recorded

EventClasses class_of(const TraceTuple& record) {
  const auto kind = static_cast<std::uint8_t>(record.words[3]);
  const EventKind* const known = EventKinds::instance().find(kind);
  if (known == nullptr || classes_of_kind(known->name).empty()) return {kind, EventClasses::all_classes};
  return {kind, static_cast<std::uint8_t>((record.words[3] >> 12) & 0xf)};
}

std::uint32_t period_or_one(const CollectState& state, const EventClasses& of) {
  return period_in(state, of).value_or(CollectSwitch::everything);
}

}  // namespace

// The counts of another run of a process begin at 0.
ClassCounts::Process& ClassCounts::process_of(const ProcessReport& report) {
  Process& process = processes_[report.process];
  const ProcessRun run{report.process, report.pid, report.start_ticks};
  if (process.run != run) process = {};
  process.run = run;
  process.unseen = 0;
  process.recorded.clear();
  // After a switch, classes that are recorded less often are a smaller part of the records.
  for (auto& [key, trace] : process.traces)
    for (auto& [of, share] : trace.shares) {
      const double before = period_or_one(process.collecting, of);
      const double now = period_or_one(report.collecting, of);
      if (before > 0 && now != before) share = now > 0 ? share * before / now : 0;
    }
  process.collecting = report.collecting;
  return process;
}

void ClassCounts::count(const TraceTuple& record) {
  const RecordHeader header = header_of(record);
  if (header.in_flight() || header.is_continuation()) return;
  const auto source = names_->source_of(header.path, header.point);
  if (!source && !is_local_id(header.path)) return;
  const auto found = processes_.find(source ? source->process : process_of_local_id(header.path));
  if (found == processes_.end() || found->second.unseen > 0) return;
  Process& process = found->second;
  process.recording.insert(header.thread);
  const auto [at, is_new] = process.traces.try_emplace({header.path, header.point});
  Trace& trace = at->second;
  const std::uint64_t before = is_new && is_first_ ? header.sequence : trace.sequence;
  trace.sequence = std::max(header.sequence, before);
  for (auto& [of, share] : trace.shares) share *= 1 - newest_weighs;
  trace.shares[class_of(record)] += newest_weighs;
  double sum = 0;
  for (const auto& [of, share] : trace.shares) sum += share;
  for (auto& [of, share] : trace.shares) {
    share /= sum;
    const double records = share * static_cast<double>(trace.sequence - before);
    Count& count = process.recorded[of];
    count.records += records;
    if (share < is_one_class) count.estimated += records;
  }
}

// A thread that is new in a later view has begun since the last one.
std::chrono::nanoseconds ClassCounts::recording_cpu(Process& process, const ProcessReport& report) const {
  std::uint64_t sum = 0;
  for (const ThreadReport& thread : report.threads) {
    if (!thread.is_known()) continue;
    const auto [at, is_new] = process.cpu_ns.try_emplace(thread.thread, is_first_ ? thread.cpu_ns : 0);
    const std::uint64_t before = std::exchange(at->second, std::max(at->second, thread.cpu_ns));
    if (process.recording.contains(thread.thread)) sum += at->second - before;
  }
  return std::chrono::nanoseconds(sum);
}

std::vector<ClassLoad> ClassCounts::loads_of(Process& process, std::chrono::nanoseconds cpu) {
  const auto ns = static_cast<double>(cpu.count());
  for (const auto& [of, rate] : process.rates) process.recorded.try_emplace(of);
  std::vector<ClassLoad> loads;
  for (const auto& [of, count] : process.recorded) {
    const double recorded = count.records;
    ClassLoad load{.of = of, .recorded = recorded, .period = period_or_one(process.collecting, of)};
    load.least_period = load.period;
    const double estimated = process.rates[of] * ns;
    load.events = recorded * load.period;
    if (load.period > 1 && count.estimated > 0 && estimated > 0) {
      const double weight = 1 - (1 - estimate_weighs) * count.estimated / recorded;
      load.events = weight * load.events + (1 - weight) * estimated;
    }
    if (load.period == CollectSwitch::off) load.events = std::max(estimated, recorded);
    if (load.period > 1 && recorded < few_records) load.events = (load.events + estimated) / 2;
    if (load.period != CollectSwitch::off && ns > 0) process.rates[of] = load.events / ns;
    loads.push_back(load);
  }
  return loads;
}

void ClassCounts::forget_gone() {
  std::erase_if(processes_, [](const auto& known) { return known.second.unseen > max_unseen; });
}

ClassCounts::Look ClassCounts::observe(const View& view) {
  for (auto& [number, process] : processes_) ++process.unseen;
  for (const ProcessReport& report : view.processes)
    if (may_live(report.state)) process_of(report);
  for (const TraceTuple& record : view.records.whole()) count(record);
  Look look;
  for (const ProcessReport& report : view.processes) {
    const auto known = processes_.find(report.process);
    if (known == processes_.end() || known->second.unseen > 0 ||
        known->second.run != ProcessRun{report.process, report.pid, report.start_ticks})
      continue;
    const auto cpu = recording_cpu(known->second, report);
    look.recording_cpu += cpu;
    look.processes.push_back({known->second.run, report.collecting, loads_of(known->second, cpu)});
  }
  forget_gone();
  is_first_ = false;
  return look;
}

}  // namespace eventspace

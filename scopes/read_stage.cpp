#include "scopes/read_stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "collectors/clock.h"
#include "collectors/event_record.h"
#include "tuplespace/process_stat.h"

namespace eventspace {

ReadStage::ReadStage(const std::vector<SourceRef>& sources, ReadMode mode, LocalSegments& segments,
                     const PlanNames& names)
    : mode_(mode), segments_(&segments), names_(&names) {
  for (const SourceRef& source : sources) {
    auto process = std::find_if(processes_.begin(), processes_.end(),
                                [&](const Process& p) { return p.number == source.process; });
    if (process == processes_.end()) {
      process = processes_.insert(process, Process{});
      process->number = source.process;
    }
    Source added;
    added.trace = source.trace;
    process->sources.push_back(added);
  }
}

void ReadStage::finish(Operation& operation) {
  Pull& pull = *operation.pull;
  pull.view.clear();
  settle(pull);
  for (Process& process : processes_) read(process, pull);
  operation.status = Status::ok;
}

// What the view of the last pull held is read for good only once that view is known to have arrived.
void ReadStage::settle(const Pull& pull) {
  const bool arrived = pull.after == sent_pull_;
  for (Process& process : processes_) {
    for (Source& source : process.sources) {
      if (arrived) {
        source.committed = source.sent;
      } else {
        source.sent = source.committed;
      }
    }
  }
  if (arrived) committed_pull_ = sent_pull_;
  sent_pull_ = pull.id;
}

void ReadStage::read(Process& process, Pull& pull) {
  const std::string name(names_->process_name(process.number));
  const LocalSegments::Found found = segments_->find(name);
  if (found.view == nullptr) {
    const MissingCause cause = found.refusal.empty() ? MissingCause::no_segment : MissingCause::refused;
    pull.view.missing.push_back({std::string(names_->node_of_process(process.number)), "process " + name,
                                 cause, found.refusal, static_cast<std::uint32_t>(process.sources.size())});
    return;
  }
  if (found.generation != process.generation) bind(process, *found.view, found.generation);
  std::uint32_t absent = 0;
  for (Source& source : process.sources) {
    if (source.found == nullptr) {
      ++absent;
      continue;
    }
    ++pull.view.sources_read;
    if (mode_.next) {
      read_next(source, pull.view);
    } else {
      read_newest(source, pull.view);
    }
  }
  if (absent > 0) {
    pull.view.missing.push_back({std::string(names_->node_of_process(process.number)), "process " + name,
                                 MissingCause::refused, "its segment has no such trace elements", absent});
  }
  pull.view.processes.push_back(report(process, *found.view, pull.with_threads));
}

void ReadStage::bind(Process& process, const SegmentView& view, std::uint64_t generation) {
  std::unordered_map<std::uint32_t, const SegmentView::Trace*> by_number;
  for (const SegmentView::Trace& trace : view.traces()) by_number.emplace(trace.spec.trace, &trace);
  process.generation = generation;
  process.threads.clear();
  for (Source& source : process.sources) {
    const auto found = by_number.find(source.trace);
    source = {source.trace, found == by_number.end() ? nullptr : found->second, {}, {}};
    if (source.found == nullptr) continue;
    const auto thread = std::find(view.threads().begin(), view.threads().end(), source.found->spec.thread);
    if (thread == view.threads().end()) continue;
    process.threads.push_back(static_cast<std::size_t>(thread - view.threads().begin()));
  }
  std::sort(process.threads.begin(), process.threads.end());
  process.threads.erase(std::unique(process.threads.begin(), process.threads.end()), process.threads.end());
}

void ReadStage::read_newest(const Source& source, View& view) const {
  if (const auto newest = source.found->reader.newest()) view.records.push_back(*newest);
  if (auto in_flight = source.found->reader.in_flight()) {
    in_flight->words[5] = under_way_outcome;
    view.records.push_back(*in_flight);
  }
}

void ReadStage::read_next(Source& source, View& view) const {
  const TraceReader::Batch batch =
      source.found->reader.read_after(source.sent.sequence, mode_.batch, view.records);
  (source.sent.looked ? view.loss.discarded : view.loss.earlier) += batch.discarded;
  view.loss.torn += batch.torn;
  source.sent = {batch.last, true};
}

ProcessReport ReadStage::report(const Process& process, const SegmentView& view, bool with_threads) const {
  ProcessReport report;
  report.process = process.number;
  report.pid = view.pid();
  report.start_ticks = view.process_start_ticks();
  report.state = segments_->state_of(view);
  report.clock = view.clock();
  report.now_ticks = Clock::now(view.clock());
  if (!with_threads) return report;
  for (const std::size_t index : process.threads) {
    ThreadReport thread;
    thread.thread = view.threads()[index];
    thread.tid = view.tid(index);
    if (const auto stat = thread.tid == 0 ? std::nullopt : read_process_stat(view.pid(), thread.tid)) {
      thread.state = stat->state;
      thread.cpu_ns = static_cast<std::uint64_t>(stat->cpu.count());
    }
    report.threads.push_back(thread);
  }
  return report;
}

}  // namespace eventspace

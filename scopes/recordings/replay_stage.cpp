#include "scopes/recordings/replay_stage.h"

#include <algorithm>
#include <limits>
#include <span>

#include "scopes/tree/local_ids.h"
#include "scopes/tree/view_events.h"
#include "scopes/wrappers/record_processes.h"
#include "tuplespace/system/saturating.h"

namespace eventspace {

ReplayStage::ReplayStage(const ReadStage::Sources& sources, ReadMode mode, Replay& replay, bool tells_rest)
    : mode_(mode), replay_(&replay), tells_rest_(tells_rest), dynamic_(sources.dynamic) {
  for (const SourceRef& source : sources.planned) {
    sources_.insert(source);
    processes_.insert(source.process);
    const RecordedTrace* const trace = replay.trace(source.trace);
    if (!mode.probes || trace == nullptr) continue;
    threads_.insert(trace->thread);
    if (trace->is_of_first_thread) first_threads_.insert(source.process);
  }
  only_threads_ = threads_of(sources);
  // The numbers of threads outside the plan are not known in advance.
  or_own_threads_ = sources.dynamic.count != 0 || !first_threads_.empty();
}

std::optional<std::vector<std::uint32_t>> ReplayStage::threads_of(const ReadStage::Sources& sources) const {
  std::vector<std::uint32_t> threads;
  for (const SourceRef& source : sources.planned) {
    const RecordedTrace* const trace = replay_->trace(source.trace);
    if (trace == nullptr) return std::nullopt;
    threads.push_back(trace->thread);
  }
  std::ranges::sort(threads);
  threads.erase(std::unique(threads.begin(), threads.end()), threads.end());
  return threads;
}

void ReplayStage::begin(Operation& operation) {
  operation.status = Status::under_way;
  position_.settle(transaction_.begin(pull_of(operation)));
}

void ReplayStage::finish(Operation& operation) {
  Pull& pull = pull_of(operation);
  pull.view.clear();
  if (mode_.next) {
    read_unread(pull);
  } else {
    read_newest(pull);
  }
  operation.status = Status::ok;
}

// Records of one trace element come together, and a recording has few trace elements.
bool ReplayStage::reads(const RecordHeader& record) {
  if (is_local_id(record.path)) return reads_source(record);
  const std::uint64_t key = static_cast<std::uint64_t>(record.path) << 16 | record.point;
  const auto [known, is_new] = known_.try_emplace(key, false);
  if (is_new) known->second = reads_source(record);
  return known->second;
}

bool ReplayStage::reads_source(const RecordHeader& record) const {
  const auto source = replay_->names().source_of(record.path, record.point);
  if (!source) return false;
  if (sources_.contains(*source) || dynamic_.has(source->process)) return true;
  if (!is_local_id(record.path)) return false;
  return is_local_id(record.thread) ? first_threads_.contains(source->process)
                                    : threads_.contains(record.thread);
}

bool ReplayStage::reads_process(std::uint32_t process) const {
  return processes_.contains(process) || dynamic_.has(process);
}

void ReplayStage::read_newest(Pull& pull) {
  const Replay::SharedView newest = replay_->newest();
  View part;
  for (const TraceTuple& record : newest->records)
    if (reads(header_of(record))) part.records.push_back(record);
  add_processes(*newest, part);
  if (tells_rest_) part.missing = newest->missing;
  pull.view.append(std::move(part));
  pull.view.sources_read = sources_.size();
  if (pull.with_threads) return;
  for (ProcessReport& process : pull.view.processes) process.threads.clear();
}

bool ReplayStage::concerns(std::size_t chunk) const {
  return !only_threads_ || replay_->recording().concerns(chunk, *only_threads_, or_own_threads_);
}

// Events older than the scope's look-back are dropped at its first poll, as by a ReadStage.
void ReplayStage::read_unread(Pull& pull) {
  constexpr std::int64_t always = std::numeric_limits<std::int64_t>::min();
  const std::int64_t now = replay_->now_ns();
  const Position& position = position_.committed;
  const bool looks_back = pull.look_back != std::chrono::nanoseconds::max() && !position.has_begun;
  Interval in{.since = position.until,
              .kept_from = looks_back ? saturating::subtract(now, pull.look_back.count()) : always};
  const Replay::Unread unread = replay_->unread(in.since, [&](std::size_t chunk) { return concerns(chunk); });
  in.until = unread.until;
  for (const std::size_t chunk : unread.chunks) add_unread(chunk, in, pull);
  if (pull.with_in_flight || pull.with_usage) add_present(pull);
  pull.view.sources_read = sources_.size();
  if (unread.until < now) replay_->note_unread();
  position_.sent = {std::max(position.until, unread.until), position.has_begun || unread.until >= now};
}

void ReplayStage::add_unread(std::size_t chunk, const Interval& in, Pull& pull) {
  const std::int64_t lost_ns = replay_->lost_ns(chunk);
  const bool tells_rest = tells_rest_ && lost_ns > in.since && lost_ns <= in.until;
  const Replay::Ends ends = replay_->ends_of(chunk);
  const bool is_too_old = ends.last < in.kept_from;
  const bool is_over = ends.last > in.since && ends.last <= in.until;
  if (is_too_old && is_over && tells_rest_)
    pull.view.loss.filtered += replay_->recording().chunks()[chunk].records;
  const bool has_events = !is_too_old && ends.first <= in.until && ends.last > in.since;
  if (!has_events && !tells_rest) return;
  const Replay::SharedView view = replay_->chunk(chunk);
  View part;
  if (has_events) add_events(chunk, *view, in, part);
  if (tells_rest) {
    if (!has_events) add_processes(*view, part);  // perhaps of processes that had switched their events off
    part.loss += view->loss;
    part.missing = view->missing;
  }
  pull.view.append(std::move(part));
}

// An event ended when its own record did, whatever its continuation records contain.
void ReplayStage::add_events(std::size_t chunk, const View& view, const Interval& in, View& part) {
  RecordProcesses processes(replay_->names());
  processes.learn(view);
  const Replay::Ends ends = replay_->ends_of(chunk);
  const bool has_all = ends.first > in.since && ends.last <= in.until && ends.first >= in.kept_from;
  for_each_event(view.records.whole(), [&](std::span<const TraceTuple> event) {
    const RecordHeader header = header_of(event.back());
    if (!reads(header)) return;
    if (!has_all) {
      const std::int64_t ended = replay_->ended_ns(chunk, header, processes.of(header));
      if (ended <= in.since || ended > in.until) return;
      if (ended < in.kept_from) {
        part.loss.filtered += event.size();
        return;
      }
    }
    for (const TraceTuple& record : event) part.records.push_back(record);
  });
  add_processes(view, part);
}

// Adds the present processes and their events in flight, after the reports of chunks.
void ReplayStage::add_present(Pull& pull) {
  const Replay::SharedView newest = replay_->newest();
  View part;
  add_processes(*newest, part);
  for (ProcessReport& process : part.processes) process.threads.clear();
  for (const TraceTuple& record : newest->records) {
    const RecordHeader header = header_of(record);
    if (!header.in_flight() || header.is_continuation() || !reads(header)) continue;
    const auto source = replay_->names().source_of(header.path, header.point);
    const auto process = std::ranges::find(part.processes, source->process, &ProcessReport::process);
    if (process == part.processes.end()) continue;
    TraceTuple& told = process->in_flight.emplace_back();
    std::copy_n(record.words.begin() + 1, 3, told.words.begin() + 1);
  }
  pull.view.append(std::move(part));
}

void ReplayStage::add_processes(const View& view, View& part) const {
  for (const ProcessReport& process : view.processes)
    if (reads_process(process.process)) part.processes.push_back(process);
}

}  // namespace eventspace

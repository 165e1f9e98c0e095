#include "scopes/recordings/replay_stage.h"

#include <algorithm>
#include <limits>

#include "scopes/tree/own_numbers.h"
#include "scopes/wrappers/record_processes.h"
#include "tuplespace/system/saturating.h"

namespace eventspace {

ReplayStage::ReplayStage(const ReadStage::Sources& sources, ReadMode mode, Replay& replay, bool tells_rest)
    : mode_(mode), replay_(&replay), tells_rest_(tells_rest), unplanned_(sources.unplanned) {
  for (const SourceRef& source : sources.planned) {
    sources_.insert(source);
    processes_.insert(source.process);
    const RecordedTrace* const trace = replay.trace(source.trace);
    if (!mode.probes || trace == nullptr) continue;
    threads_.insert(trace->thread);
    if (trace->is_of_first_thread) first_threads_.insert(source.process);
  }
  only_threads_ = threads_of(sources);
  // The numbers of threads that no plan has are not known before.
  or_own_threads_ = sources.unplanned.count != 0 || !first_threads_.empty();
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
  next_.settle(transaction_.begin(pull_of(operation)));
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
  if (is_own_number(record.path)) return reads_source(record);
  const std::uint64_t key = static_cast<std::uint64_t>(record.path) << 16 | record.point;
  const auto [known, is_new] = known_.try_emplace(key, false);
  if (is_new) known->second = reads_source(record);
  return known->second;
}

bool ReplayStage::reads_source(const RecordHeader& record) const {
  const auto source = replay_->names().source_of(record.path, record.point);
  if (!source) return false;
  if (sources_.contains(*source) || unplanned_.has(source->process)) return true;
  if (!is_own_number(record.path)) return false;
  return is_own_number(record.thread) ? first_threads_.contains(source->process)
                                      : threads_.contains(record.thread);
}

bool ReplayStage::reads_process(std::uint32_t process) const {
  return processes_.contains(process) || unplanned_.has(process);
}

void ReplayStage::read_newest(Pull& pull) {
  const Replay::SharedView newest = replay_->newest();
  add(*newest, std::numeric_limits<std::int64_t>::min(), pull);
  if (pull.with_threads) return;
  for (ProcessReport& process : pull.view.processes) process.threads.clear();
}

void ReplayStage::read_unread(Pull& pull) {
  constexpr std::size_t most_chunks = 16;  // in one pull: a million records
  const auto chunks = replay_->recording().chunks();
  const std::int64_t now = replay_->now_ns();
  const bool looks_back = pull.look_back != std::chrono::nanoseconds::max();
  const std::int64_t since = looks_back ? saturating::subtract(now, pull.look_back.count())
                                        : std::numeric_limits<std::int64_t>::min();
  std::size_t read = 0;
  std::size_t next = next_.committed;
  for (; next < chunks.size() && chunks[next].read_ns <= now && read < most_chunks; ++next) {
    if (chunks[next].kind != RecordingReader::Kind::events) continue;
    if (chunks[next].last_ns < since) {
      if (tells_rest_) pull.view.loss.filtered += chunks[next].records;
      continue;
    }
    if (only_threads_ && !replay_->recording().concerns(next, *only_threads_, or_own_threads_)) continue;
    ++read;
    add(*replay_->chunk(next), since, pull);
  }
  if (next < chunks.size() && chunks[next].read_ns <= now) replay_->note_unread();
  next_.sent = next;
}

void ReplayStage::add(const View& view, std::int64_t since, Pull& pull) {
  RecordProcesses processes(replay_->names());
  processes.learn(view);
  const auto is_old = [&](const RecordHeader& record) {
    if (since == std::numeric_limits<std::int64_t>::min()) return false;
    const ProcessReport* const process = processes.of(record);
    return process != nullptr && process->here(record.end).ns < since;
  };
  View part;
  for (const TraceTuple& record : view.records) {
    const RecordHeader header = header_of(record);
    if (!reads(header)) continue;
    if (is_old(header)) {
      ++part.loss.filtered;
    } else {
      part.records.push_back(record);
    }
  }
  for (const ProcessReport& process : view.processes) {
    if (reads_process(process.process)) part.processes.push_back(process);
  }
  if (tells_rest_) {
    part.loss += view.loss;
    part.missing = view.missing;
  }
  part.sources_read = sources_.size();
  pull.view.append(std::move(part));
}

}  // namespace eventspace
